// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/inspection_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ratio>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/log/log.h"
#include "module/inspection/alert_line.h"
#include "module/inspection/inspection_change.h"
#include "module/inspection/inspection_reader.h"

namespace packetwarp {
namespace {

// Alerts of all pipelines per loop iteration: a line takes some microseconds to make.
constexpr std::uint32_t alerts_at_once = 256;
// An expression may take a thousandth of a second before it ends at its bound.
constexpr std::uint32_t late_packets_at_once = 4;
constexpr std::size_t most_shown_rules = 1000;

}  // namespace

inspection_module::inspection_module(inspection_config const& config, module_surroundings const& around)
    : config_{config}, tables_{around.places}, log_{"inspect", config.events, config.events_room} {
  for (auto const& one : around.config->interfaces) interfaces_.push_back(one.name);
  if (auto const why = text_of_unusable(config.rules->cover); !why.empty()) log().warn("inspect: {}", why);
  if (auto const what = text_of_replaced(config.rules->cover); !what.empty()) log().warn("inspect: {}", what);
  for (auto const& warning : config.rules->warnings) log().warn("{}", warning);
}

void inspection_module::prepare(plan& planned) { tables_.assign(slots_of(planned, interfaces_)); }

void inspection_module::install(std::deque<port>&) {
  auto const rules = input_of(config_);
  auto const key = random_hash_key();
  auto made = make_regex_engines(rules.rules, engines());
  auto late = take_late_engine(made);
  auto const make = [&](regex_engines of_cpu, std::size_t pipelines, table_place const& place) {
    return std::make_unique<inspection_table>(rules, std::move(of_cpu), config_.sizes, key, pipelines, place);
  };
  tables_.install([&](std::size_t pipelines) { return make(std::move(made), pipelines, table_place{}); },
                  [&](std::size_t pipelines, table_place const& place) { return make({}, pipelines, place); });
  rules_of_set_.fill(config_.rules);
  late_.prepare(tables_.cpu().set_in_force(), *config_.rules, std::move(late));
}

std::unique_ptr<inspect::regex_library> inspection_module::take_late_engine(regex_engines& engines) const {
  if (engines.size() == tables_.pipelines()) return nullptr;
  auto last = std::move(engines.back());
  engines.pop_back();
  return last;
}

void inspection_module::maintain(control_time now, maintain_budget budget) {
  now_ = now;
  set_clock();
  auto const most = std::min(budget.entries, alerts_at_once);
  read_alerts(std::max(most / static_cast<std::uint32_t>(tables_.pipelines()), 1U));
  judge_late(late_packets_at_once);
  log_.flush();
}

void inspection_module::set_clock() {
  using sixty_fourths = std::chrono::duration<std::uint64_t, std::ratio<1, 64>>;
  auto const now = std::chrono::duration_cast<sixty_fourths>(now_).count();
  if (now == clock_) return;
  bool const is_for_gpus = now / inspection_parts::gpu_step != clock_ / inspection_parts::gpu_step;
  clock_ = now;
  tables_.cpu().set_clock(now);
  if (!is_for_gpus) return;
  for (auto const& one : tables_.gpus()) one->set_clock(now);
}

void inspection_module::finish(control_time now) {
  now_ = now;
  read_all();
  log_.finish();
}

// Alerts of GPUs are in the host's memory.
void inspection_module::read_alerts(std::uint32_t most) {
  tables_.for_each_part([&](inspection_table& of, std::size_t part, std::size_t pipeline) {
    (void)of.journal().read(part, most, [&](inspection_parts::alert const& seen) {
      bool const has_packet = of.take_packet(part, seen, packet_);
      write_alert(seen, pipeline, std::span<std::byte const>{packet_}.first(has_packet ? packet_.size() : 0));
    });
  });
}

// The pipelines take turns to be the first one: a flood on one takes no other's place.
void inspection_module::judge_late(std::uint32_t most) {
  auto const pipelines = tables_.pipelines();
  if (!tables_.has_gpus() || pipelines == 0) return;
  for (std::size_t i = 0; i < pipelines && most != 0; ++i) {
    auto const pipeline = (late_from_ + i) % pipelines;
    auto const part = tables_.slot(pipeline).on_gpu;
    most -= tables_.gpu_of(pipeline).late()->read(part, most, [&](inspection_parts::late_packet const& seen) {
      if (late_.judge(seen)) write_alert(seen.what, pipeline, {});
    });
  }
  late_from_ = (late_from_ + 1) % pipelines;
}

void inspection_module::read_all() {
  read_alerts(alert_journal::records);
  judge_late(late_journal::records * static_cast<std::uint32_t>(tables_.pipelines()));
}

void inspection_module::write_alert(inspection_parts::alert const& seen, std::size_t pipeline,
                                    std::span<std::byte const> packet) {
  ++written_;
  if (!log_.is_open()) return;
  auto const& rules = *rules_of_set_.at(seen.flags & inspection_parts::alert_flag::second_set);
  log_.put(alert_line(seen, rules.rules, tables_.slot(pipeline).interface, std::chrono::system_clock::now(), packet));
}

void inspection_module::on_gpu_lost(int gpu) {
  log().warn("inspect: GPU {} had the state of flows; the CPU begins without any", gpu);
  tables_.for_each_on(gpu, [](inspection_table& of) { of.pass_unfinished(); });
}

void inspection_module::abandon() { tables_.abandon(); }

std::unique_ptr<module_change> inspection_module::change_to(std::shared_ptr<network_config const> wanted) {
  return std::make_unique<inspection_change>(*this, std::move(wanted));
}

void inspection_module::settle_set(std::size_t set) {
  read_all();
  auto const& rules = *rules_of_set_.at(set);
  for (auto const* const one : tables_.tables(readable::all)) settled_.add(rules.rules, one->counted(set));
  settled_.add(rules.rules, late_.counted(set));
}

void inspection_module::prepare_rules(inspection_config const& wanted, regex_engines engines) {
  auto const next = tables_.cpu().set_in_force() ^ 1;
  auto const rules = input_of(wanted);
  // First, because it may throw, and then nothing is settled.
  for (auto const& one : tables_.gpus()) one->check_room(rules);
  settle_set(next);
  auto late = take_late_engine(engines);
  // The table with less room comes first.
  for (auto const& one : tables_.gpus()) one->prepare(rules, {});
  tables_.cpu().prepare(rules, std::move(engines));
  rules_of_set_.at(next) = wanted.rules;
  late_.prepare(next, *wanted.rules, std::move(late));
}

void inspection_module::publish_rules(inspection_config wanted) {
  for (auto const& one : tables_.gpus()) one->publish();
  tables_.cpu().publish();
  config_ = std::move(wanted);
}

inspection_totals inspection_module::totals(readable what) const {
  auto const& cover = config_.rules->cover;
  inspection_totals all{.rules = cover.rules, .usable = cover.usable, .verdicts = config_.verdicts};
  auto tally = settled_;
  for (auto const* const one : tables_.tables(what)) {
    for (std::size_t set = 0; set < rules_of_set_.size(); ++set) {
      tally.add(rules_of_set_.at(set)->rules, one->counted(set));
    }
    all.add(one->counted());
    all.lost += one->journal().lost();
    if (one->late() != nullptr) all.late_lost += one->late()->lost();
  }
  for (std::size_t set = 0; set < rules_of_set_.size(); ++set) {
    tally.add(rules_of_set_.at(set)->rules, late_.counted(set));
  }
  all.late = late_.counts();
  all.packets.alerts += all.late.alerts;
  all.streams = tables_.cpu().streams();
  all.matched_rules = tally.size();
  all.busiest = tally.busiest(most_shown_rules);
  all.read = written_;
  return all;
}

bool inspection_module::count(readable what) {
  counted_ = totals(what);
  return true;
}

void inspection_module::add_report(telemetry::run_report& to) {
  to.parts.push_back(std::make_shared<inspection_report>(std::exchange(counted_, {})));
}

memory_work inspection_module::memory(run_view const&) {
  return [this](std::vector<memory_row>& to) {
    to.push_back(tables_.memory("inspect"));
    auto const& bounds = config_.sizes.streams;
    if (bounds.streams == 0) return true;
    auto const use = tables_.cpu().streams();
    to.push_back({.what = "inspect streams",
                  .unit = "connections",
                  .used = use.streams,
                  .room = bounds.streams,
                  .bytes = use.bytes});
    return true;
  };
}

}  // namespace packetwarp
