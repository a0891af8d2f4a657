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

// A ring by which packets pass from one thread, or several, to another one. Owns what is in it when it goes.
class mbuf_ring {
 public:
  enum class writers : std::uint8_t { one, many };

  // packets: it holds exactly this many. Throws failure.
  mbuf_ring(std::string const& name, std::uint32_t packets, writers who);
  mbuf_ring(mbuf_ring&&) noexcept = default;
  ~mbuf_ring();

  // Puts in as many as it has room for, in order; returns their number.
  [[nodiscard]] std::uint32_t put(std::span<rte_mbuf*> packets);
  // Takes out up to so many as there is room for.
  [[nodiscard]] std::uint32_t take(std::span<rte_mbuf*> room);
  // Packets that there is room for. Exact for the only writer; another reader may be late.
  [[nodiscard]] std::uint32_t room() const;
  // The view of this thread: a packet that another has just put in may be missing.
  [[nodiscard]] bool is_empty() const;

 private:
  struct free_ring {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  std::unique_ptr<rte_ring, free_ring> ring_;
};

}  // namespace packetwarp
