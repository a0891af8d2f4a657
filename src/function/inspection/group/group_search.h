// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/carried/stream_text.h"
#include "function/inspection/group/asked_names.h"
#include "function/inspection/group/carry_streams.h"
#include "function/inspection/group/group_facts.h"
#include "function/inspection/group/rule_pairs.h"
#include "function/inspection/group/rule_texts.h"
#include "function/inspection/group/window_starts.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/network/unroll.h"

namespace packetwarp::inspection_parts {

// Searches the packets of a group for windows of rules. The first filter is asked for the texts one after the other,
// each by all lanes. Few positions of a payload pass it, so those of several payloads are looked at together.
template <class Group>
class group_search {
 public:
  HOST_DEVICE group_search(Group const& group, inspection_ref const& tables, inspection_set const& set,
                           inspection_room& room, group_facts const& facts, rule_pairs& pairs)
      : group_{group}, tables_{tables}, set_{set}, room_{room}, facts_{facts}, pairs_{pairs} {}

  // By all lanes: adds pairs of the n-th packet and of those before. Returns whether it has added all of them, so that
  // no position waits. is_last: none is to wait.
  [[nodiscard]] HOST_DEVICE_COPIED bool search(unsigned n, bool is_last) {
    bool is_cut = false;
    auto const copy = whole_payload(group_, room_.packets[n], room_, is_cut);
    auto packet = packet_of(room_.packets[n], copy.data, copy.size);
    show_stream(tables_, room_.packets[n], packet);
    packet.http = message_of(tables_, room_, n);
    asked_names name;
    if (has(facts_.names, n) && name.read(packet)) cut_ |= 1U << n;
    if (packet.dotted_name_size != 0) asking_ |= 1U << n;
    auto const texts = has_other_text(packet) ? 1 + other_texts : 1;
    auto const classes = class_alone(packet);
    auto const whole = text_where_it_lies(n);
    NOT_UNROLLED
    for (std::uint32_t i = 0; i < texts; ++i) {
      auto const text = i == 0 ? searched_text(packet) : other_text(packet, i - 1);
      if (i == 0 || (text.size != 0 && !lies_in(text, whole))) search_text(n, i, text, classes, is_last || texts != 1);
    }
    return waiting_ == 0;
  }

  // Bits of the packets that ask for a name, and of those that end within a message before it.
  [[nodiscard]] HOST_DEVICE std::uint32_t asking() const { return asking_; }
  [[nodiscard]] HOST_DEVICE std::uint32_t cut() const { return cut_; }

 private:
  // Positions that are worth a look: one for each lane of a warp.
  static constexpr std::uint32_t enough = 32;

  [[nodiscard]] HOST_DEVICE static bool has(std::uint32_t bits, unsigned n) { return (bits >> n & 1) != 0; }
  // Form and bytes of a head are often the same.
  [[nodiscard]] HOST_DEVICE static bool lies_in(inspect::text_view text, inspect::text_view whole) {
    return text.bytes >= whole.bytes && text.bytes + text.size <= whole.bytes + whole.size;
  }

  // By all lanes. The i-th text of the n-th packet, 0: the searched one, whose positions may wait for those of the next
  // packets.
  HOST_DEVICE_COPIED void search_text(unsigned n, std::uint32_t i, inspect::text_view text, std::uint32_t classes,
                                      bool is_last) {
    auto const step = window_starts::positions_at_once(group_);
    // Once also for an empty text, for which positions of others may wait.
    std::uint32_t at = 0;
    NOT_UNROLLED
    do {
      bool const is_end = text.size - at <= step;
      auto const part = text.part(at, text.size);
      window_starts starts{group_, set_.rules, classes, part.bytes, part.size};
      auto const origin = n << handed_starts::position_bits | (i == 0 ? at : 0);
      auto left = group_.sum(starts.left());
      NOT_UNROLLED
      while (left != 0 || (is_last && is_end && waiting_ != 0)) {
        // A text of which only a part has room waits alone.
        bool const has_room = waiting_ == 0 || waiting_ + left <= handed_starts::most;
        if (has_room) {
          starts.hand_over(group_, room_.starts, origin);
          auto const more = group_.sum(starts.left());
          waiting_ += left - more;
          left = more;
        }
        bool const can_wait = left == 0 && i == 0 && waiting_ < enough && !is_last;
        if (can_wait) break;
        look(i == 0 ? inspect::text_view{} : part);
      }
      at += step;
    } while (at < text.size);
  }

  // By all lanes: adds the rules that have windows at the positions that wait. other: the text that all of them are of;
  // empty: each is of its packet's searched text.
  HOST_DEVICE_COPIED void look(inspect::text_view other) {
    auto const* const numbers = set_.rules.template at<std::uint32_t>(set_.rules.header().alone_numbers);
    group_.sync();
    auto const count = window_starts::handed_ones(room_.starts);
    NOT_UNROLLED
    for (auto i = group_.lane(); i < count; i += group_.lanes()) {
      std::uint32_t const start = room_.starts.positions[i];
      auto const n = start >> handed_starts::position_bits;
      auto const at = start & ((1U << handed_starts::position_bits) - 1);
      auto const text = other.bytes != nullptr ? other : text_where_it_lies(n);
      look_at_window(set_.rules, text.bytes, text.size, at, class_of(n), [&](std::uint32_t place) {
        if (numbers[place] != inspect::not_alone) pairs_.add(rule_pair::make(n, numbers[place]));
      });
    }
    group_.sync();
    if (group_.lane() == 0) room_.starts.count = 0;
    waiting_ = 0;
    group_.sync();
  }

  // The searched text of the n-th packet, which the room has no copy of any more.
  [[nodiscard]] HOST_DEVICE inspect::text_view text_where_it_lies(unsigned n) const {
    auto const& note = room_.packets[n];
    inspect::inspected_packet packet;
    packet.payload = note.first;
    packet.payload_size = note.first_size;
    show_stream(tables_, note, packet);
    return searched_text(packet);
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t class_of(unsigned n) const {
    auto const& note = room_.packets[n];
    inspect::inspected_packet packet;
    packet.kind = note.kind;
    packet.has_flow = (note.flags & note_flag::has_flow) != 0;
    packet.is_to_server = (note.flags & note_flag::to_server) != 0;
    packet.http = message_of(tables_, room_, n);
    return class_alone(packet);
  }

  Group const& group_;
  inspection_ref const& tables_;
  inspection_set const& set_;
  inspection_room& room_;
  group_facts const& facts_;
  rule_pairs& pairs_;
  std::uint32_t waiting_{};  // positions in the room
  std::uint32_t asking_{};
  std::uint32_t cut_{};
};

}  // namespace packetwarp::inspection_parts
