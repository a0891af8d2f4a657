// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

// Over PCIe every access of a GPU to a packet is a transaction of its own, for one byte as for a whole line. So a GPU
// fetches a packet's first bytes as a whole, lets functions work on a copy in its shared memory, and writes them back
// as a whole.

// The bytes of the copy: a line of the host's memory, in which the headers of nearly all packets end.
inline constexpr std::uint32_t near_bytes = 64;
// The bytes in front of the copy that may be written: two VLAN tags. Tags that a verdict reports as pushed are written
// back.
inline constexpr std::uint32_t near_headroom = 8;

// Hooks of a chain read and change no further: an ICMP error's own headers and the headers in it, with all options.
inline constexpr std::uint32_t most_header_bytes = 192;

}  // namespace packetwarp
