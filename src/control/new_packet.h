// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/address.h"
#include "wire/ethernet.h"

namespace packetwarp {

// Helpers for packets that the control plane makes and reads. All on one thread.

// A packet of zeroes in one piece; nullptr if the pool is empty or its packets are shorter.
[[nodiscard]] rte_mbuf* new_packet(rte_mempool& pool, std::size_t bytes);

[[nodiscard]] inline std::byte* bytes_at(rte_mbuf& packet, std::size_t offset = 0) {
  return rte_pktmbuf_mtod_offset(&packet, std::byte*, offset);
}

// Appends bytes to a packet, which becomes a chain if its last piece is full. False: the pool is empty, and only some
// of the bytes were appended.
[[nodiscard]] bool append_bytes(rte_mempool& pool, rte_mbuf& packet, std::span<std::byte const> bytes);

// Copies bytes of a packet, whatever its pieces. False: it does not have as many.
[[nodiscard]] bool read_bytes(rte_mbuf const& packet, std::size_t offset, std::span<std::byte> into);

// Whether the packet's first piece holds this many bytes; moves them into it if possible.
[[nodiscard]] bool pull_up(rte_mbuf& packet, std::size_t bytes);

// Takes away the bytes after the first `bytes`, of which the packet has at least one.
void shorten(rte_mbuf& packet, std::size_t bytes);

void write_ethernet(std::byte* frame, wire::mac_address const& destination, wire::mac_address const& source,
                    wire::ether_type type);

}  // namespace packetwarp
