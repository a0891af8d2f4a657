// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/interface_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "port/driver/ring_entry.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

// The reason for which packets of this MTU are lost, with the remedy; empty: none are.
[[nodiscard]] std::string loss_of(port_facts const& facts, std::uint32_t mtu) {
  if (facts.ring_room != 0 && mtu > facts.ring_room) {
    auto const most = facts.interface_mtu != 0 ? std::min(facts.ring_room, facts.interface_mtu) : facts.ring_room;
    return fmt::format("{} is more than the {} bytes of a packet that fit into the rings of {}; give 'mtu: {}' or less",
                       mtu, facts.ring_room, facts.name, most);
  }
  if (facts.interface_mtu != 0 && mtu > facts.interface_mtu) {
    return fmt::format(
        "{0} is more than the {1} of {2}, by which the packets leave; give 'mtu: {1}' or less, or run: ip link set {2} "
        "mtu {0}",
        mtu, facts.interface_mtu, facts.leaves_by);
  }
  if (facts.traits().is_stuck_by_long_packets && mtu > facts.default_mtu) {
    return fmt::format("{0} is more than the {1} of {2}, and its driver cannot change that; give 'mtu: {1}' or less",
                       mtu, facts.default_mtu, facts.name);
  }
  return {};
}

// Otherwise the driver refuses the mbufs, and says that memory is short.
void require_rings_that_fit(network_config const& config, interface_config const& one, port_facts const& facts,
                            std::uint32_t data_room) {
  auto const entry = ring_entry_of(facts.id, facts.traits());
  if (entry == 0) return;
  auto const needed = mbuf_room_of(entry);
  if (needed <= data_room) return;
  auto const most = data_room + (entry - needed);
  throw usage_error(
      fmt::format("{}:{}: interface {}: the rings of its port {} have entries of {} bytes, and packets have room for "
                  "those of {}; give its --vdev no framesz, or framesz={},blocksz={}",
                  config.file, one.line, one.name, facts.name, entry, most, most, blocks_of(most)));
}

void require_mac(network_config const& config, interface_config const& one, port_facts const& facts) {
  bool const is_usable = !facts.mac.is_group() && facts.mac.number() != 0;
  if (one.mac || one.addresses.empty() || is_usable) return;
  throw usage_error(
      fmt::format("{}:{}: interface {}: its port {} has the MAC address {}, which is no interface's; give it one, such "
                  "as 'mac: \"02:00:00:00:00:01\"'",
                  config.file, one.line, one.name, facts.name, wire::to_text(facts.mac)));
}

}  // namespace

void check_interfaces(network_config const& config, plan& planned) {
  for (std::size_t n = 0; n < config.interfaces.size(); ++n) {
    auto const& one = config.interfaces[n];
    auto const& facts = planned.ports.at(n).facts;
    require_mac(config, one, facts);
    require_rings_that_fit(config, one, facts, planned.pool.data_room);
    auto const loss = loss_of(facts, one.mtu);
    if (loss.empty()) continue;
    if (one.mtu_line != 0) {
      throw usage_error(fmt::format("{}:{}: interfaces[{}].mtu: {}", config.file, one.mtu_line, n, loss));
    }
    planned.notices.push_back(fmt::format("interface {}: the MTU of {}", one.name, loss));
  }
}

}  // namespace packetwarp
