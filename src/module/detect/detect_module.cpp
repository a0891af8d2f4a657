// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_module.h"

#include <algorithm>
#include <utility>

#include "base/log/log.h"
#include "module/detect/detect_change.h"
#include "module/detect/detect_reader.h"

namespace packetwarp {
namespace {

void add(feature::table_counts& to, feature::table_counts const& some) {
  to.inserted += some.inserted;
  to.replaced += some.replaced;
  to.untracked += some.untracked;
}

}  // namespace

detect_module::detect_module(detect_config const& config, module_surroundings const& around)
    : config_{config}, file_{around.config->file}, places_{around.places} {
  require_evaluable(config, file_, needs_gpu(around.config->plane.executor) ? group_kind::warp : group_kind::lone_lane);
}

void detect_module::prepare(plan& planned) {
  std::vector<std::size_t> of_gpu(std::max<std::size_t>(places_.size(), 1));
  for (auto const& one : planned.pipelines) seats_.push_back({one.gpu_position, of_gpu.at(one.gpu_position)++});
}

// An executor on a GPU and the one that takes over from it share no state, but have one key.
void detect_module::install(std::deque<port>&) {
  auto const models = input_of(config_);
  auto const key = random_hash_key();
  cpu_ = std::make_unique<detect_table>(models, config_.sizes, key, seats_.size(), table_place{});
  std::size_t gpu = 0;
  for (auto const& place : places_) {
    auto const here = std::count_if(seats_.begin(), seats_.end(), [gpu](auto const& one) { return one.gpu == gpu; });
    gpus_.push_back(std::make_unique<detect_table>(models, config_.sizes, key, static_cast<std::size_t>(here), place));
    ++gpu;
  }
}

table_refs<detect> detect_module::stage::refs_at(stage_place const& place) const {
  auto const n = static_cast<std::size_t>(place.planned.id.value());
  auto const cpu = of_.cpu_->ref(n);
  if (of_.gpus_.empty()) return {cpu, cpu};
  auto const& at = of_.seats_.at(n);
  return {cpu, of_.gpus_.at(at.gpu)->ref(at.on_gpu)};
}

void detect_module::on_gpu_lost(int gpu) {
  log().warn("detect: GPU {} had the state of flows and hosts; the CPU begins without any", gpu);
}

void detect_module::abandon() {
  for (auto const& one : gpus_) one->abandon();
}

std::unique_ptr<module_change> detect_module::change_to(std::shared_ptr<network_config const> wanted) {
  return std::make_unique<detect_change>(*this, std::move(wanted));
}

void detect_module::prepare_models(detect_config const& wanted) {
  auto const models = input_of(wanted);
  // The table with less room comes first.
  for (auto const& one : gpus_) one->prepare(models);
  cpu_->prepare(models);
}

void detect_module::publish_models(detect_config wanted) {
  for (auto const& one : gpus_) one->publish();
  cpu_->publish();
  config_ = std::move(wanted);
}

detect_counts detect_module::counts(readable what) const {
  detect_counts all{.models = {}, .action = config_.action};
  for (auto const& one : config_.models) all.models.push_back({.file = one.file, .threshold = one.threshold});
  std::vector<detect_table const*> tables{cpu_.get()};
  if (what == readable::all) {
    for (auto const& one : gpus_) tables.push_back(one.get());
  }
  for (auto const* const table : tables) {
    for (std::size_t n = 0; n < all.models.size(); ++n) {
      auto const seen = table->counted(n);
      all.models[n].judged += seen.judged;
      all.models[n].anomalous += seen.anomalous;
    }
    auto const state = table->state_counted();
    add(all.flows, state.flows);
    add(all.hosts, state.hosts);
  }
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
    std::uint64_t gpu = 0;
    for (auto const& one : gpus_) gpu += one->bytes();
    memory_row row{.what = "detect", .unit = "pipelines", .room = seats_.size(), .bytes = cpu_->bytes()};
    if (gpu != 0) row.gpu_bytes = gpu;
    to.push_back(std::move(row));
    return true;
  };
}

}  // namespace packetwarp
