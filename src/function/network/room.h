// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/group.h"
#include "model/integer_network.h"

namespace packetwarp {

// The most scores per packet that a room keeps.
inline constexpr unsigned most_scores_by_group = 8;
// The widest layer that a warp evaluates; a CPU has no bound of its own.
inline constexpr unsigned most_width_by_warp = 128;
// A matrix unit takes this many rows at a time.
inline constexpr unsigned tile_rows = 16;
inline constexpr unsigned row_words = model::row_bytes / sizeof(std::uint32_t);

// The memory in which a group evaluates a network: a row per packet, later the packet's scores at the same place. The
// rows of packets 0 to 15 are in front and those of packets 16 to 31 at the end. A warp keeps the inner layers' results
// of 16 rows in the middle and in these rows' own place, so that a block of 8 warps needs 24 KiB.
struct alignas(16) network_room {
  std::uint32_t words[(joint_packets + tile_rows) * row_words];
};
static_assert(sizeof(network_room) == 3072);

namespace network_parts {

// A row's words are permuted by the packet's number: the 32 banks of shared memory then serve the lanes of a warp at
// once, when each lane reads or writes the same word of its own packet's row, and when a matrix unit's inputs are read.
[[nodiscard]] HOST_DEVICE constexpr unsigned first_word_of(unsigned packet) {
  return (packet + packet / tile_rows * tile_rows) * row_words;
}
[[nodiscard]] HOST_DEVICE constexpr unsigned word_mask_of(unsigned packet) { return packet / 2 % row_words; }
[[nodiscard]] HOST_DEVICE constexpr unsigned place_of_word(unsigned packet, unsigned word) {
  return first_word_of(packet) + (word ^ word_mask_of(packet));
}

}  // namespace network_parts

// The row of a packet in the room. The lane that gathers the packet's features writes all row_bytes of them.
class network_row {
 public:
  HOST_DEVICE network_row(network_room& room, unsigned packet)
      : words_{room.words + network_parts::first_word_of(packet)}, mask_{network_parts::word_mask_of(packet)} {}

  [[nodiscard]] HOST_DEVICE std::int8_t& operator[](unsigned position) const {
    return reinterpret_cast<std::int8_t*>(words_)[position ^ mask_ * 4];
  }
  // Four features, the first one in the lowest byte.
  [[nodiscard]] HOST_DEVICE std::uint32_t& word(unsigned number) const { return words_[number ^ mask_]; }

 private:
  std::uint32_t* words_;
  unsigned mask_;
};

// The value in place of a score that the network does not have.
inline constexpr std::int32_t no_score = std::numeric_limits<std::int32_t>::min();

// A score of a packet after evaluate_by_group().
[[nodiscard]] HOST_DEVICE inline std::int32_t score_of(unsigned packet, network_room const& room, unsigned output = 0) {
  return static_cast<std::int32_t>(room.words[network_parts::place_of_word(packet, output)]);
}

// The number of a packet's largest score; the first one if several are equal.
[[nodiscard]] HOST_DEVICE inline unsigned class_of(unsigned packet, network_room const& room) {
  unsigned best = 0;
  auto most = score_of(packet, room);
  UNROLLED
  for (unsigned output = 1; output < most_scores_by_group; ++output) {
    auto const score = score_of(packet, room, output);
    if (score > most) {
      most = score;
      best = output;
    }
  }
  return best;
}

}  // namespace packetwarp
