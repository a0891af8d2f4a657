// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/network_twins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "address/link_local.h"
#include "base/error.h"
#include "module/chain.h"

namespace packetwarp {
namespace {

[[nodiscard]] bool has(std::vector<ip_prefix> const& prefixes, ip_address const& address) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto const& one) { return one.address == address; });
}

[[noreturn]] void refuse(network_config const& config, twin_section const& section, std::string const& why) {
  throw usage_error(fmt::format("{}:{}: kernel: {}", config.file, section.line, why));
}

[[nodiscard]] wire::mac_address mac_of(interface_config const& one, port_id port, machine_facts const& machine) {
  if (one.mac) return *one.mac;
  // The port exists: the plan has found it.
  return std::find_if(machine.ports.begin(), machine.ports.end(), [&](auto const& p) { return p.id == port; })->mac;
}

// A MAC address belongs to one host: a twin with a MAC address of its own would announce the interface's addresses by
// it.
void require_own_addresses(network_config const& config, interface_config const& its, twin_config const& twin) {
  for (auto const& [address, length] : twin.addresses) {
    if (!has(its.addresses, address)) continue;
    refuse(config, *its.twin,
           fmt::format("{} is the interface's, which has another MAC address; give it an address of its own, or leave "
                       "out its 'mac'",
                       to_text(address)));
  }
}

void require_free_addresses(network_config const& config, interface_config const& its, twin_config const& twin) {
  for (auto const& other : config.interfaces) {
    if (other.name == its.name) continue;
    for (auto const& [address, length] : twin.addresses) {
      if (is_link_local(address)) continue;  // is unique on its own link only
      bool const is_others = has(other.addresses, address) ||
                             (other.twin && other.twin->addresses && has(*other.twin->addresses, address));
      if (is_others) refuse(config, *its.twin, fmt::format("{} is interface {}'s", to_text(address), other.name));
    }
  }
}

// The kernel has one route per prefix and metric.
void require_announced_once(std::vector<twin_config> const& before, network_config const& config,
                            twin_section const& section) {
  std::vector<ip_prefix> taken;
  for (auto const& twin : before) {
    for (auto const& one : twin.announced) taken.push_back(one.to);
  }
  for (auto const& one : section.announced) {
    if (std::find(taken.begin(), taken.end(), one.to) != taken.end()) {
      refuse(config, section, fmt::format("announce: {} is announced twice; give it once", to_text(one.to)));
    }
    taken.push_back(one.to);
  }
}

// A kernel that has IPv6 makes a link-local address by itself; a setting decides whether it is the interface's.
void add_link_local(twin_config& twin, wire::mac_address const& port_mac) {
  bool const has_ipv6 = std::any_of(twin.addresses.begin(), twin.addresses.end(), [](auto const& one) {
    return std::holds_alternative<wire::ipv6_address>(one.address);
  });
  auto const link_local = link_local_of(port_mac);
  if (has_ipv6 && twin.mac == port_mac && !has(twin.addresses, link_local.address)) {
    twin.addresses.push_back(link_local);
  }
}

// Packets of address flows bypass all stages. Routes alone would hand them to the kernel too; other stages may drop or
// translate them.
[[nodiscard]] std::string deciding_stages_of(function_facts const& chain) {
  if (is_routed(chain) && chain.stages.size() == 1) return {};
  return fmt::format("{}", fmt::join(chain.stages, ", "));
}

[[nodiscard]] std::vector<ip_address> flows_of(network_config const& config, twin_section const& section,
                                               twin_config const& twin) {
  auto const& addresses = twin.addresses;
  std::vector<ip_address> flows;
  if (!section.flows) {
    if (!twin.stages.empty()) return flows;
    for (auto const& one : addresses) flows.push_back(one.address);
    return flows;
  }
  for (auto const& flow : *section.flows) {
    if (!has(addresses, flow)) {
      refuse(config, section, fmt::format("flows: the kernel interface has no address {}", to_text(flow)));
    }
  }
  return *section.flows;
}

}  // namespace

std::vector<twin_config> twins_of(network_config const& config, std::span<port_id const> ports,
                                  machine_facts const& machine) {
  std::vector<twin_config> all;
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    auto const& one = config.interfaces[i];
    if (!one.twin) continue;
    auto const& section = *one.twin;
    auto const mac = mac_of(one, ports[i], machine);
    twin_config made{.port = ports[i],
                     .interface = section.name,
                     .mac = section.mac.value_or(mac),
                     .mtu = one.mtu,
                     .driver = section.driver,
                     .addresses = section.addresses.value_or(one.addresses),
                     .announced = section.announced,
                     .flows = {},
                     .stages = deciding_stages_of(*config.plane.function)};
    if (!(made.mac == mac)) require_own_addresses(config, one, made);
    require_free_addresses(config, one, made);
    require_announced_once(all, config, section);
    made.flows = flows_of(config, section, made);
    add_link_local(made, mac);
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<interface_index> interfaces_with_twin(network_config const& config) {
  std::vector<interface_index> all;
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    if (config.interfaces[i].twin) all.push_back(interface_index{static_cast<std::uint16_t>(i)});
  }
  return all;
}

}  // namespace packetwarp
