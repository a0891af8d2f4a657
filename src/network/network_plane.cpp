// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network_plane.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "module/modules.h"
#include "network/interface_check.h"
#include "network/network_twins.h"

namespace packetwarp {
namespace {

// The port of an interface, by its name, its number or its device.
[[nodiscard]] port_id port_of(network_config const& config, interface_config const& one, machine_facts const& machine) {
  std::string names;
  for (auto const& port : machine.ports) {
    if (port.name == one.device || std::to_string(port.id.value()) == one.device) return port.id;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", port.id.value(), port.name);
  }
  auto const of_device =
      std::ranges::find_if(machine.ports, [&](auto const& port) { return port.device == one.device; });
  if (of_device != machine.ports.end()) return of_device->id;
  throw usage_error(fmt::format("{}:{}: port '{}' does not exist; there are {}", config.file, one.line, one.device,
                                names.empty() ? "none: give a device (-a) or --vdev" : names));
}

}  // namespace

data_plane_config plane_of(network_config const& config, machine_facts const& machine) {
  auto plane = config.plane;
  for (auto const& one : config.interfaces) {
    auto const port = port_of(config, one, machine);
    // An interface may name a port that another names by its number: this shows only now.
    auto const same = std::find(plane.ports.begin(), plane.ports.end(), port);
    if (same != plane.ports.end()) {
      auto const& other = config.interfaces[static_cast<std::size_t>(same - plane.ports.begin())];
      throw usage_error(fmt::format("{}:{}: port '{}' is interface {}'s, as '{}'; give each interface a port",
                                    config.file, one.line, one.device, other.name, other.device));
    }
    plane.ports.push_back(port);
    plane.mtus.push_back(one.mtu);
  }
  for (auto& replay : plane.replays) {
    auto const named = std::find_if(config.interfaces.begin(), config.interfaces.end(),
                                    [&](auto const& one) { return one.name == replay.port; });
    if (named != config.interfaces.end()) replay.port = named->device;
  }
  plane.twins = twins_of(config, plane.ports, machine);
  for (auto const* const kind : module_kinds()) kind->adjust(config, plane);
  return plane;
}

plan plan_of(network_config const& config, machine_facts const& machine) {
  auto planned = make_plan(plane_of(config, machine), machine);
  check_interfaces(config, planned);
  auto const port = kni_port_without_twin(planned);
  if (!port) return planned;
  throw usage_error(fmt::format(
      "{}: a kni worker serves kernel interfaces, and port {} has none beside it; give its interface 'kernel: true'",
      planned.kni->place, port->value()));
}

}  // namespace packetwarp
