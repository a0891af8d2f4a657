// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "memory/table_memory.h"

struct rte_mbuf;

namespace packetwarp {

// Frames of a file, at least one, each from its Ethernet header on and without a frame check sequence.
struct frame_list {
  std::string file;
  std::vector<std::span<std::byte const>> frames;
};

// Throws usage_error that names the first frame for which a packet with this data room has no room.
void require_room(frame_list const& list, std::uint32_t data_room);

// A queue's share of a list's frames, among `queues` queues.
struct frame_share {
  queue_id queue;
  std::uint16_t queues{1};
};

// The processor that works on packets after they have been written over: a core, whose caches have them when they come
// again, or a GPU, after which no cache of the core has them.
enum class worked_on : std::uint8_t { by_core, by_gpu };

// A queue's share of frames, written into packets in order and round and round. Each frame begins a cache line and is
// copied by whole lines, so that a frame of up to 64 bytes is one copy of constant size. For one thread at a time.
class alignas(64) replayed_frames {
 public:
  // Takes every n-th frame of n queues, from the queue's own number on. With fewer frames than queues, a queue takes a
  // single frame, which other queues share.
  replayed_frames(frame_list const& list, frame_share share, worked_on by);

  // Writes over packets that were received. The caller owns them, and they have room for every frame.
  void write_over(std::span<rte_mbuf* const> packets);
  // Writes into packets as their pool gives them, in place of a driver: all fields that a driver fills in are filled
  // in.
  void write_new(std::span<rte_mbuf* const> packets, port_id received_by);

 private:
  struct frame_place {
    std::uint32_t line;
    std::uint32_t length;
  };
  // how: the other work on each packet.
  template <class How>
  void write_ahead(std::span<rte_mbuf* const> packets, How const& how);
  void ask_for_all_lines(std::span<rte_mbuf* const> packets) const;
  template <class How>
  void write(std::span<rte_mbuf* const> packets, How const& how);
  template <class How>
  void write_lines(std::span<rte_mbuf* const> packets, How const& how) const;
  template <class How>
  void write_of_one_length(std::span<rte_mbuf* const> packets, How const& how) const;
  template <class How>
  void write_of_any_length(std::span<rte_mbuf* const> packets, How const& how) const;

  std::byte const* lines_{};
  std::size_t frames_{};
  std::size_t next_{0};
  std::uint32_t length_{};           // of all frames; 0 if they differ
  std::vector<frame_place> places_;  // of frames that differ in length
  worked_on by_;
  table_memory memory_;
};

}  // namespace packetwarp
