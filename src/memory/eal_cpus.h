// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
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

// The CPUs on which the calling thread may run now: Cpus_allowed_list of /proc/self/status. In a container these are
// its cpuset.
[[nodiscard]] cpu_list allowed_cpus();

// The value of -l, --lcores and a file's `lcores` that stands for the allowed CPUs.
inline constexpr std::string_view allowed_lcores = "allowed";

// The words with `-l allowed` replaced by an lcore for each allowed CPU; as many words as before. The lcores have the
// numbers of their CPUs, unless a CPU's number is too high for an lcore. The first one is the master. Throws
// usage_error for fewer than two CPUs: the master would share one with a worker. Pure.
[[nodiscard]] std::vector<std::string> with_allowed_lcores(std::span<std::string const> words, cpu_list allowed);

// Throws usage_error for lcores on CPUs that are not usable, which the EAL refuses in a message of its own or, in a
// container, by an abort. Pure.
void require_usable_cpus(requested_lcores const& asked, cpu_list const& usable);

// The words without -l, --lcores, -c and --main-lcore. Pure.
[[nodiscard]] std::vector<std::string> without_lcores(std::span<std::string const> words);

}  // namespace packetwarp
