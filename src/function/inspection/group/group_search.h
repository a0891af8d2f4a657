// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/group/rule_pairs.h"
#include "function/inspection/group/window_starts.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/joined_room.h"

namespace packetwarp::inspection_parts {

namespace detail {

// The joined texts of a group. A function that loops has one in registers: the members of an object whose address is
// known elsewhere are read from memory again after each write.
struct searched_texts {
  inspection_room& room;
  inspect::ruleset_ref rules;
  std::byte const* bytes;
  std::uint32_t pieces;

  [[nodiscard]] HOST_DEVICE joined_text const& text_of(std::uint32_t piece) const {
    return room.joined.texts[room.joined.owners[piece]];
  }
};

// A piece of the texts, before a lane asks for its positions: its bytes may still be under way.
class asked_piece {
 public:
  asked_piece() = default;
  // piece: none if it is not below texts.pieces.
  HOST_DEVICE asked_piece(searched_texts const& texts, std::uint32_t piece) {
    auto const read = piece < texts.pieces ? piece : 0;
    auto const& text = texts.text_of(read);
    filter_ = inspect::first_filter_of(texts.rules, text.class_number);
    positions_ = piece < texts.pieces ? positions_of(text, piece) : 0;
    load(texts.bytes + read * joined_room::piece_bytes);
  }

  // A bit for each position at which a window may begin, by its first four bytes.
  [[nodiscard]] HOST_DEVICE std::uint32_t passing() const {
    std::uint32_t in[words + 1];
    UNROLLED
    for (std::uint32_t i = 0; i <= words; ++i) in[i] = inspect::folded(read_[i]);
    std::uint32_t found = 0;
    UNROLLED
    for (std::uint32_t i = 0; i < words; ++i) {
      UNROLLED
      for (std::uint32_t byte = 0; byte < sizeof(std::uint32_t); ++byte) {
        auto const four = four_from(in[i], in[i + 1], byte);
        found |= inspect::bit_of(filter_, inspect::first_bit(four)) << (i * sizeof(std::uint32_t) + byte);
      }
    }
    return found & positions_;
  }

 private:
  static constexpr std::uint32_t words = joined_room::piece_bytes / sizeof(std::uint32_t);
  static constexpr auto shortest = inspect::window_bytes(inspect::window_kinds - 1);

  // Four bytes, of two words that lie one after the other.
  [[nodiscard]] HOST_DEVICE static std::uint32_t four_from(std::uint32_t low, std::uint32_t high, std::uint32_t byte) {
#if defined(__CUDA_ARCH__)
    return __funnelshift_r(low, high, 8 * byte);
#else
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (8 * byte));
#endif
  }
  // Positions that are of the text, and have a window's bytes left.
  [[nodiscard]] HOST_DEVICE static std::uint32_t positions_of(joined_text const& text, std::uint32_t piece) {
    auto const at = piece * joined_room::piece_bytes;
    auto const begin = text.begin();
    auto const last = begin + text.size;
    if (text.size < shortest || at + shortest > last) return 0;
    auto const ends = last - shortest - at + 1;
    auto positions = ~std::uint32_t{0};
    if (ends < joined_room::piece_bytes) positions = (1U << ends) - 1;
    if (begin > at) positions &= ~std::uint32_t{0} << (begin - at);
    return positions;
  }
  HOST_DEVICE void load(std::byte const* from) {
#if defined(__CUDA_ARCH__)
    auto const four = *reinterpret_cast<uint4 const*>(from);
    read_[0] = four.x;
    read_[1] = four.y;
    read_[2] = four.z;
    read_[3] = four.w;
    read_[4] = *reinterpret_cast<std::uint32_t const*>(from + joined_room::piece_bytes);
#else
    std::memcpy(read_, from, sizeof read_);
#endif
  }

  std::uint64_t const* filter_{};
  std::uint32_t read_[words + 1]{};
  std::uint32_t positions_{};
};

}  // namespace detail

// Searches the joined texts of a group for windows of rules. Each lane asks the first filter for a piece; the positions
// that pass, which are few, are dealt to all lanes.
template <class Group>
class group_search {
 public:
  HOST_DEVICE group_search(Group const& group, inspection_set const& set, inspection_room& room, rule_pairs& pairs)
      : group_{group}, set_{set}, room_{room}, pairs_{pairs} {}

  HOST_DEVICE void begin(joined_room const& texts, std::uint32_t pieces) {
    bytes_ = texts.bytes;
    pieces_ = pieces;
    at_ = {};
    if (pieces != 0) at_.ahead = detail::asked_piece{texts_here(), group_.lane()};
  }
  [[nodiscard]] HOST_DEVICE bool has_more() const { return at_.all_left != 0 || at_.next < pieces_; }
  // After look_further(): all pairs of earlier packets are there.
  [[nodiscard]] HOST_DEVICE unsigned complete_before() const {
    auto piece = at_.all_left != 0 ? at_.next - group_.lanes() : at_.next;
    // Positions wait in the order in which their pieces were asked for.
    if (at_.waiting != 0) {
      auto const oldest = room_.starts.positions[0] / joined_room::piece_bytes;
      piece = oldest - oldest % group_.lanes();
    }
    return piece < pieces_ ? texts_here().text_of(piece).packet : joint_packets;
  }

  // By all lanes: adds the rules that have windows in the next pieces: at `enough` positions, or in all of them.
  HOST_DEVICE_COPIED void look_further(std::uint32_t enough) {
    auto const texts = texts_here();
    auto at = at_;
    NOT_UNROLLED
    for (;;) {
      // The positions of a piece that have no room wait alone.
      if (at.all_left != 0 && (at.waiting == 0 || at.waiting + at.all_left <= handed_starts::most)) {
        hand_over(texts, at);
        at.waiting += at.all_left;
        at.all_left = group_.sum(bits_in(at.left));
        at.waiting -= at.all_left;
      }
      if (at.all_left != 0 || at.waiting >= enough || at.next >= texts.pieces) break;
      at.left = at.ahead.passing();
      at.next += group_.lanes();
      at.ahead = detail::asked_piece{texts, at.next + group_.lane()};
      at.all_left = group_.sum(bits_in(at.left));
    }
    // Some positions wait for others, so that all lanes have one.
    bool const others_come = at.all_left == 0 && at.next < texts.pieces && enough >= group_.lanes();
    auto const stay = others_come ? at.waiting % group_.lanes() : 0;
    look(texts, at.waiting - stay, stay);
    at.waiting = stay;
    at_ = at;
  }
  // By all lanes, when no more rules are looked for.
  HOST_DEVICE void end() {
    if (at_.waiting == 0) return;
    group_.sync();
    if (group_.lane() == 0) room_.starts.count = 0;
    at_.waiting = 0;
    group_.sync();
  }

 private:
  struct progress {
    std::uint32_t next;         // piece that is asked for
    std::uint32_t left;         // positions of the lane's last piece that are not in the room
    std::uint32_t all_left;     // of all lanes
    std::uint32_t waiting;      // positions in the room
    detail::asked_piece ahead;  // the lane's next piece
  };

  [[nodiscard]] HOST_DEVICE detail::searched_texts texts_here() const { return {room_, set_.rules, bytes_, pieces_}; }

  // By all lanes: puts the lane's positions into the room, as far as they fit.
  HOST_DEVICE void hand_over(detail::searched_texts const& texts, progress& at) {
    auto& handed = texts.room.starts;
    auto left = at.left;
    if (left == 0) return;
    auto const piece = at.next - group_.lanes() + group_.lane();
    cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block> const count{handed.count};
    auto to = count.fetch_add(bits_in(left), cuda::memory_order_relaxed);
    NOT_UNROLLED
    for (; left != 0 && to < handed_starts::most; left &= left - 1)
      handed.positions[to++] = static_cast<std::uint16_t>(piece * joined_room::piece_bytes + lowest_bit(left));
    at.left = left;
  }

  // By all lanes: adds the rules that have windows at the first `count` positions that wait. stay: how many wait after
  // them, fewer than lanes.
  HOST_DEVICE_COPIED void look(detail::searched_texts const& texts, std::uint32_t count, std::uint32_t stay) {
    if (count == 0) return;
    auto const* const numbers = texts.rules.template at<std::uint32_t>(texts.rules.header().alone_numbers);
    auto& handed = texts.room.starts;
    group_.sync();
    NOT_UNROLLED
    for (auto i = group_.lane(); i < count; i += group_.lanes()) {
      std::uint32_t const position = handed.positions[i];
      auto const& text = texts.text_of(position / joined_room::piece_bytes);
      auto const n = unsigned{text.packet};
      look_at_window(texts.rules, texts.bytes + text.begin(), text.size, position - text.begin(),
                     std::uint32_t{1} << text.class_number, [&](std::uint32_t place) {
                       if (numbers[place] != inspect::not_alone) pairs_.add(rule_pair::make(n, numbers[place]));
                     });
    }
    auto const moved = group_.lane() < stay ? handed.positions[count + group_.lane()] : std::uint16_t{0};
    group_.sync();
    if (group_.lane() < stay) handed.positions[group_.lane()] = moved;
    if (group_.lane() == 0) handed.count = stay;
    group_.sync();
  }

  Group const& group_;
  inspection_set const& set_;
  inspection_room& room_;
  rule_pairs& pairs_;
  std::byte const* bytes_{};
  std::uint32_t pieces_{};
  progress at_{};
};

}  // namespace packetwarp::inspection_parts
