// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/cpu_list.h"

namespace packetwarp {

// The lcores that the EAL's words ask for.
struct requested_lcores {
  struct lcore {
    unsigned id{};
    cpu_list cpus{};
  };
  std::string option;         // "-l", "--lcores", "-c"; empty: no option, and the EAL takes every CPU
  std::vector<lcore> lcores;  // in order of their numbers
  [[nodiscard]] cpu_list cpus() const;
};

// Reads the lcores. Throws usage_error if the EAL does not accept the option's value. Pure.
[[nodiscard]] requested_lcores read_requested_lcores(std::span<std::string const> words);

// The CPUs on which a thread of this process can run: the online CPUs of its control group.
[[nodiscard]] cpu_list usable_cpus();

// Throws usage_error for lcores on CPUs that are not usable, which the EAL refuses in a message of its own or, in a
// container, by an abort. Pure.
void require_usable_cpus(requested_lcores const& asked, cpu_list const& usable);

// The words without -l, --lcores, -c and --main-lcore. Pure.
[[nodiscard]] std::vector<std::string> without_lcores(std::span<std::string const> words);

}  // namespace packetwarp
