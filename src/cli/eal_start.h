// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "memory/eal_session.h"
#include "plan/plan.h"

namespace packetwarp {

// Checks the EAL's words before it starts: throws usage_error for lcores on CPUs that this process may not use, and for
// virtual devices without a driver, a free socket or a readable capture; failure for one whose interface is not there.
// Returns a line for each capture that was cut short.
[[nodiscard]] std::vector<std::string> check_eal_words(std::span<std::string const> words);

// Starts the EAL with the call's EAL options, completed for this machine; changes to them are logged. Every network
// device that the call names is a port afterwards. Throws usage_error or failure.
[[nodiscard]] std::unique_ptr<eal_session> start_eal(invocation const& call);

// The EAL for a plan, which may be for another machine.
struct planning_eal {
  std::unique_ptr<eal_session> session;
  std::vector<lcore_facts> lcores;  // the requested ones, the main one first, if this machine lacks some; else empty
  std::string notice;               // names the lcores that it lacks
};
// Starts the EAL with ports that write nothing, beside a running packetwarp or another program of DPDK: it shares no
// files with them, and ports that another program has are refused. If this machine lacks requested CPUs, the EAL gets a
// CPU that it has.
[[nodiscard]] planning_eal start_eal_for_plan(invocation call);

}  // namespace packetwarp
