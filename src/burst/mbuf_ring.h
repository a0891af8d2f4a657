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

  // packets: it holds so many, exactly. Throws failure.
  mbuf_ring(std::string const& name, std::uint32_t packets, writers who);
  mbuf_ring(mbuf_ring&&) noexcept = default;
  ~mbuf_ring();

  // Puts in what there is room for, in order; says how many from the first on.
  [[nodiscard]] std::uint32_t put(std::span<rte_mbuf*> packets);
  // Takes out up to so many as there is room for.
  [[nodiscard]] std::uint32_t take(std::span<rte_mbuf*> room);
  // Packets that there is room for. Of the only one that puts in, as it is; another may be late.
  [[nodiscard]] std::uint32_t room() const;
  // One thread's view: what another has put in a moment ago may be missing.
  [[nodiscard]] bool is_empty() const;

 private:
  struct free_ring {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  std::unique_ptr<rte_ring, free_ring> ring_;
};

}  // namespace packetwarp
