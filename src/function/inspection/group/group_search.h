// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "function/inspection/group/group_facts.h"
#include "function/inspection/group/rule_pairs.h"
#include "function/inspection/group/window_starts.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/joined_room.h"
#include "function/network/unroll.h"

namespace packetwarp::inspection_parts {

// Searches the joined texts of a group for windows of rules. Each lane asks the first filter for a piece; the positions
// that pass, which are few, are dealt to all lanes.
template <class Group>
class group_search {
 public:
  HOST_DEVICE group_search(Group const& group, inspection_set const& set, inspection_room& room,
                           group_facts const& facts, rule_pairs& pairs)
      : group_{group}, set_{set}, room_{room}, facts_{facts}, pairs_{pairs} {}

  HOST_DEVICE void begin(joined_room const& texts, std::uint32_t pieces) {
    bytes_ = texts.bytes;
    pieces_ = pieces;
    next_ = waiting_ = left_ = all_left_ = 0;
  }
  [[nodiscard]] HOST_DEVICE bool has_more() const { return all_left_ != 0 || next_ < pieces_; }
  // After look_further(): all pairs of earlier packets are there.
  [[nodiscard]] HOST_DEVICE unsigned complete_before() const {
    auto const piece = all_left_ != 0 ? next_ - group_.lanes() : next_;
    return piece < pieces_ ? text_of_piece(piece).packet : joint_packets;
  }

  // By all lanes: adds the rules that have windows in the next pieces: at `enough` positions, or in all of them.
  HOST_DEVICE_COPIED void look_further(std::uint32_t enough) {
    NOT_UNROLLED
    for (;;) {
      // The positions of a piece that have no room wait alone.
      if (all_left_ != 0 && (waiting_ == 0 || waiting_ + all_left_ <= handed_starts::most)) {
        hand_over();
        waiting_ += all_left_;
        all_left_ = group_.sum(bits_in(left_));
        waiting_ -= all_left_;
      }
      if (all_left_ != 0 || waiting_ >= enough || next_ >= pieces_) break;
      auto const own = next_ + group_.lane();
      left_ = own < pieces_ ? passing(own) : 0;
      next_ += group_.lanes();
      all_left_ = group_.sum(bits_in(left_));
    }
    look();
  }

 private:
  static constexpr std::uint32_t words = joined_room::piece_bytes / sizeof(std::uint32_t);
  static constexpr auto shortest = inspect::window_bytes(inspect::window_kinds - 1);

  [[nodiscard]] HOST_DEVICE joined_text const& text_of_piece(std::uint32_t piece) const {
    return room_.joined.texts[room_.joined.owners[piece]];
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t class_of(unsigned n) const {
    return detail::class_in_group(room_.packets[n], facts_, n);
  }
  // Four bytes, of two words that lie one after the other.
  [[nodiscard]] HOST_DEVICE static std::uint32_t four_from(std::uint32_t low, std::uint32_t high, std::uint32_t byte) {
#if defined(__CUDA_ARCH__)
    return __funnelshift_r(low, high, 8 * byte);
#else
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (8 * byte));
#endif
  }

  // By a lane: a bit for each position of the piece at which a window may begin, by its first four bytes.
  [[nodiscard]] HOST_DEVICE std::uint32_t passing(std::uint32_t piece) const {
    auto const& text = text_of_piece(piece);
    auto const* const filter = inspect::first_filter_for(set_.rules, class_of(text.packet));
    std::uint32_t read[words + 1];
    load(piece, read);
    std::uint32_t found = 0;
    UNROLLED
    for (std::uint32_t i = 0; i < words; ++i) {
      UNROLLED
      for (std::uint32_t byte = 0; byte < sizeof(std::uint32_t); ++byte) {
        bool const passes = inspect::may_begin_window(filter, four_from(read[i], read[i + 1], byte));
        found |= (passes ? 1U : 0U) << (i * sizeof(std::uint32_t) + byte);
      }
    }
    // Positions that are of the text, and have a window's bytes left.
    auto const at = piece * joined_room::piece_bytes;
    auto const begin = text.begin();
    auto const last = begin + text.size;
    if (text.size < shortest || at + shortest > last) return 0;
    auto const ends = last - shortest - at + 1;
    if (ends < joined_room::piece_bytes) found &= (1U << ends) - 1;
    if (begin > at) found &= ~std::uint32_t{0} << (begin - at);
    return found;
  }
  HOST_DEVICE void load(std::uint32_t piece, std::uint32_t (&read)[words + 1]) const {
    auto const* const from = bytes_ + piece * joined_room::piece_bytes;
#if defined(__CUDA_ARCH__)
    auto const four = *reinterpret_cast<uint4 const*>(from);
    read[0] = four.x;
    read[1] = four.y;
    read[2] = four.z;
    read[3] = four.w;
    read[4] = *reinterpret_cast<std::uint32_t const*>(from + joined_room::piece_bytes);
#else
    std::memcpy(read, from, sizeof read);
#endif
    UNROLLED
    for (auto& one : read) one = inspect::folded(one);
  }

  // By all lanes: puts the lane's positions into the room, as far as they fit.
  HOST_DEVICE void hand_over() {
    auto& handed = room_.starts;
    if (left_ == 0) return;
    auto const piece = next_ - group_.lanes() + group_.lane();
    cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block> const count{handed.count};
    auto to = count.fetch_add(bits_in(left_), cuda::memory_order_relaxed);
    NOT_UNROLLED
    for (; left_ != 0 && to < handed_starts::most; left_ &= left_ - 1)
      handed.positions[to++] = static_cast<std::uint16_t>(piece * joined_room::piece_bytes + lowest_bit(left_));
  }

  // By all lanes: adds the rules that have windows at the positions that wait.
  HOST_DEVICE_COPIED void look() {
    if (waiting_ == 0) return;
    auto const* const numbers = set_.rules.template at<std::uint32_t>(set_.rules.header().alone_numbers);
    group_.sync();
    NOT_UNROLLED
    for (auto i = group_.lane(); i < waiting_; i += group_.lanes()) {
      std::uint32_t const position = room_.starts.positions[i];
      auto const& text = text_of_piece(position / joined_room::piece_bytes);
      auto const n = unsigned{text.packet};
      look_at_window(set_.rules, bytes_ + text.begin(), text.size, position - text.begin(), class_of(n),
                     [&](std::uint32_t place) {
                       if (numbers[place] != inspect::not_alone) pairs_.add(rule_pair::make(n, numbers[place]));
                     });
    }
    group_.sync();
    if (group_.lane() == 0) room_.starts.count = 0;
    waiting_ = 0;
    group_.sync();
  }

  Group const& group_;
  inspection_set const& set_;
  inspection_room& room_;
  group_facts const& facts_;
  rule_pairs& pairs_;
  std::byte const* bytes_{};
  std::uint32_t pieces_{};
  std::uint32_t next_{};      // piece that is asked for
  std::uint32_t left_{};      // positions of the lane's last piece that are not in the room
  std::uint32_t all_left_{};  // of all lanes
  std::uint32_t waiting_{};   // positions in the room
};

}  // namespace packetwarp::inspection_parts
