// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "egress/departure_hooks.h"

#include <algorithm>

namespace packetwarp {

std::size_t let_leave(departure_hooks const* hooks, std::span<rte_mbuf*> packets, std::size_t port) {
  if (hooks == nullptr) return packets.size();
  auto const dropped = std::stable_partition(packets.begin(), packets.end(),
                                             [&](auto* packet) { return hooks->let_leave(*packet, port); });
  return static_cast<std::size_t>(dropped - packets.begin());
}

}  // namespace packetwarp
