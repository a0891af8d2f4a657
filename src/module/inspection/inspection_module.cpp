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

// The end waits this long for a disk or a reader that takes nothing.
constexpr std::chrono::seconds alert_log_patience{2};
// Alerts of all pipelines per loop iteration: a line takes some microseconds to make.
constexpr std::uint32_t alerts_at_once = 256;
// An expression may take a thousandth of a second before it ends at its bound.
constexpr std::uint32_t late_packets_at_once = 4;
constexpr std::size_t most_shown_rules = 1000;

}  // namespace

inspection_module::inspection_module(inspection_config const& config, module_surroundings const& around)
    : config_{config}, places_{around.places} {
  for (auto const& one : around.config->interfaces) interfaces_.push_back(one.name);
  if (auto const why = text_of_unusable(config.rules->cover); !why.empty()) log().warn("inspect: {}", why);
  if (auto const what = text_of_replaced(config.rules->cover); !what.empty()) log().warn("inspect: {}", what);
  open_log();
}

void inspection_module::prepare(plan& planned) {
  std::vector<std::size_t> of_gpu(std::max<std::size_t>(places_.size(), 1));
  for (auto const& one : planned.pipelines) {
    auto const port = std::find_if(planned.ports.begin(), planned.ports.end(),
                                   [&](auto const& its) { return its.facts.id == one.rx_port; });
    seats_.push_back({.gpu = one.gpu_position,
                      .on_gpu = of_gpu.at(one.gpu_position)++,
                      .interface = interfaces_.at(static_cast<std::size_t>(port - planned.ports.begin()))});
  }
}

void inspection_module::open_log() {
  if (config_.events.empty()) return;
  try {
    log_.emplace(fmt::format("inspect events {}", config_.events), make_log_file(config_.events), config_.events_room);
  } catch (failure const& wrong) {
    throw failure(fmt::format("inspect events: {}", wrong.what()));
  }
}

// An executor on a GPU and the one that takes over from it share no state, but have one key.
void inspection_module::install(std::deque<port>&) {
  auto const rules = input_of(config_);
  auto const key = random_hash_key();
  auto made = make_regex_engines(rules.rules, engines());
  auto late = take_late_engine(made);
  cpu_ = std::make_unique<inspection_table>(rules, std::move(made), config_.sizes, key, seats_.size(), table_place{});
  std::size_t gpu = 0;
  for (auto const& place : places_) {
    auto const here = std::count_if(seats_.begin(), seats_.end(), [gpu](auto const& one) { return one.gpu == gpu; });
    gpus_.push_back(std::make_unique<inspection_table>(rules, regex_engines{}, config_.sizes, key,
                                                       static_cast<std::size_t>(here), place));
    ++gpu;
  }
  rules_of_set_.fill(config_.rules);
  late_.prepare(cpu_->set_in_force(), *config_.rules, std::move(late));
}

std::unique_ptr<inspect::regex_library> inspection_module::take_late_engine(regex_engines& engines) const {
  if (engines.size() == seats_.size()) return nullptr;
  auto last = std::move(engines.back());
  engines.pop_back();
  return last;
}

void inspection_module::maintain(control_time now, maintain_budget budget) {
  now_ = now;
  set_clock();
  auto const most = std::min(budget.entries, alerts_at_once);
  read_alerts(std::max(most / static_cast<std::uint32_t>(seats_.size()), 1U));
  judge_late(late_packets_at_once);
  if (log_) log_->flush();
}

void inspection_module::set_clock() {
  using sixty_fourths = std::chrono::duration<std::uint64_t, std::ratio<1, 64>>;
  auto const now = std::chrono::duration_cast<sixty_fourths>(now_).count();
  if (now == clock_) return;
  bool const is_for_gpus = now / inspection_parts::gpu_step != clock_ / inspection_parts::gpu_step;
  clock_ = now;
  cpu_->set_clock(now);
  if (!is_for_gpus) return;
  for (auto const& one : gpus_) one->set_clock(now);
}

void inspection_module::finish(control_time now) {
  now_ = now;
  read_all();
  if (log_) log_->finish(alert_log_patience);
}

// Also for GPUs that are lost: their records are in the host's memory.
void inspection_module::read_alerts(std::uint32_t most) {
  for (std::size_t n = 0; n < seats_.size(); ++n) {
    auto const& at = seats_[n];
    read_alerts(*cpu_, n, n, most);
    if (!gpus_.empty()) read_alerts(*gpus_.at(at.gpu), at.on_gpu, n, most);
  }
}

void inspection_module::read_alerts(inspection_table& of, std::size_t n, std::size_t pipeline, std::uint32_t most) {
  (void)of.journal().read(n, most, [&](inspection_parts::alert const& seen) {
    bool const has_packet = of.take_packet(n, seen, packet_);
    write_alert(seen, pipeline, std::span<std::byte const>{packet_}.first(has_packet ? packet_.size() : 0));
  });
}

// The pipelines take turns to be the first one: a flood on one takes no other's place.
void inspection_module::judge_late(std::uint32_t most) {
  if (gpus_.empty()) return;
  for (std::size_t i = 0; i < seats_.size() && most != 0; ++i) {
    auto const pipeline = (late_from_ + i) % seats_.size();
    auto const& at = seats_[pipeline];
    most -= gpus_.at(at.gpu)->late()->read(at.on_gpu, most, [&](inspection_parts::late_packet const& seen) {
      if (late_.judge(seen)) write_alert(seen.what, pipeline, {});
    });
  }
  late_from_ = (late_from_ + 1) % seats_.size();
}

void inspection_module::read_all() {
  read_alerts(alert_journal::records);
  judge_late(late_journal::records * static_cast<std::uint32_t>(seats_.size()));
}

void inspection_module::write_alert(inspection_parts::alert const& seen, std::size_t pipeline,
                                    std::span<std::byte const> packet) {
  ++written_;
  if (!log_) return;
  auto const& rules = *rules_of_set_.at(seen.flags & inspection_parts::alert_flag::second_set);
  (void)log_->put(alert_line(seen, rules.rules, seats_[pipeline].interface, std::chrono::system_clock::now(), packet));
}

table_refs<inspection> inspection_module::stage::refs_at(stage_place const& place) const {
  auto const n = static_cast<std::size_t>(place.planned.id.value());
  auto cpu = of_.cpu_->ref(n);
  cpu.ingress = place.ingress;
  if (of_.gpus_.empty()) return {cpu, cpu};
  auto const& at = of_.seats_.at(n);
  auto gpu = of_.gpus_.at(at.gpu)->ref(at.on_gpu);
  gpu.ingress = place.ingress;
  return {cpu, gpu};
}

void inspection_module::on_gpu_lost(int gpu) {
  log().warn("inspect: GPU {} had the state of flows; the CPU begins without any", gpu);
  auto table = gpus_.begin();
  for (auto const& place : places_) {
    if (place.gpu == gpu) (*table)->pass_unfinished();
    ++table;
  }
}

void inspection_module::abandon() {
  for (auto const& one : gpus_) one->abandon();
}

std::unique_ptr<module_change> inspection_module::change_to(std::shared_ptr<network_config const> wanted) {
  return std::make_unique<inspection_change>(*this, std::move(wanted));
}

void inspection_module::settle_set(std::size_t set) {
  read_all();
  auto const& rules = *rules_of_set_.at(set);
  for (auto const* const one : tables(readable::all)) settled_.add(rules.rules, one->counted(set));
  settled_.add(rules.rules, late_.counted(set));
}

void inspection_module::prepare_rules(inspection_config const& wanted, regex_engines engines) {
  auto const next = cpu_->set_in_force() ^ 1;
  auto const rules = input_of(wanted);
  // First, because it may throw, and then nothing is settled.
  for (auto const& one : gpus_) one->check_room(rules);
  settle_set(next);
  auto late = take_late_engine(engines);
  // The table with less room comes first.
  for (auto const& one : gpus_) one->prepare(rules, {});
  cpu_->prepare(rules, std::move(engines));
  rules_of_set_.at(next) = wanted.rules;
  late_.prepare(next, *wanted.rules, std::move(late));
}

void inspection_module::publish_rules(inspection_config wanted) {
  for (auto const& one : gpus_) one->publish();
  cpu_->publish();
  config_ = std::move(wanted);
}

std::vector<inspection_table const*> inspection_module::tables(readable what) const {
  std::vector<inspection_table const*> all{cpu_.get()};
  if (what == readable::all) {
    for (auto const& one : gpus_) all.push_back(one.get());
  }
  return all;
}

inspection_totals inspection_module::totals(readable what) const {
  auto const& cover = config_.rules->cover;
  inspection_totals all{.rules = cover.rules, .usable = cover.usable, .verdicts = config_.verdicts};
  auto tally = settled_;
  for (auto const* const one : tables(what)) {
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
  all.streams = cpu_->streams();
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
    std::uint64_t gpu = 0;
    for (auto const& one : gpus_) gpu += one->bytes();
    memory_row row{.what = "inspect", .unit = "pipelines", .room = seats_.size(), .bytes = cpu_->bytes()};
    if (gpu != 0) row.gpu_bytes = gpu;
    to.push_back(std::move(row));
    auto const& bounds = config_.sizes.streams;
    if (bounds.streams == 0) return true;
    auto const use = cpu_->streams();
    to.push_back({.what = "inspect streams",
                  .unit = "connections",
                  .used = use.streams,
                  .room = bounds.streams,
                  .bytes = use.bytes});
    return true;
  };
}

}  // namespace packetwarp
