// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "traffic/exchange.h"
#include "traffic/stl/program_job.h"

// The part of exchange that sends programs of TRex profiles.
namespace packetwarp::traffic {

void exchange::take_programs(std::vector<direction> const& directions) {
  auto const programs = config_.programs.size();
  if (programs != 1 && programs != directions.size()) {
    throw usage_error(fmt::format("--stl: {} profiles for {} port{} that send; give one for each, or one for all",
                                  programs, directions.size(), directions.size() == 1 ? "" : "s"));
  }
  for (auto const& one : directions) {
    if (one.queues != 1) throw usage_error("--stl: a profile is sent on one queue of a port, to keep its order");
  }
  config_.what.signatures = signing::off;
  inspection_ = stl::inspection::checksums;
  for (auto const& one : config_.programs) inspection_ = std::min(inspection_, stl::deepest_inspection(*one));
}

stl::program const& exchange::program_of(std::size_t way_number) const {
  return *config_.programs[config_.programs.size() == 1 ? 0 : way_number];
}

std::unique_ptr<generator> exchange::make_program_job(way const& to, std::string name,
                                                      sending_limits const& limits) const {
  auto const& from = port_of(to.plan.from);
  auto const& sent = program_of(ways_.size() - 1);
  auto const line = from.link_mbps() * 1e6;
  auto const loads = stl::loads_of(sent, line);
  auto const peak = stl::peak_of(sent, loads), fixed = stl::fixed_of(sent, loads);
  auto const factor = stl::factor_of(config_.faster, peak, fixed, line);
  stl::timeline times{sent, loads, factor, cycles_per_second()};
  if (config_.full == when_full::drop) times.limit_catch_up(most_flood, peak.packets * factor + fixed.packets);
  return std::make_unique<stl::program_job>(std::move(name), sent, std::move(times), from.tx(queue_id{0}), *pool_,
                                            limits);
}

}  // namespace packetwarp::traffic
