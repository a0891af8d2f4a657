// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/std/bit>

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/group/asked_names.h"
#include "function/inspection/group/carry_streams.h"
#include "function/inspection/group/group_facts.h"
#include "function/inspection/group/read_heads.h"
#include "function/inspection/group/rule_texts.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/joined_room.h"

// Puts the texts of a group's packets in which literals of rules are found one after the other into a joined_room.
namespace packetwarp::inspection_parts {

// Facts of the joined texts; all lanes have the same words.
struct joined_group {
  unsigned end{};           // the first packet whose texts had no room
  std::uint32_t pieces{};   // that have texts
  std::uint32_t asking{};   // bits of packets that ask for a name
  std::uint32_t cut_off{};  // bits of packets that end within a message before its name
};

namespace detail {

// The packet with its texts, as a lane sees it. name: as long as the packet is used.
[[nodiscard]] HOST_DEVICE inline inspect::inspected_packet packet_with_texts(inspection_ref const& tables,
                                                                             inspection_room const& room,
                                                                             group_facts const& facts, unsigned n,
                                                                             asked_names& name, bool& is_cut_off) {
  auto const& note = room.packets[n];
  auto packet = packet_of_first_piece(note);
  show_stream(tables, note, packet);
  packet.http = message_of(tables, room, n);
  is_cut_off = (facts.names >> n & 1) != 0 && name.read(packet);
  return packet;
}

inline constexpr std::uint32_t texts_of_packet = 1 + other_texts;

// The i-th text of a packet, 0: the payload with its stream; empty: there is none, or it lies within that one, as forms
// of a head often do.
[[nodiscard]] HOST_DEVICE inline inspect::text_view text_to_join(inspect::inspected_packet const& packet,
                                                                 std::uint32_t i) {
  auto const whole = searched_text(packet);
  if (i == 0) return whole;
  auto const text = other_text(packet, i - 1);
  bool const lies_within =
      text.size == 0 || (text.bytes >= whole.bytes && text.bytes + text.size <= whole.bytes + whole.size);
  return lies_within ? inspect::text_view{} : text;
}

// A GPU copies aligned pieces.
[[nodiscard]] HOST_DEVICE inline std::uint32_t shift_of_text([[maybe_unused]] inspect::text_view text) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(text.bytes) % joined_room::piece_bytes);
#else
  return 0;
#endif
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t pieces_of_text(inspect::text_view text) {
  return (shift_of_text(text) + text.size + joined_room::piece_bytes - 1) / joined_room::piece_bytes;
}

// A name lies in memory of its own lane, which puts it into the room; other texts are copied by all lanes.
inline constexpr std::uint32_t name_text = 1;
static_assert(texts_of_packet > name_text);

// Texts and pieces before a packet's own.
struct joined_place {
  std::uint32_t text;
  std::uint32_t piece;
};
[[nodiscard]] HOST_DEVICE inline joined_place place_before(joined_places const& places, unsigned n) {
  joined_place made{0, 0};
  UNROLLED_BY_4
  for (unsigned other = 0; other < n; ++other) {
    made.text += places.text_counts[other];
    made.piece += places.pieces[other];
  }
  return made;
}

// By a lane: notes a text of a packet. of: the packet, and its class.
HOST_DEVICE inline void note_text(inspect::text_view text, joined_text of, bool is_name, joined_place const& at,
                                  joined_places& places, joined_room& to) {
  auto const shift = shift_of_text(text);
  of.first_piece = static_cast<std::uint16_t>(at.piece);
  of.size = static_cast<std::uint16_t>(text.size);
  of.shift = static_cast<std::uint16_t>(shift & 15);
  places.texts[at.text] = of;
  to.sources[at.text] = is_name ? nullptr : text.bytes;
  NOT_UNROLLED
  for (std::uint32_t i = 0; i < pieces_of_text(text); ++i)
    places.owners[at.piece + i] = static_cast<std::uint8_t>(at.text);
  if (!is_name) return;
  auto* const name = to.bytes + at.piece * joined_room::piece_bytes + shift;
  NOT_UNROLLED
  for (std::uint32_t i = 0; i < text.size; ++i) name[i] = text.bytes[i];
}

// The memory that a piece is copied from; null: it is none, or of a name.
[[nodiscard]] HOST_DEVICE inline std::byte const* piece_source(joined_places const& places, joined_room const& to,
                                                               std::uint32_t pieces, std::uint32_t piece) {
  auto const number = places.owners[piece < pieces ? piece : 0];
  auto const& text = places.texts[number];
  auto const* const source = to.sources[number];
  if (piece >= pieces || source == nullptr) return nullptr;
  auto const at = (piece - text.first_piece) * joined_room::piece_bytes;
  return source - shift_of_text({source, text.size}) + at;
}

// By all lanes: copies the pieces of all texts but names.
HOST_DEVICE void copy_pieces(auto const& group, joined_places const& places, std::uint32_t pieces, joined_room& to) {
#if defined(__CUDA_ARCH__)
  // The reads of several pieces are under way at once: a write could change what is read after it.
  constexpr unsigned at_once = 4;
  NOT_UNROLLED
  for (auto first = group.lane(); first < pieces; first += at_once * group.lanes()) {
    std::byte const* from[at_once];
    uint4 read[at_once];
    UNROLLED
    for (unsigned i = 0; i < at_once; ++i) from[i] = piece_source(places, to, pieces, first + i * group.lanes());
    UNROLLED
    for (unsigned i = 0; i < at_once; ++i)
      read[i] = from[i] == nullptr ? uint4{} : *reinterpret_cast<uint4 const*>(from[i]);
    UNROLLED
    for (unsigned i = 0; i < at_once; ++i) {
      if (from[i] != nullptr) reinterpret_cast<uint4*>(to.bytes)[first + i * group.lanes()] = read[i];
    }
  }
#else
  for (auto piece = group.lane(); piece < pieces; piece += group.lanes()) {
    auto const& text = places.texts[places.owners[piece]];
    auto const* const from = piece_source(places, to, pieces, piece);
    auto const at = (piece - text.first_piece) * joined_room::piece_bytes;
    auto* const into = to.bytes + piece * joined_room::piece_bytes;
    for (std::uint32_t i = 0; from != nullptr && i < joined_room::piece_bytes && at + i < text.size; ++i)
      into[i] = from[i];
  }
#endif
}

}  // namespace detail

// By all lanes: joins the texts of the packets of these bits, from the first one on, as far as they have room.
template <class Group>
[[nodiscard]] HOST_DEVICE joined_group join_texts(Group const& group, inspection_ref const& tables,
                                                  group_facts const& facts, std::uint32_t wanted, inspection_room& room,
                                                  joined_room& to) {
  auto& places = room.joined;
  joined_group own;
  auto end = group.packets();
  // At first they are counted, then noted: the code is there once.
  NOT_UNROLLED
  for (unsigned pass = 0; pass < 2; ++pass) {
    NOT_UNROLLED
    for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
      bool const is_wanted = n < end && (wanted >> n & 1) != 0;
      if (!is_wanted && pass == 0) places.pieces[n] = places.text_counts[n] = 0;
      if (!is_wanted) continue;
      asked_names name;
      bool is_cut_off = false;
      auto const packet = detail::packet_with_texts(tables, room, facts, n, name, is_cut_off);
      auto at = pass == 0 ? detail::joined_place{0, 0} : detail::place_before(places, n);
      auto const first = at;
      auto const texts = has_other_text(packet) ? detail::texts_of_packet : 1;
      joined_text of{};
      of.packet = static_cast<std::uint16_t>(n & (joint_packets - 1));
      auto const class_number = cuda::std::countr_zero(detail::class_in_group(room.packets[n], facts.heads, n));
      of.class_number = static_cast<std::uint16_t>(class_number & 31);
      NOT_UNROLLED
      for (std::uint32_t i = 0; i < texts; ++i) {
        auto const text = detail::text_to_join(packet, i);
        if (text.size == 0) continue;
        if (pass == 1) detail::note_text(text, of, i == detail::name_text, at, places, to);
        at.piece += detail::pieces_of_text(text);
        ++at.text;
      }
      if (pass == 0) {
        places.pieces[n] = static_cast<std::uint16_t>(at.piece);
        places.text_counts[n] = static_cast<std::uint8_t>(at.text);
        if (packet.dotted_name_size != 0) own.asking |= 1U << n;
        if (is_cut_off) own.cut_off |= 1U << n;
      } else {
        own.pieces += at.piece - first.piece;
      }
    }
    group.sync();
    if (pass == 1) break;
    std::uint32_t beyond = 0;
    for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
      auto const at = detail::place_before(places, n + 1);
      if (at.piece > joined_room::pieces || at.text > joined_room::most_texts) beyond |= 1U << n;
    }
    beyond = group.sum(beyond);
    if (beyond != 0) end = lowest_bit(beyond);
  }
  joined_group const made{end, group.sum(own.pieces), group.sum(own.asking), group.sum(own.cut_off)};
  detail::copy_pieces(group, places, made.pieces, to);
  group.sync();
  return made;
}

enum class payload_place : std::uint8_t { in_room, where_it_lay };

// By all lanes: where payloads are read from here on. Payloads of streams, and payloads that begin with a head, are in
// the executor's memory, and stay there.
template <class Group>
HOST_DEVICE void place_payloads(Group const& group, group_facts const& facts, joined_group const& joined,
                                inspection_room& room, joined_room const& in, payload_place where) {
  auto const& places = room.joined;
  for (auto n = group.lane(); n < joined.end; n += group.lanes()) {
    auto& note = room.packets[n];
    bool const stays = (facts.heads >> n & 1) != 0 || (note.flags & note_flag::has_text) != 0;
    if (stays || places.text_counts[n] == 0) continue;
    auto const text = detail::place_before(places, n).text;
    note.first = where == payload_place::in_room ? in.bytes + places.texts[text].begin() : in.sources[text];
  }
  group.sync();
}

}  // namespace packetwarp::inspection_parts
