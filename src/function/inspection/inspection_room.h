// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/group.h"
#include "function/inspection/joined_room.h"
#include "function/inspection/packet_note.h"
#include "inspect/match/groups.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspection_parts {

// The decision of the rules about a packet.
enum class fate : std::uint8_t { goes_on, dropped, rejected };

// Sets bits of a word that the lanes of a group share; returns the word before.
HOST_DEVICE inline std::uint32_t put(auto const& group, std::uint32_t& word, std::uint32_t bits) {
  if (group.lanes() != 1) {
    return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block>{word}.fetch_or(bits, cuda::memory_order_relaxed);
  }
  auto const before = word;
  word |= bits;
  return before;
}

// The rules that a packet may match, by their numbers among those that a packet alone may match: as many as are judged
// in one round. Lanes add side by side; the order of the bits is the order in which a packet meets the rules.
struct rule_marks {
  static constexpr std::uint32_t rules = 8192;
  static constexpr std::uint32_t words = rules / 32;

  std::uint32_t marked[words];
  std::uint32_t used[words / 32];  // a bit per word that may be other than 0

  // Whether the rule was not marked before. Called by a lane of the group.
  HOST_DEVICE bool add(auto const& group, std::uint32_t n) {
    auto const bit = 1U << (n & 31);
    auto const word = n >> 5;
    if ((put(group, marked[word], bit) & bit) != 0) return false;
    (void)put(group, used[word >> 5], 1U << (word & 31));
    return true;
  }
  // Called by a lane of the group, while no other one reads the rule's word.
  HOST_DEVICE void take_back(auto const& group, std::uint32_t n) {
    auto const bit = 1U << (n & 31);
    auto& word = marked[n >> 5];
    if (group.lanes() != 1) {
      cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block>{word}.fetch_and(~bit, cuda::memory_order_relaxed);
    } else {
      word &= ~bit;
    }
  }
};

// The rules without a literal that packets' headers match, and the rows that say so (group_rules.h). In 16 bits each:
// what a room takes is missing in a GPU's L1 cache.
struct group_rules {
  static constexpr std::uint32_t most = 4;  // of a packet

  std::uint16_t rules[joint_packets][most];                // numbers of rules
  std::uint16_t rows[joint_packets][inspect::group_axes];  // numbers of rows
  std::uint32_t have_some;                                 // bits of packets: have a rule here
  std::uint32_t have_more;                                 // bits of packets: have more rules than there is room for
};

// The positions of texts that lanes hand to each other (window_starts.h, group_search.h).
struct handed_starts {
  static constexpr std::uint32_t most = 88;

  std::uint16_t positions[most];
  std::uint32_t count;  // also of those without room; 0 outside a search
};

// The memory that a group shares. 16 rooms, the packets' headers, and the 1 KB that CUDA keeps for a block leave 124 KB
// of an H100's multiprocessor to its L1 cache; with 92 KB inspection of 64-byte packets by 5,000 literals was a fifth
// slower.
struct inspection_room {
  // A payload in two pieces is copied here; for several lanes also others of packets that are judged alone, because
  // they read it again and again.
  static constexpr std::uint32_t payload_bytes = 1472;  // of UDP in an MTU of 1,500
  static constexpr std::uint32_t copied_bytes = 16;     // by a lane of a GPU at a time

  packet_note packets[joint_packets];
  union {
    alignas(16) std::byte payload[payload_bytes + copied_bytes];  // of a packet that is judged alone
    joined_places joined;                                         // of packets that are judged together
  };
  union {
    gathered_packet gathered[joint_packets];  // until the group begins, with packet_slots (keep_packets.h)
    rule_marks marks;
  };
  union {
    tcp_numbers numbers[joint_packets];  // until the group's streams are carried (carry_streams.h)
    group_rules grouped;                 // then
  };
  handed_starts starts;
  fate fates[joint_packets];
  std::uint32_t set;        // that the group is judged by
  std::uint16_t is_ended;   // a rule of action pass has matched the packet
  std::uint16_t count;      // of packets that have gathered
  std::uint32_t joined_in;  // number of the group's joined_room, or joined_rooms_ref::none
  std::uint32_t tcp;        // bits of packets of TCP: no other one is of a stream or begins a message of HTTP
  // Packets that are judged together have these:
  std::uint32_t pairs;         // rule_pairs: also those without room
  std::uint32_t without_room;  // rule_pairs
  std::uint32_t bypassing;     // bits of packets whose own match has bypassed their flow
  static constexpr std::uint16_t no_head = 0xffff;
  std::uint16_t heads[joint_packets];  // numbers of head_rooms, or no_head
};
inline constexpr std::size_t bytes_of_near_header = 76;  // executor/gpu/program.h
inline constexpr std::size_t bytes_of_kernel = 64;       // its own shared words, and more
static_assert(16 * (sizeof(inspection_room) + joint_packets * bytes_of_near_header) + bytes_of_kernel + 1024 <=
              132 * 1024);

// The lowest bit of a word that is not 0.
[[nodiscard]] HOST_DEVICE inline std::uint32_t lowest_bit(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(word))) - 1;
#else
  return static_cast<std::uint32_t>(__builtin_ctz(word));
#endif
}

[[nodiscard]] HOST_DEVICE inline std::uint32_t bits_in(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popc(word));
#else
  return static_cast<std::uint32_t>(__builtin_popcount(word));
#endif
}

struct payload_piece {
  std::byte const* data;
  std::uint32_t size;
};

// A warp reads the aligned pieces of 16 bytes that the bytes lie in, side by side: from host memory in one round trip
// for 512 bytes. The first and the last piece may have other bytes of the same packet's memory. to: room for 16 bytes
// more. Returns the copy's first byte.
#if defined(__CUDA_ARCH__)
[[nodiscard]] __device__ inline std::byte const* copy_by_pieces(auto const& group, std::byte const* from,
                                                                std::uint32_t size, std::byte* to) {
  constexpr auto bytes = inspection_room::copied_bytes;
  auto const shift = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) % bytes);
  auto const* const in = reinterpret_cast<uint4 const*>(from - shift);
  auto* const out = reinterpret_cast<uint4*>(to);
  for (auto i = group.lane(); i * bytes < shift + size; i += group.lanes()) out[i] = in[i];
  return to + shift;
}
#endif

// The packet's payload in one piece: where it lies, or copied by all lanes. cut: set if the piece is not all of it.
[[nodiscard]] HOST_DEVICE payload_piece whole_payload(auto const& group, packet_note const& note, inspection_room& room,
                                                      bool& is_cut) {
  auto const all = std::uint32_t{note.first_size} + note.second_size;
  is_cut = all < note.payload_length;
  constexpr auto most = inspection_room::payload_bytes;
  // A payload that a single lane reads, or that has no room, stays where it is; so does one that its stream is around.
  bool const stays = group.lanes() == 1 || all > most || (note.flags & note_flag::in_text) != 0;
  if (note.second_size == 0 && stays) return {note.first, note.first_size};
  auto const size = all < most ? all : most;
  if (size < all) is_cut = true;
  std::byte const* copy = room.payload;
#if defined(__CUDA_ARCH__)
  if (note.second_size == 0) {
    copy = copy_by_pieces(group, note.first, size, room.payload);
    group.sync();
    return {copy, size};
  }
#endif
  for (auto i = group.lane(); i < size; i += group.lanes()) {
    room.payload[i] = i < note.first_size ? note.first[i] : note.second[i - note.first_size];
  }
  group.sync();
  return {copy, size};
}

}  // namespace packetwarp::inspection_parts
