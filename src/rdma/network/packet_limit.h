// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "port/port_facts.h"

namespace packetwarp::rdma {

// Bytes of the largest IP packets that a port sends and receives.
struct packet_limit {
  std::uint32_t as_it_is{};  // without a change of its MTU
  std::uint32_t most{};
  std::uint32_t frame_room{};  // of net_af_packet: bytes that a packet's mbuf must hold
};

// net_af_packet of DPDK 22.11 calls 1,514 bytes its longest frame, whatever its rings and its interface take, and
// asks for no length when it moves frames: its limit is that of the ring's entries and of the interface. Other
// drivers tell theirs. Throws failure if the interface has gone.
[[nodiscard]] packet_limit packet_limit_of(port_facts const& facts);

}  // namespace packetwarp::rdma
