// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_filter.h"

#include <algorithm>
#include <array>

namespace packetwarp {

bool capture_filter::wants_chained(rte_mbuf const& packet) const {
  std::array<unsigned char, 65535> together;
  auto const n = std::min(packet.pkt_len, static_cast<std::uint32_t>(together.size()));
  auto const* const bytes = rte_pktmbuf_read(&packet, 0, n, together.data());
  return bytes != nullptr && run(static_cast<unsigned char const*>(bytes), packet.pkt_len, n);
}

}  // namespace packetwarp
