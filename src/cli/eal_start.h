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

// Checks the EAL's words before it starts: throws usage_error for lcores on CPUs that this process may not use, virtual
// devices without a driver, an interface or a readable capture. Gives a line for each capture that was cut short.
[[nodiscard]] std::vector<std::string> check_eal_words(std::span<std::string const> words);

// Starts the EAL with the call's EAL options, completed for this machine; what had to be changed is logged. Every
// network device that the call names is a port afterwards. Throws usage_error or failure.
[[nodiscard]] std::unique_ptr<eal_session> start_eal(invocation const& call);

// The EAL for a plan, which may be another machine's.
struct planning_eal {
  std::unique_ptr<eal_session> session;
  std::vector<lcore_facts>
      lcores;          // that were asked for, the main one first, where this machine lacks some; else empty
  std::string notice;  // which it lacks
};
// With ports that write nothing. Where this machine lacks CPUs that are asked for, the EAL gets one that it has.
[[nodiscard]] planning_eal start_eal_for_plan(invocation call);

}  // namespace packetwarp
