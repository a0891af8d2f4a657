// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "base/cpu_list.h"

namespace packetwarp {

// The kernel's facts about CPUs that matter to workers.
struct cpu_topology {
  std::vector<cpu_list> shared_cores;  // CPUs of one core (hyperthreads), of each core that has several
  cpu_list isolated;                   // CPUs that the scheduler leaves alone unless asked (isolcpus)

  // The CPUs of a CPU's core: only itself if it shares none.
  [[nodiscard]] cpu_list core_of(unsigned cpu) const;
};

// The facts about this machine; unknown ones are empty. root: of another file system, for tests.
[[nodiscard]] cpu_topology read_cpu_topology(std::filesystem::path const& root = "/");

}  // namespace packetwarp
