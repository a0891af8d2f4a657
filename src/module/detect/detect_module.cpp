// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/log/log.h"
#include "module/detect/detect_change.h"
#include "module/detect/detect_reader.h"

namespace packetwarp {
namespace {

constexpr std::size_t most_shown = 20;  // hosts, and flows
// Records of all pipelines per loop iteration: a line takes some microseconds to make.
constexpr std::uint32_t records_at_once = 256;

void add(feature::table_counts& to, feature::table_counts const& some) {
  to.inserted += some.inserted;
  to.replaced += some.replaced;
  to.untracked += some.untracked;
}

}  // namespace

detect_module::detect_module(detect_config const& config, module_surroundings const& around)
    : config_{config},
      began_mirror_to_{config.mirror_to},
      file_{around.config->file},
      executor_{around.config->plane.executor},
      began_with_large_{config.large.has_value()},
      tables_{around.places},
      log_{"detect", config.events, config.events_room},
      watch_{config.events_period,
             config.events.empty() ? anomaly_watch::line_taker{} : [this](std::string_view line) { log_.put(line); }} {
  for (auto const& one : around.config->interfaces) interfaces_.push_back(one.name);
  require_models(config);
}

void detect_module::prepare(plan& planned) {
  shared_bytes_ = least_shared_bytes(planned);
  require_models(config_);
  tables_.assign(slots_of(planned, interfaces_));
}

void detect_module::install(std::deque<port>&) {
  auto const models = input_of(config_);
  auto const key = random_hash_key();
  auto const make = [&](std::size_t pipelines, table_place const& place) {
    return std::make_unique<detect_table>(models, sizes_of(config_, pipelines), key, pipelines, place);
  };
  tables_.install([&](std::size_t pipelines) { return make(pipelines, table_place{}); }, make);
  deciders_.fill(decider_of(config_));
}

deciding_model detect_module::decider_of(detect_config const& config) {
  auto const& first = config.models.front();
  return {.file = first.file,
          .threshold = first.threshold,
          .unit = first.model->unit,
          .action = config.action,
          .large = config.large ? config.large->model.file : std::string{}};
}

void detect_module::maintain(control_time now, maintain_budget budget) {
  now_ = now;
  auto const most = std::min(budget.entries, records_at_once);
  read_records(std::max(most / static_cast<std::uint32_t>(tables_.pipelines()), 1U));
  log_.flush();
}

void detect_module::finish(control_time now) {
  now_ = now;
  read_all_records();
  log_.finish();
}

// Records of GPUs are in the host's memory.
void detect_module::read_records(std::uint32_t most) {
  tables_.for_each_part([&](detect_table& of, std::size_t part, std::size_t pipeline) {
    (void)of.journal().read(part, most, [&](detect_parts::anomaly const& seen) {
      watch_.see(seen, tables_.slot(pipeline).interface, deciders_.at(seen.set & 1), now_);
    });
  });
}

void detect_module::read_all_records() { read_records(anomaly_journal::records); }

void detect_module::on_gpu_lost(int gpu) {
  log().warn("detect: GPU {} had the state of flows and hosts; the CPU begins without any", gpu);
  tables_.for_each_on(gpu, [](detect_table& of) { of.journal().pass_unfinished(); });
}

void detect_module::abandon() { tables_.abandon(); }

std::unique_ptr<module_change> detect_module::change_to(std::shared_ptr<network_config const> wanted) {
  return std::make_unique<detect_change>(*this, std::move(wanted));
}

// An executor on a GPU has the kernels of a large model from the start, or not at all.
void detect_module::require_models(detect_config const& wanted) const {
  require_evaluable(wanted, file_, executor_, shared_bytes_);
  if (!wanted.large || began_with_large_ || !needs_gpu(executor_)) return;
  throw usage_error(fmt::format(
      "{}:{}: detect.large: this network began without a large model, and a reload cannot bring its kernels "
      "to executor {}; start it anew",
      file_, wanted.large->model.line, to_string(executor_)));
}

// Rings keep received headers from the start or not at all, and each pipeline knows one mirror port.
void detect_module::require_mirror(detect_config const& wanted) const {
  if (wanted.action != detect_action::mirror || wanted.mirror_to == began_mirror_to_) return;
  auto const now = began_mirror_to_.empty() ? std::string{"this network began without copies"}
                                            : fmt::format("copies leave by '{}'", began_mirror_to_);
  throw usage_error(fmt::format("{}:{}: detect.mirror_to: {}, and a reload cannot change that; start it anew", file_,
                                wanted.line, now));
}

void detect_module::prepare_models(detect_config const& wanted) {
  auto const models = input_of(wanted);
  // The table with less room comes first.
  for (auto const& one : tables_.gpus()) one->prepare(models);
  tables_.cpu().prepare(models);
  read_all_records();
  deciders_.at(tables_.cpu().set_in_force() ^ 1) = decider_of(wanted);
}

void detect_module::publish_models(detect_config wanted) {
  for (auto const& one : tables_.gpus()) one->publish();
  tables_.cpu().publish();
  watch_.set_period(wanted.events_period);
  config_ = std::move(wanted);
}

detect_counts detect_module::counts(readable what) const {
  detect_counts all{.models = {}, .large = {}, .action = config_.action, .mirror_to = config_.mirror_to};
  for (auto const& one : config_.models) all.models.push_back({.file = one.file, .threshold = one.threshold});
  if (config_.large) {
    auto const& large = *config_.large;
    all.large = {.file = large.model.file, .threshold = large.model.threshold};
  }
  for (auto const* const table : tables_.tables(what)) {
    for (std::size_t n = 0; n < all.models.size(); ++n) {
      auto const seen = table->counted(n);
      all.models[n].judged += seen.judged;
      all.models[n].anomalous += seen.anomalous;
    }
    auto const large = table->counted(large_detect_counter);
    all.large.judged += large.judged;
    all.large.anomalous += large.anomalous;
    all.followed += table->counted(followed_detect_counter).judged;
    all.large_limited += table->counted(limited_detect_counter).judged;
    all.mirror_limited += table->counted(uncopied_detect_counter).judged;
    auto const state = table->state_counted();
    add(all.flows, state.flows);
    add(all.hosts, state.hosts);
    auto const unrecorded = table->journal().unrecorded();
    all.events.lost += unrecorded.lost;
    all.events.limited += unrecorded.limited;
  }
  all.events.told = watch_.counts().told;
  all.events.repeated = watch_.counts().repeated;
  all.busiest = watch_.busiest(most_shown, now_);
  all.highest = watch_.highest(most_shown, now_);
  return all;
}

bool detect_module::count(readable what) {
  counted_ = counts(what);
  return true;
}

void detect_module::add_report(telemetry::run_report& to) {
  to.parts.push_back(std::make_shared<detect_report>(std::exchange(counted_, {})));
}

memory_work detect_module::memory(run_view const&) {
  return [this](std::vector<memory_row>& to) {
    to.push_back(tables_.memory("detect"));
    return true;
  };
}

}  // namespace packetwarp
