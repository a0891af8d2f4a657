// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/ring_wire.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_lcore.h>
#include <rte_ring.h>

#include <vector>

#include "base/error.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::vector<rte_ring*> make_rings(std::string const& name, std::uint16_t queues, std::uint32_t depth) {
  std::vector<rte_ring*> rings;
  for (std::uint16_t q = 0; q < queues; ++q) {
    // A sender and a receiver per queue; exact size, so that the ring has the depth that was asked for.
    auto* const ring = rte_ring_create(fmt::format("{}_{}", name, q).c_str(), depth, SOCKET_ID_ANY,
                                       RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
    if (ring == nullptr) {
      throw failure(
          fmt::format("wire {}: a ring of {} packets could not be made: {}", name, depth, rte_strerror(rte_errno)));
    }
    rings.push_back(ring);
  }
  return rings;
}

[[nodiscard]] port_id make_port(std::string const& name, std::vector<rte_ring*> const& rx,
                                std::vector<rte_ring*> const& tx) {
  int const made = rte_eth_from_rings(name.c_str(), const_cast<rte_ring**>(rx.data()), static_cast<unsigned>(rx.size()),
                                      const_cast<rte_ring**>(tx.data()), static_cast<unsigned>(tx.size()),
                                      static_cast<unsigned>(rte_socket_id()));
  if (made < 0) throw failure(fmt::format("wire end {}: no port: {}", name, rte_strerror(rte_errno)));
  return port_id{static_cast<std::uint16_t>(made)};
}

}  // namespace

ring_wire::ring_wire(std::string const& name, std::uint16_t queues, std::uint32_t depth) {
  auto const rightward = make_rings(name + "_r", queues, depth);
  auto const leftward = make_rings(name + "_l", queues, depth);
  left_ = make_port(name + "_left", leftward, rightward);
  right_ = make_port(name + "_right", rightward, leftward);
}

}  // namespace packetwarp
