// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace packetwarp::inspect {

// The segments of a direction that its receiver discards, as far as one knows. Should it acknowledge their bytes, and
// no others are in their place, it has taken them all the same.
class held_segments {
 public:
  static constexpr std::size_t most = 16;
  static constexpr std::size_t most_bytes = 65'536;

  // A segment of a direction; position: of its first byte from the direction's first one.
  struct segment {
    std::uint64_t position{};
    std::vector<std::byte> bytes{};
    bool is_last{};  // with FIN
    [[nodiscard]] std::uint64_t end() const { return position + bytes.size(); }
  };

  // Beyond the bound the oldest ones go.
  void hold(segment held);
  // The stream's next byte is at this position: drops those that lie before it.
  void pass(std::uint64_t position);
  // The bytes from this position on, of the segment that came first. Empty: none has any.
  [[nodiscard]] std::span<std::byte const> from(std::uint64_t position) const;
  // The first byte after this position. no_position: there is none.
  static constexpr std::uint64_t no_position = ~std::uint64_t{};
  [[nodiscard]] std::uint64_t first_after(std::uint64_t position) const;
  // Whether a FIN is at this position.
  [[nodiscard]] bool has_end_at(std::uint64_t position) const;
  void drop_end_at(std::uint64_t position);

  [[nodiscard]] bool is_empty() const { return segments_.empty(); }
  [[nodiscard]] std::size_t bytes() const;  // of memory

 private:
  std::vector<segment> segments_;  // in the order in which they came
  std::size_t bytes_{};
};

}  // namespace packetwarp::inspect
