// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

// Over PCIe every access of a GPU to a packet is a transaction of its own, of one byte or of a line. So a GPU fetches a
// packet's first bytes as a whole, has functions work on a copy in its shared memory, and puts them back as a whole.

// Bytes of the copy: a line of the host's memory, in which the headers of nearly all packets end.
inline constexpr std::uint32_t near_bytes = 64;
// Bytes in front of the copy that may be written: two VLAN tags. Tags that a verdict says were pushed are put back.
inline constexpr std::uint32_t near_headroom = 8;

}  // namespace packetwarp
