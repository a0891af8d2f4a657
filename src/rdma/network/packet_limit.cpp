// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/packet_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "port/driver/ring_entry.h"
#include "port/interface_state.h"

namespace packetwarp::rdma {
namespace {

[[nodiscard]] std::uint32_t mtu_of(port_facts const& facts) {
  if (auto const mtu = mtu_of_interface(facts.kernel_interface)) return *mtu;
  throw failure(fmt::format("rdma: port {}: the MTU of interface {} cannot be read: {}", facts.name,
                            facts.kernel_interface, std::strerror(errno)));
}

}  // namespace

packet_limit packet_limit_of(port_facts const& facts) {
  auto const entry = ring_entry_of(facts.id, facts.traits());
  if (entry == 0)
    return {.as_it_is = facts.default_mtu, .most = std::max<std::uint32_t>(facts.default_mtu, facts.max_mtu)};
  auto const bytes = std::min(mtu_of(facts), packet_room_of(entry));
  return {.as_it_is = bytes, .most = bytes, .frame_room = entry};
}

}  // namespace packetwarp::rdma
