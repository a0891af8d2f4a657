// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/container.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

namespace packetwarp {
namespace {

namespace fs = std::filesystem;

// Version 1 says "none" by a number that no machine has.
constexpr std::uint64_t no_limit = std::uint64_t{1} << 62;

[[nodiscard]] bool has_item(std::string const& list, std::string_view item) {
  return (',' + list + ',').find(',' + std::string{item} + ',') != std::string::npos;
}

// The smallest number in files of this name in a group's folder and in those of its parents.
void take_smallest(fs::path const& hierarchy, std::string group, std::string_view file,
                   std::optional<std::uint64_t>& smallest) {
  while (true) {
    if (group == "/") group.clear();
    std::uint64_t bytes = 0;
    std::ifstream in{fs::path{hierarchy.string() + group} / file};
    if (in >> bytes && bytes < no_limit) smallest = std::min(bytes, smallest.value_or(bytes));
    if (group.empty()) return;
    group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
  }
}

}  // namespace

surroundings find_surroundings(fs::path const& root) {
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) return surroundings::pod;
  std::error_code ignored;
  for (auto const* file : {".dockerenv", "run/.containerenv"}) {
    if (fs::exists(root / file, ignored)) return surroundings::container;
  }
  return surroundings::machine;
}

std::optional<std::uint64_t> control_group_limit(std::string_view controller, std::string_view file,
                                                 std::string_view file_v1, fs::path const& root) {
  std::optional<std::uint64_t> smallest;
  auto const mount = root / "sys/fs/cgroup";
  std::ifstream groups{root / "proc/self/cgroup"};
  // Lines are "4:memory:/a/b", in version 2 "0::/a/b".
  for (std::string line; std::getline(groups, line);) {
    auto const first = line.find(':');
    auto const second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    auto const group = line.substr(second + 1);
    if (controllers.empty()) take_smallest(mount, group, file, smallest);
    if (has_item(controllers, controller)) take_smallest(mount / controller, group, file_v1, smallest);
  }
  return smallest;
}

}  // namespace packetwarp
