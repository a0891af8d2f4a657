// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace packetwarp {

// Bytes of an entry of net_af_packet's rings (framesz of the port's own words, or the driver's default), which a
// packet's mbuf must hold. Called for such a port alone.
[[nodiscard]] std::uint32_t ring_entry_of(port_id id);

// Bytes of an IP packet that fit into an entry of this many.
[[nodiscard]] std::uint32_t packet_room_of(std::uint32_t ring_entry);

}  // namespace packetwarp
