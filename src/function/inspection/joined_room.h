// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/group.h"
#include "function/inspection/shared_rooms.h"
#include "inspect/compiled/ruleset.h"

namespace packetwarp::inspection_parts {

// The bytes of a packet, as its group gathers it.
struct gathered_packet {
  std::byte const* data;
  std::byte const* rest;
  std::uint32_t contiguous;
  std::uint32_t rest_contiguous;
};

// An alert of the group's that is published with its packet.
struct held_alert {
  std::uint64_t ticket;
  std::uint32_t packet;  // number in the group
};

// The memory in which a group puts the texts of its packets one after the other, so that they are searched as one: a
// GPU's lanes then have the same number of bytes each, and read a packet's memory, which may be the host's, once.
struct alignas(128) joined_room {
  static constexpr std::uint32_t piece_bytes = 16;  // that a lane copies, and searches, at a time
  static constexpr std::uint32_t pieces = 1024;
  static constexpr std::uint32_t most_texts = 48;
  static constexpr std::uint32_t most_held = 32;

  alignas(16) std::byte bytes[(pieces + 1) * piece_bytes];  // a word after a piece is read with it
  std::byte const* sources[most_texts];                     // by text: where it was copied from
  gathered_packet packets[joint_packets];                   // with packet_slots (keep_packets.h)
  std::uint32_t spent[joint_packets];                       // bytes, by the packet's rules (shared_budget.h)
  held_alert held[most_held];
  std::uint32_t held_count;
  std::uint32_t is_taken;
};

using joined_rooms_ref = shared_rooms_ref<joined_room>;
static_assert(std::is_trivially_copyable_v<joined_rooms_ref>);

// A text among those that a group has joined.
struct joined_text {
  std::uint16_t first_piece;
  std::uint16_t size;
  std::uint16_t shift : 4;         // of the text's first byte in its first piece
  std::uint16_t packet : 5;        // number in the group
  std::uint16_t class_number : 5;  // of the packet: the bit of inspect::packet_class()

  [[nodiscard]] HOST_DEVICE std::uint32_t begin() const { return first_piece * joined_room::piece_bytes + shift; }
};
static_assert(sizeof(joined_text) == 6 && joined_room::piece_bytes == 1U << 4 && joint_packets == 1U << 5);
static_assert(inspect::packet_classes <= 1U << 5);

// The places of the joined texts, in the memory that a group shares.
struct joined_places {
  joined_text texts[joined_room::most_texts];
  std::uint8_t owners[joined_room::pieces];  // numbers of texts
  // By packet:
  std::uint16_t pieces[joint_packets];
  std::uint8_t text_counts[joint_packets];
};

}  // namespace packetwarp::inspection_parts
