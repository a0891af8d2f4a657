// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ring.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct rte_mbuf;

namespace packetwarp {

// A ring that passes packets from one or several threads to another thread. Its destructor frees the packets left in
// it.
class mbuf_ring {
 public:
  enum class writers : std::uint8_t { one, many };

  // packets: the exact capacity. Throws failure.
  mbuf_ring(std::string const& name, std::uint32_t packets, writers who);
  mbuf_ring(mbuf_ring&&) noexcept = default;
  ~mbuf_ring();

  // Puts in as many packets as the ring has room for, in order; returns their number.
  [[nodiscard]] std::uint32_t put(std::span<rte_mbuf*> packets);
  // Takes out packets, at most as many as `room` holds; returns their number.
  [[nodiscard]] std::uint32_t take(std::span<rte_mbuf*> room);
  // The packets that the ring has room for. Exact for the only writer; another reader's view may be late.
  [[nodiscard]] std::uint32_t room() const;
  // This thread's view: a packet that another thread has just put in may be missing.
  [[nodiscard]] bool is_empty() const;

 private:
  struct free_ring {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  std::unique_ptr<rte_ring, free_ring> ring_;
};

}  // namespace packetwarp
