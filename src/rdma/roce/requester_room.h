// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "rdma/engine/queue_consumer.h"
#include "rdma/roce/frame_order.h"
#include "rdma/roce/lane_icrc.h"
#include "rdma/roce/send_window.h"

namespace packetwarp::rdma::roce {

// A write whose WQE was read and checked.
struct placed_write {
  std::uint64_t begin;    // its first packet
  std::uint64_t from;     // the payload; of an inline one, within the WQE
  std::uint64_t address;  // at the peer
  std::uint32_t rkey;
  std::uint32_t bytes;
  work_status status;  // an error that was found in the WQE: the write has no packets, and fails in its turn
  std::uint8_t wants_completion;
};

struct lane_connection {
  std::uint32_t remote_number;  // the peer's queue
  frame_pieces pieces;
  frame_path path;
  std::uint32_t mtu_shift;
  std::uint32_t most_writes;  // a power of two, at most the queue's size: the writes that are placed at a time
};

// The frames of a round, which a plan decides on: they are to be made, and then told of.
struct round_of_frames {
  std::uint64_t told;            // the word for the CPU, once they are made
  std::uint32_t has_news;        // 1 if the CPU is to be told: of frames, or of answers that were taken
  std::uint32_t count;           // of frames
  std::uint64_t rest_at[lanes];  // where frames go on, if they have two pieces; else 0
  alignas(64) frame_order orders[lanes];
};

// The state of a requester, which its lanes share. A warp reads the mailbox, another one plans with the slots that were
// read, and other warps make the frames of the plan before: two rounds of frames.
struct requester_room {
  HOST_DEVICE requester_room(queue_parts const& parts, cuda::thread_scope scope, reliability const& how,
                             std::uint32_t first_psn)
      : queue{parts, told_by::record, scope}, window{how, first_psn} {}

  static constexpr std::uint64_t no_packet = ~std::uint64_t{0};
  static constexpr std::uint32_t most_read = 64;  // slots of each kind that are read and not yet used

  queue_consumer queue;
  send_window window;
  std::uint64_t told{};                 // writes before it have had their CQEs
  std::uint64_t ended{};                // acknowledged before it
  std::uint64_t sending{};              // the write of the next packet
  std::uint64_t posted{};               // read from the queue, whose positions are the writes' numbers
  std::uint64_t blocked_at{no_packet};  // packets from here on follow a write that failed before
  std::uint64_t acknowledged{};         // first_unacked(), when writes were ended last
  // Slots of the mailbox, by their numbers since the beginning: the reader has read those before ..._read, and the plan
  // has used those before ..._taken. Each number is written by one of the two.
  std::uint64_t blanks_read{};
  std::uint64_t blanks_taken{};
  std::uint64_t answers_read{};
  std::uint64_t answers_taken{};
  std::uint64_t blanks[most_read];
  std::uint64_t rests[most_read];  // the second pieces of blanks
  std::uint64_t answers[most_read];
  // The reader's: slots as they were read last, which may be of the lap before.
  std::uint64_t seen_blanks[lanes];
  std::uint64_t seen_rests[lanes];
  std::uint64_t seen_answers[lanes];
  std::uint8_t has_told_error{};
  std::uint8_t lost_completions{};
  // The plan's, for a round.
  std::uint64_t now{};
  std::uint32_t count{};       // of the step
  std::uint32_t last_write{};  // of the last frame, after `sending`
  std::uint32_t last_ends{};   // 1 if that frame ends its write
  std::uint32_t has_news{};    // 1 if it took answers
  std::uint32_t asking{};      // frames that ask for an acknowledgement, a bit each
  std::uint64_t words[lanes];
  std::uint32_t packets[lanes];
  round_of_frames rounds[2];
};

// The numbers that the reader and the plan write: what one has written before is there for the other.
[[nodiscard]] HOST_DEVICE inline std::uint64_t number_of_other(std::uint64_t const& number) {
  return cuda::atomic_ref<std::uint64_t, cuda::thread_scope_block>{const_cast<std::uint64_t&>(number)}.load(
      cuda::memory_order_acquire);
}
HOST_DEVICE inline void tell_other(std::uint64_t& number, std::uint64_t value) {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_block>{number}.store(value, cuda::memory_order_release);
}

}  // namespace packetwarp::rdma::roce
