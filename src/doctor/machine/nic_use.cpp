// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/nic_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "doctor/machine/text.h"

namespace packetwarp::doctor {
namespace {

constexpr std::string_view interfaces_folder = "/sys/class/net";

[[nodiscard]] bool is_zero(std::string_view digits) { return digits.find_first_not_of('0') == digits.npos; }

// The columns of route(8): interface, destination, ..., mask as the eighth word of a line.
[[nodiscard]] bool is_default_of_ipv4(std::vector<std::string_view> const& words, std::string_view interface) {
  return words.size() >= 8 && words[0] == interface && is_zero(words[1]) && is_zero(words[7]);
}

// The columns: destination, its prefix's length, ..., and the interface at the end.
[[nodiscard]] bool is_default_of_ipv6(std::vector<std::string_view> const& words, std::string_view interface) {
  return words.size() >= 10 && words.back() == interface && is_zero(words[0]) && is_zero(words[1]);
}

template <class IsDefault>
[[nodiscard]] bool has_route(machine_reader const& files, std::string_view path, IsDefault is_default) {
  if (!files.has(path)) return false;
  auto const text = files.text(path);
  return std::ranges::any_of(lines_of(text), [&](auto line) { return is_default(words_of(line)); });
}

[[nodiscard]] bool has_default_route(machine_reader const& files, std::string_view interface) {
  return has_route(files, "/proc/net/route", [&](auto const& words) { return is_default_of_ipv4(words, interface); }) ||
         has_route(files, "/proc/net/ipv6_route",
                   [&](auto const& words) { return is_default_of_ipv6(words, interface); });
}

[[nodiscard]] bool is_up(machine_reader const& files, std::string_view interface) {
  constexpr std::uint64_t iff_up = 1;  // netdevice(7)
  auto const flags = fmt::format("{}/{}/flags", interfaces_folder, interface);
  return !files.has(flags) || (files.number(flags) & iff_up) != 0;
}

// The interfaces of a NIC, including those of drivers with a device of their own in between (virtio).
[[nodiscard]] std::vector<std::string> interfaces_of(machine_reader const& files, pci_device const& nic) {
  auto all = nic.interfaces;
  for (auto const& name : files.names(nic.folder)) {
    if (!name.starts_with("virtio")) continue;
    for (auto& one : files.names(fmt::format("{}/{}/net", nic.folder, name))) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

nic_use use_of(machine_reader const& files, pci_device const& nic) {
  using enum nic_use::degree;
  if (nic.driver.empty() || nic.driver == "vfio-pci") return {};
  auto const interfaces = interfaces_of(files, nic);
  for (auto const& one : interfaces) {
    if (has_default_route(files, one)) return {default_route, one + " carries the default route"};
  }
  for (auto const& one : interfaces) {
    if (!files.target(fmt::format("{}/{}/master", interfaces_folder, one)).empty())
      return {up, one + " is part of another interface"};
    if (is_up(files, one)) return {up, one + " is up"};
  }
  if (interfaces.empty()) return {up, "another network namespace may have its interface"};
  return {};
}

}  // namespace packetwarp::doctor
