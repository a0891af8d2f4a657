// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "burst/epoch.h"
#include "burst/verdict.h"
#include "memory/packet_pool.h"
#include "parity/corpus.h"

namespace packetwarp::test {

// A packet as an oracle sees it: its first two segments, of which the second may be none, the length of all of them,
// and its burst's epoch.
struct oracle_packet {
  std::span<std::byte> first;
  std::span<std::byte> second;
  std::uint32_t length{};
  epoch_number epoch{first_epoch};
};

// A function's expected work on a packet: changes it in place, and returns the verdict.
using oracle_function = verdict (*)(oracle_packet);

// The corpus in mbufs that stay in place: filled anew for every run, and compared afterwards with an oracle's result.
// Every byte counts: of the mbufs themselves, of the room before a packet and of the room after it.
class packet_bed {
 public:
  explicit packet_bed(std::vector<corpus_packet> corpus);
  packet_bed(packet_bed const&) = delete;
  packet_bed& operator=(packet_bed const&) = delete;
  ~packet_bed();

  [[nodiscard]] std::size_t size() const { return heads_.size(); }
  [[nodiscard]] rte_mbuf* packet(std::size_t n) const { return segments_[heads_[n]]; }
  [[nodiscard]] bool is_chained(std::size_t n) const { return corpus_[n].segments.size() > 1; }

  // Sets the expected packets, of a burst of the first epoch.
  void expect(oracle_function oracle);
  // Sets the expected packets from `begin` to `end` anew, of a burst of this epoch.
  void expect(oracle_function oracle, std::size_t begin, std::size_t end, epoch_number epoch);
  // All packets as they were before any function.
  void refill();
  // The difference of packet n from the expected one, or nothing.
  [[nodiscard]] std::string difference(std::size_t n, verdict given) const;

 private:
  [[nodiscard]] std::span<std::byte const> image(std::vector<std::byte> const& images, std::size_t segment) const {
    return std::span{images}.subspan(segment * buffer_bytes_, buffer_bytes_);
  }
  [[nodiscard]] std::size_t end_of(std::size_t n) const { return heads_[n] + corpus_[n].segments.size(); }
  void lay_out(std::size_t n);

  std::vector<corpus_packet> corpus_;
  packet_pool pool_;
  std::size_t buffer_bytes_{};
  std::vector<std::size_t> heads_;   // of each packet, its first segment
  std::vector<rte_mbuf*> segments_;  // of all packets, one after another
  std::vector<rte_mbuf> before_;     // of each segment, the mbuf itself
  std::vector<std::byte> filled_;    // of each segment, its whole buffer: as given,
  std::vector<std::byte> wanted_;    // and as expected
  std::vector<verdict> wanted_verdicts_;
};

}  // namespace packetwarp::test
