// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <vector>

namespace packetwarp {

// Splits an IP packet, checked and ready to be sent with its Ethernet header, into fragments whose IP packets have at
// most `mtu` bytes. IPv4 (RFC 791, 3.2): options that must
// not be copied stay in the first. IPv6 (RFC 8200, 4.5): an echo message of the router's own, without extension
// headers. The bytes are copied; `whole` stays the caller's. False, and nothing appended: the pool is empty, or no
// payload fits.
[[nodiscard]] bool fragment(rte_mempool& pool, rte_mbuf& whole, std::uint16_t mtu, std::vector<rte_mbuf*>& fragments);

}  // namespace packetwarp
