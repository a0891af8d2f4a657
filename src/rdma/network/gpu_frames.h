// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/roce/mailbox.h"

struct rte_mbuf;
struct rte_mempool;

namespace packetwarp::rdma {

// The pools of a port's frames. Whole frames may have their data in GPU memory. Frames in two pieces have the second
// one in an mbuf of its own, whose data is there.
struct frame_pools {
  rte_mempool* frames;   // or their first pieces, which are in host memory
  rte_mempool* rests{};  // nullptr: frames have one piece
};

// The mbufs that a port's thread gives to requesters on a GPU as blanks, and gets back as frames. For one thread.
class gpu_frames {
 public:
  // Blanks that a queue has at a time, so that a pool holds them all.
  static constexpr std::uint32_t blanks_per_queue = 128;

  // Room in an mbuf of a first piece, beyond its bytes, so that it can begin at a line of 128 bytes.
  static constexpr std::uint32_t room_to_align = 128;

  // ends: of the queues' mailboxes, which outlive it. lead: bytes from a multiple of 16 to the beginning of a frame.
  gpu_frames(std::span<roce::mailbox_end> ends, std::size_t lead) : ends_{ends}, lead_{lead}, given_(ends.size()) {}

  // Gives blanks to all queues that lack some, as far as the pools have them: the same pools in each call.
  void give(frame_pools const& pools);
  // Takes frames that were made, and returns how many. As the mark of a flow rule (hash.fdir.hi), each has the position
  // of its queue among the ends: an end to which a port in this process hands the mbuf need not read the frame for it.
  [[nodiscard]] std::size_t take(std::span<rte_mbuf*> into);
  // Frees the blanks. The GPU writes no more.
  void release();
  // Acknowledgements of the peer that were dropped, because a GPU had not read earlier ones.
  [[nodiscard]] std::uint64_t answers_dropped() const;

 private:
  static constexpr std::size_t burst = 32;
  static constexpr std::size_t ahead = 8;  // mbufs that are fetched before they are written
  // A queue's mbufs, in the order of its blanks.
  struct ring {
    std::array<rte_mbuf*, roce::mailbox::most_blanks> packets{};
    std::array<rte_mbuf*, roce::mailbox::most_blanks> rests{};  // of frames in two pieces
    std::uint64_t given{};
    std::uint64_t taken{};
  };

  void give_whole(std::size_t n, rte_mempool& pool);
  void give_pairs(std::size_t n, frame_pools const& pools);
  [[nodiscard]] std::uint16_t first_at(rte_mbuf const& packet, std::uint32_t behind) const;
  void set_frame(rte_mbuf& packet, std::uint16_t bytes, std::size_t of_queue) const;
  void set_pair(rte_mbuf& packet, rte_mbuf& rest, std::uint16_t bytes, std::size_t of_queue) const;

  std::span<roce::mailbox_end> ends_;
  std::size_t lead_;
  std::vector<ring> given_;
  frame_pools pools_{};  // of the blanks that were given
  std::size_t turn_{};   // the queue whose frames are taken first
};

}  // namespace packetwarp::rdma
