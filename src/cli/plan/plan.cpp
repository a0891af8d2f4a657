// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/l2fwd/options.h"
#include "cli/plan/options.h"
#include "cli/replay_option.h"
#include "cli/run/eal_section.h"
#include "cli/run/file/network_file.h"
#include "module/modules.h"
#include "network/kernel_forwarding.h"
#include "network/network_plane.h"

namespace packetwarp {
namespace {

// This machine's facts, with the lcores of the machine that the plan is for.
[[nodiscard]] machine_facts machine_of(planning_eal const& eal, executor_kind executor) {
  auto machine = read_machine(executor);
  if (eal.lcores.empty()) return machine;
  machine.main = eal.lcores.front();
  machine.others.assign(eal.lcores.begin() + 1, eal.lcores.end());
  return machine;
}

[[nodiscard]] plan with_notice_of(planning_eal const& eal, plan made) {
  if (!eal.notice.empty()) made.notices.push_back(eal.notice);
  return made;
}

int plan_network(invocation const& call, std::string const& file) {
  auto const read = read_network_file(file, require_no_stop);
  auto const& config = read.network;
  auto const eal = start_eal_for_plan(with_eal_of(read, call));
  auto const machine = machine_of(eal, config.plane.executor);
  auto made = with_notice_of(eal, plan_of(config, machine));
  std::ranges::move(forwarded_by_the_kernel(config, made), std::back_inserter(made.notices));
  for (auto const* const kind : module_kinds()) kind->check(config, made);
  std::vector<std::string> names;
  for (auto const& one : config.interfaces) names.push_back(one.name);
  fmt::print("{}\n{}", draw(made, names), describe(made));
  for (auto const* const kind : module_kinds()) fmt::print("{}", kind->describe(config));
  return exit_success;
}

}  // namespace

int run_plan(invocation const& given) {
  auto const [call, config] = parse_plan_options(given);
  if (config) return plan_network(call, *config);
  auto options = parse_l2fwd_options(call);
  if (!options.json.empty()) {
    throw usage_error(
        "--json: a plan is text on standard output; leave it out, or redirect that: packetwarp plan ... > FILE");
  }
  read_replays(options.plane);
  auto const eal = start_eal_for_plan(call);
  auto const machine = machine_of(eal, options.plane.executor);
  fmt::print("{}", describe(with_notice_of(eal, make_plan(options.plane, machine))));
  return exit_success;
}

}  // namespace packetwarp
