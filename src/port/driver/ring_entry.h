// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "port/driver/driver_traits.h"

namespace packetwarp {

// Bytes of an entry of a port's rings, which a packet's mbuf must hold: by the arguments of the port's device, or the
// driver's default. 0: the driver has no such rings.
[[nodiscard]] std::uint32_t ring_entry_of(port_id id, driver_traits const& traits);

// Bytes of an IP packet that fit into an entry of this many.
[[nodiscard]] std::uint32_t packet_room_of(std::uint32_t ring_entry);

// Bytes that an mbuf must have room for, so that the driver takes entries of this many.
[[nodiscard]] std::uint32_t mbuf_room_of(std::uint32_t ring_entry);

// The smallest block of whole pages that entries of this many bytes divide.
[[nodiscard]] std::uint64_t blocks_of(std::uint64_t ring_entry);

}  // namespace packetwarp
