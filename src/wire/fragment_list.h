// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace packetwarp::wire {

// The fragments of one datagram that have arrived (RFC 791, 3.2). Fragments that overlap belong to no datagram: RFC
// 5722 demands it for IPv6, and for IPv4 only attackers need them.
class fragment_list {
 public:
  struct piece {
    std::size_t begin;  // bytes of the datagram's payload
    std::size_t end;
    std::vector<std::byte> content;
  };
  enum class fit : std::uint8_t { fits, twice, overlaps };

  // Only a fragment that fits is kept.
  [[nodiscard]] fit add(piece added, bool is_last) {
    auto const next = std::lower_bound(pieces_.begin(), pieces_.end(), added.begin,
                                       [](piece const& one, std::size_t begin) { return one.begin < begin; });
    bool const has_next = next != pieces_.end();
    // Only an exact copy may come (RFC 8200, 4.5).
    if (has_next && next->begin == added.begin && next->end == added.end && next->content == added.content)
      return fit::twice;
    if (has_next && next->begin < added.end) return fit::overlaps;
    if (next != pieces_.begin() && std::prev(next)->end > added.begin) return fit::overlaps;
    // No fragment lies after the last one, and only one is the last.
    if (is_last && (end_ != 0 || has_next)) return fit::overlaps;
    if (!is_last && end_ != 0 && added.end > end_) return fit::overlaps;
    if (is_last) end_ = added.end;
    bytes_ += added.end - added.begin;
    pieces_.insert(next, std::move(added));
    return fit::fits;
  }

  [[nodiscard]] bool is_complete() const { return end_ != 0 && bytes_ == end_; }
  // Bytes of the whole datagram's payload; 0: its last fragment has not arrived.
  [[nodiscard]] std::size_t size() const { return end_; }
  [[nodiscard]] std::vector<piece> const& pieces() const { return pieces_; }  // in order

 private:
  std::vector<piece> pieces_;
  std::size_t bytes_{};
  std::size_t end_{};
};

}  // namespace packetwarp::wire
