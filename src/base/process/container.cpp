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

// A number in a group's file; nothing for "max", for version 1's "none", and without the file.
[[nodiscard]] std::optional<std::uint64_t> number_in(fs::path const& file) {
  std::uint64_t number = 0;
  std::ifstream in{file};
  return in >> number && number < no_limit ? std::optional{number} : std::nullopt;
}

// Calls take(folder) for a group's folder and for those of its parents.
template <class Take>
void climb(fs::path const& hierarchy, std::string group, Take const& take) {
  while (true) {
    if (group == "/") group.clear();
    take(fs::path{hierarchy.string() + group});
    if (group.empty()) return;
    group.resize(group.rfind('/') == group.npos ? 0 : group.rfind('/'));
  }
}

enum class group_version : std::uint8_t { one, two };

// Calls take(folder, version) for each group of this process that may have the controller, and for their parents.
template <class Take>
void for_each_group(std::string_view controller, fs::path const& root, Take const& take) {
  auto const mount = root / "sys/fs/cgroup";
  std::ifstream groups{root / "proc/self/cgroup"};
  // Lines are "4:memory:/a/b", in version 2 "0::/a/b".
  for (std::string line; std::getline(groups, line);) {
    auto const first = line.find(':');
    auto const second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    auto const group = line.substr(second + 1);
    if (controllers.empty()) climb(mount, group, [&](auto const& folder) { take(folder, group_version::two); });
    if (has_item(controllers, controller)) {
      climb(mount / controller, group, [&](auto const& folder) { take(folder, group_version::one); });
    }
  }
}

void take_smallest(std::optional<std::uint64_t> number, std::optional<std::uint64_t>& smallest) {
  if (number) smallest = std::min(*number, smallest.value_or(*number));
}

// Bytes of caches that the kernel gives up when a group needs its memory: lines "inactive_file 4096" of memory.stat.
[[nodiscard]] std::uint64_t caches(fs::path const& stat, std::string_view prefix) {
  std::ifstream in{stat};
  std::uint64_t bytes = 0, number = 0;
  for (std::string name; in >> name >> number;) {
    if (!name.starts_with(prefix)) continue;
    auto const rest = std::string_view{name}.substr(prefix.size());
    if (rest == "inactive_file" || rest == "active_file" || rest == "slab_reclaimable") bytes += number;
  }
  return bytes;
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
  for_each_group(controller, root, [&](fs::path const& folder, group_version version) {
    take_smallest(number_in(folder / (version == group_version::two ? file : file_v1)), smallest);
  });
  return smallest;
}

std::optional<std::uint64_t> memory_left(fs::path const& root) {
  std::optional<std::uint64_t> smallest;
  for_each_group("memory", root, [&](fs::path const& folder, group_version version) {
    bool const is_two = version == group_version::two;
    auto const limit = number_in(folder / (is_two ? "memory.max" : "memory.limit_in_bytes"));
    if (!limit) return;
    auto const used = number_in(folder / (is_two ? "memory.current" : "memory.usage_in_bytes")).value_or(0);
    auto const kept = used - std::min(used, caches(folder / "memory.stat", is_two ? "" : "total_"));
    take_smallest(*limit - std::min(*limit, kept), smallest);
  });
  return smallest;
}

std::string_view memory_limit_name(surroundings where) {
  return where == surroundings::pod ? "resources.limits.memory of the container" : "memory.max of the control group";
}

}  // namespace packetwarp
