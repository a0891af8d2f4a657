// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/roce/connection.h"
#include "rdma/roce/inbox.h"
#include "rdma/roce/roce_engine.h"

struct rte_mbuf;

namespace packetwarp::rdma {

// The received mbufs that a port's thread gives to responders on a GPU. For one thread.
class gpu_requests {
 public:
  // ends: of the connections' inboxes, which outlive it. connections: with local numbers in a row. pieces: that frames
  // have at most; the CPU reads nothing of a second piece.
  gpu_requests(std::span<roce::inbox_end> ends, std::span<roce::connection_settings const> connections,
               roce::frame_pieces pieces = roce::frame_pieces::one)
      : ends_{ends}, connections_(connections.begin(), connections.end()), pieces_{pieces}, held_(ends.size()) {}

  // other: no request of a connection's peer, or of unlike form: the engine judges it, and drops requests, because its
  // connections have their responders elsewhere. kept: the mbuf is the GPU's
  // until collect() frees it. dropped: the GPU has not read earlier ones; the caller frees the mbuf, and the peer sends
  // it again.
  enum class fate : std::uint8_t { other, kept, dropped };
  [[nodiscard]] fate take(rte_mbuf& packet);
  // Has the headers of packets fetched that take() will read: they lie in two lines, far from the caches.
  static void look_ahead(std::span<rte_mbuf* const> packets);
  // Frees frames that the GPU has read, and gives its answers to the engine's connections, which are in the same order.
  // Returns how many answers there were.
  std::size_t collect(roce::roce_engine& engine);
  // Frees the frames that were kept. The GPU reads no more.
  void release();
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  // A connection's mbufs, in the order of its frames.
  struct ring {
    std::array<rte_mbuf*, roce::inbox::most_frames> packets{};
    std::uint64_t given{};
    std::uint64_t freed{};
  };
  [[nodiscard]] bool is_readable(rte_mbuf const& packet) const;
  void give(std::size_t n, rte_mbuf& packet, std::uint32_t bytes);
  void free(ring& queue, std::uint32_t count);
  // The connection of a request, by number and peer; its count if there is none.
  [[nodiscard]] std::size_t connection_of(roce::parsed_frame const& frame) const;

  std::span<roce::inbox_end> ends_;
  std::vector<roce::connection_settings> connections_;
  roce::frame_pieces pieces_;
  std::vector<ring> held_;
  std::uint64_t dropped_{};
};

}  // namespace packetwarp::rdma
