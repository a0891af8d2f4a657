// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/requested_device.h"

#include <fmt/format.h>
#include <rte_ethdev.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/error.h"
#include "base/process/container.h"
#include "base/units.h"
#include "port/driver/driver_traits.h"

namespace packetwarp {
namespace {

[[nodiscard]] requested_device parse_device(std::string_view text) {
  requested_device device{.text = std::string{text}, .name = {}, .arguments = {}};
  auto const take_field = [&] {
    auto const field = text.substr(0, text.find(','));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    return field;
  };
  device.name = take_field();
  while (!text.empty()) {
    auto const field = take_field();
    auto const equals = field.find('=');
    auto const value = equals == std::string_view::npos ? std::string_view{} : field.substr(equals + 1);
    device.arguments.emplace_back(field.substr(0, equals), value);
  }
  return device;
}

}  // namespace

std::vector<std::string> requested_device::values_of(std::string_view key) const {
  std::vector<std::string> values;
  for (auto const& [given, value] : arguments) {
    if (given == key) values.push_back(value);
  }
  return values;
}

std::vector<requested_device> requested_devices(std::span<std::string const> words) {
  constexpr std::string_view joined = "--vdev=";
  std::vector<requested_device> devices;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view const word{words[i]};
    if (word.starts_with(joined)) {
      devices.push_back(parse_device(word.substr(joined.size())));
    } else if (word == "--vdev" && i + 1 < words.size()) {
      devices.push_back(parse_device(words[++i]));
    }
  }
  return devices;
}

namespace {

// The words that follow a driver's line about memory that it could not lock (MAP_LOCKED); empty if that is not the
// reason.
[[nodiscard]] std::string lock_remedy(std::string_view reason) {
  rlimit limit{};
  bool const is_limited = reason.find("mmap failed") != reason.npos && ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
                          limit.rlim_cur != RLIM_INFINITY;
  if (!is_limited) return {};
  auto const may = fmt::format("; this process may lock {} of memory", format_size(limit.rlim_cur));
  switch (find_surroundings()) {
    case surroundings::pod:
      return may + ": add IPC_LOCK to securityContext.capabilities.add of the container";
    case surroundings::container:
      return may + ": start the container with --ulimit memlock=-1";
    case surroundings::machine:
      break;
  }
  return may + ": give it more (ulimit -l unlimited, or LimitMEMLOCK=infinity of its systemd service)";
}

}  // namespace

void require_ports_of(std::span<requested_device const> devices, eal_log& lines) {
  for (auto const& device : devices) {
    std::uint16_t id = 0;
    if (!has_name_of_virtual_port(device.name) || rte_eth_dev_get_port_by_name(device.name.c_str(), &id) == 0) continue;
    auto const reason = reason_in(lines.take());
    throw failure(fmt::format(
        "--vdev={}: the driver made no port: {}", device.text,
        reason.empty() ? "it does not say why; look at its arguments and their values" : reason + lock_remedy(reason)));
  }
}

}  // namespace packetwarp
