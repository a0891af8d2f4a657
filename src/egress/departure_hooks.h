// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

struct rte_mbuf;

namespace packetwarp {

// A stage's egress hook for packets that leave a port without passing a pipeline: packets of the control plane and of
// the kernel. The stage's module owns it. The master calls it, and workers of kernel interfaces do; a change of the
// tables waits for both.
class departure_hooks {
 public:
  departure_hooks() = default;
  departure_hooks(departure_hooks const&) = delete;
  departure_hooks& operator=(departure_hooks const&) = delete;
  virtual ~departure_hooks() = default;

  // Applies the stage to a packet that leaves by the port at this position of the plan. False: the stage drops the
  // packet, which the caller still owns.
  [[nodiscard]] virtual bool let_leave(rte_mbuf& packet, std::size_t port) const = 0;
};

// Applies the hooks to all packets of a span and moves packets to be dropped to its end. Returns how many packets
// leave: all without hooks.
[[nodiscard]] std::size_t let_leave(departure_hooks const* hooks, std::span<rte_mbuf*> packets, std::size_t port);

}  // namespace packetwarp
