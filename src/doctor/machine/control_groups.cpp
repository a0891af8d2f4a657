// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/control_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

[[nodiscard]] bool has_item(std::string_view list, std::string_view item) {
  auto const items = split(list, ",");
  return std::find(items.begin(), items.end(), item) != items.end();
}

// The mount of a hierarchy: without a controller, that of version 2.
[[nodiscard]] std::optional<std::string> mount_of(machine_reader const& files, std::string_view controller) {
  auto const mounts = files.text("/proc/mounts");
  for (auto const line : lines_of(mounts)) {
    auto const words = words_of(line);
    if (words.size() < 4) continue;
    bool const is_it =
        controller.empty() ? words[2] == "cgroup2" : words[2] == "cgroup" && has_item(words[3], controller);
    if (is_it) return std::string{words[1]};
  }
  return std::nullopt;
}

// This process's group in the hierarchy: lines are "4:memory:/a/b", in version 2 "0::/a/b".
[[nodiscard]] std::string group_of(machine_reader const& files, std::string_view controller) {
  auto const groups = files.text("/proc/self/cgroup");
  for (auto const line : lines_of(groups)) {
    auto const first = line.find(':');
    auto const second = line.find(':', first == line.npos ? first : first + 1);
    if (second == line.npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : has_item(controllers, controller)) {
      return std::string{line.substr(second + 1)};
    }
  }
  return "/";
}

void add_files(machine_reader const& files, std::string_view controller, std::string_view name,
               std::vector<std::string>& into) {
  auto const mount = mount_of(files, controller);
  if (!mount) return;
  auto group = group_of(files, controller);
  while (true) {
    if (group == "/") group.clear();
    auto path = fmt::format("{}{}/{}", *mount, group, name);
    if (files.has(path)) into.push_back(std::move(path));
    if (group.empty()) return;
    auto const slash = group.rfind('/');
    group.resize(slash == group.npos ? 0 : slash);
  }
}

}  // namespace

std::vector<std::string> group_files(machine_reader const& files, std::string_view controller, std::string_view name,
                                     std::string_view name_v1) {
  std::vector<std::string> found;
  add_files(files, {}, name, found);
  add_files(files, controller, name_v1, found);
  return found;
}

}  // namespace packetwarp::doctor
