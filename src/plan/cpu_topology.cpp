// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/cpu_topology.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace packetwarp {
namespace {

[[nodiscard]] cpu_list read_list(std::filesystem::path const& file) {
  std::string line;
  std::getline(std::ifstream{file}, line);
  return parse_cpu_list(line).value_or(cpu_list{});
}

}  // namespace

cpu_list cpu_topology::core_of(unsigned cpu) const {
  for (auto const& core : shared_cores) {
    if (std::binary_search(core.begin(), core.end(), cpu)) return core;
  }
  return {cpu};
}

cpu_topology read_cpu_topology(std::filesystem::path const& root) {
  auto const cpus = root / "sys/devices/system/cpu";
  cpu_topology found{.shared_cores = {}, .isolated = read_list(cpus / "isolated")};
  for (auto const cpu : read_list(cpus / "online")) {
    auto core = read_list(cpus / ("cpu" + std::to_string(cpu)) / "topology/thread_siblings_list");
    if (core.size() > 1 && core.front() == cpu) found.shared_cores.push_back(std::move(core));
  }
  return found;
}

}  // namespace packetwarp
