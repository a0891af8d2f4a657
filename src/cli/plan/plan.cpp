// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/l2fwd/options.h"
#include "cli/plan/options.h"
#include "cli/replay_option.h"
#include "cli/run/network_plane.h"
#include "port/capture_file.h"

namespace packetwarp {
namespace {

// The EAL with the call's ports, which write nothing.
[[nodiscard]] std::unique_ptr<eal_session> start_for_reading(invocation call) {
  std::ranges::transform(call.eal, call.eal.begin(), without_outputs);
  return start_eal(call);
}

int plan_network(invocation call, std::string const& file) {
  auto const config = read_network_config(file);
  if (call.eal.empty()) call.eal = config.eal;
  auto const eal = start_for_reading(call);
  auto const machine = read_machine(config.plane.executor);
  auto const made = make_plan(plane_of(config, machine), machine);
  std::vector<std::string> names;
  for (auto const& one : config.interfaces) names.push_back(one.name);
  fmt::print("{}\n{}", draw(made, names), describe(made));
  if (config.nat44) fmt::print("{}", describe_shares(config.nat44->config));
  return exit_success;
}

}  // namespace

int run_plan(invocation const& given) {
  auto const [call, config] = parse_plan_options(given);
  if (config) return plan_network(call, *config);
  auto options = parse_l2fwd_options(call);
  read_replays(options.plane);
  auto const eal = start_for_reading(call);
  fmt::print("{}", describe(make_plan(options.plane, read_machine(options.plane.executor))));
  return exit_success;
}

}  // namespace packetwarp
