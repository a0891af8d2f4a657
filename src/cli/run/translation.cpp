// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/translation.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "burst/burst.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_sweep.h"

namespace packetwarp {

translation::translation(nat44_section const& section, router_table& routes, table_place place)
    : table_{section.config, place}, routes_{routes}, state_{section.state}, on_gpu_{place.gpu != table_place::host} {
  // Sessions may be made from now on. Without a clock the first tick would find them idle for half a year.
  table_.tick(seconds_);
  restore_state();
  if (!section.log.empty()) {
    log_.open(section.log, std::ios::app);
    if (!log_) throw failure(fmt::format("nat44 log: {} cannot be written to", section.log));
    table_.observe_with(nat::session_log{log_, section.config.log_one_in});
  }
  if constexpr (built_with_cuda) {
    if (on_gpu_) sweeper_ = std::make_unique<gpu_sweeper>(place.gpu);
  }
}

void translation::maintain(control_time now, bool gpu_failed) {
  auto const seconds = static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
  if (gpu_failed && on_gpu_) {
    on_gpu_ = false;
    table_.gpu_failed();
    log().warn("nat44: the CPU goes on with the {} sessions that the GPU has told of", table_.counts().live);
  }
  if (seconds != seconds_) {
    seconds_ = seconds;
    table_.tick(seconds);
    if (on_gpu_) sweep();
  }
  table_.maintain(4096);
  if (log_.is_open()) log_.flush();
}

void translation::restore_state() {
  if (state_.empty() || !std::filesystem::exists(state_)) return;
  try {
    log().info("nat44: {} sessions go on from {}", table_.restore(state_), state_);
  } catch (failure const& wrong) {
    throw usage_error(fmt::format("{}; take the file away to begin without", wrong.what()));
  }
}

void translation::save_state() {
  if (!state_.empty()) table_.save(state_);
}

void translation::sweep() {
  if constexpr (built_with_cuda) {
    // One that still goes on is enough: what it misses, the next finds.
    (void)sweeper_->start<nat44_sweep>(table_.gpu(), nat44_sweep::records(table_.config()));
  }
}

nat44::ref translation::tables_of(interface_index ingress) const {
  return {.routes = routes_.cpu(ingress), .nat = table_.cpu()};
}

control_hooks translation::hooks() {
  control_hooks made;
  made.destination = [this](rte_mbuf& packet, interface_index ingress) {
    return nat44::destination_of(view_of(packet), tables_of(ingress));
  };
  return made;
}

}  // namespace packetwarp
