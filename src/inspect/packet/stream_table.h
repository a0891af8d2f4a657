// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "inspect/http/http_reader.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/stream_side.h"

namespace packetwarp::inspect {

// Both directions of a TCP connection.
struct tracked_stream {
  std::array<stream_side, 2> sides{};
  std::array<http_reader, 2> http{http_reader{http_kind::request}, http_reader{http_kind::response}};
  std::array<message_rules, 2> rules{};
  std::size_t bytes{};  // as the table counts them
  std::list<std::uint32_t>::iterator place{};
};

// The connections whose bytes are kept, within a bound: the one that has been idle for the longest is given up for a
// new one.
class stream_table {
 public:
  // most: connections; most_bytes: of all of them.
  stream_table(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  // The connection at the flow's place; null: it has been given up, or has none. begin(): makes one.
  [[nodiscard]] tracked_stream* find(std::uint32_t flow);
  [[nodiscard]] tracked_stream& begin(std::uint32_t flow);
  void drop(std::uint32_t flow);
  // Counts the bytes of a connection that has changed, and gives up others beyond the bound.
  void charge(tracked_stream& changed);

  [[nodiscard]] std::uint64_t given_up() const { return given_up_; }
  // Segments that waited for bytes before them until their connection was dropped, or still wait.
  [[nodiscard]] std::uint64_t never_in_order() const;

 private:
  void give_up_oldest();

  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_{};
  std::uint64_t given_up_{};
  std::uint64_t never_in_order_{};
  std::list<std::uint32_t> used_;  // the last used first
  std::unordered_map<std::uint32_t, tracked_stream> streams_;
};

}  // namespace packetwarp::inspect
