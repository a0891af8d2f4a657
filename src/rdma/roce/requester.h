// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/mlx5_format.h"
#include "rdma/roce/frame_plan.h"
#include "rdma/roce/packet.h"
#include "rdma/roce/reliability.h"

namespace packetwarp::rdma::roce {

// The requester of a reliable connection (InfiniBand Architecture 1.4, 9.7): it cuts writes into packets, and follows
// acknowledgements, sequence errors (it goes back to the packet that is missing, and sends all from there on again),
// RNR NAKs and time-outs. It does no input or output and reads no clock: the caller sends the packets, and gives the
// time. For one thread.

// A write to send. A status other than done is an error found before: the write fails in its turn.
struct outgoing_write {
  std::uint64_t position{};  // in the send queue
  std::byte const* from{};   // nullptr: the payload is `within`
  std::array<std::byte, most_inline> within{};
  std::uint32_t bytes{};
  std::uint64_t address{};  // at the peer
  std::uint32_t rkey{};
  work_status status{work_status::done};
  bool wants_completion{};
};

struct finished_write {
  std::uint64_t position{};
  work_status status{work_status::done};
  bool wants_completion{};
};

struct requester_counters {
  std::uint64_t packets{};  // sent, those sent again included
  std::uint64_t sent_again{};
  std::uint64_t acknowledgements{};  // that made progress
  std::uint64_t stale_answers{};     // old ones, or of packets that were not sent
  std::uint64_t sequence_naks{};
  std::uint64_t rnr_naks{};
  std::uint64_t fatal_naks{};
  std::uint64_t timeouts{};
};

class requester {
 public:
  // most_writes: that are posted and not yet taken by next_finished(). Two windows of them are enough to send without
  // a pause, and more would take memory beyond a CPU's nearest caches: fewer of the two count.
  requester(reliability const& settings, std::uint32_t first_psn, std::uint32_t most_writes);

  [[nodiscard]] bool has_room() const { return posted_ - oldest_ < most_writes_; }
  // Whether it takes another write now: until a window's packets wait to be sent. Later writes wait in the send queue.
  [[nodiscard]] bool wants_write() const { return has_room() && (is_in_error() || all_ - next_ < settings_.window); }
  // Called only while has_room(): the write to be posted, which holds an earlier one until the caller sets all of it.
  // Filling it in place saves a copy, which would wait for the fields' stores.
  [[nodiscard]] outgoing_write& next_write() { return at(posted_).write; }
  // Posts next_write().
  void post();

  // Sets the next packet's fields, payload and its place, if one may be sent now; the path and the queue number are the
  // caller's to set. The payload is valid until the write has finished.
  [[nodiscard]] bool next(std::uint64_t now, frame_plan& into);
  // An acknowledgement, positive or negative.
  void take(packet_fields const& answer, std::uint64_t now);
  // Looks for a time-out.
  void tick(std::uint64_t now);
  // The next write that has ended, in the order of posting.
  [[nodiscard]] std::optional<finished_write> next_finished();

  [[nodiscard]] bool is_in_error() const { return error_ != work_status::done; }
  // Whether all that was posted has ended.
  [[nodiscard]] bool is_idle() const { return oldest_ == posted_; }
  [[nodiscard]] std::uint32_t unacknowledged() const { return static_cast<std::uint32_t>(next_ - first_unacked_); }
  [[nodiscard]] requester_counters const& counters() const { return counters_; }

 private:
  // A write and its packets: [begin, begin + packets). Packet numbers have 64 bits; a PSN is the low 24 of them.
  struct placed_write {
    outgoing_write write;
    std::uint64_t begin{};
    std::uint64_t packets{};
  };
  [[nodiscard]] placed_write& at(std::uint64_t write) { return writes_[write & (writes_.size() - 1)]; }
  [[nodiscard]] std::uint32_t psn_of(std::uint64_t packet) const {
    return static_cast<std::uint32_t>(first_psn_ + packet) & psn_mask;
  }
  [[nodiscard]] bool asks(placed_write const& placed, std::uint64_t packet) const;
  void acknowledge_before(std::uint64_t packet, std::uint64_t now);
  void end_writes();
  void go_back();
  void spend_retry(work_status otherwise);
  void take_negative(packet_fields const& answer, std::uint64_t now);
  void wait_until_ready(std::uint8_t timer, std::uint64_t now);

  reliability settings_;
  unsigned mtu_shift_;  // an MTU is a power of two
  std::uint32_t first_psn_;
  std::uint32_t most_writes_;
  std::vector<placed_write> writes_;  // a ring of those below, a power of two of them
  std::uint64_t oldest_{};            // writes: taken by next_finished() before this one
  std::uint64_t ended_{};             // acknowledged before this one
  std::uint64_t sending_{};           // the write of the next packet
  std::uint64_t posted_{};
  std::uint64_t first_unacked_{};  // packets
  std::uint64_t next_{};
  std::uint64_t highest_{};     // packets below it have been sent at least once
  std::uint64_t all_{};         // packets of all posted writes
  std::uint64_t last_asked_{};  // the packet that asked for an acknowledgement last, plus one
  std::uint64_t deadline_{};
  std::uint64_t quiet_until_{};  // after an RNR NAK
  std::uint32_t retries_left_;
  std::uint32_t rnr_retries_left_;
  work_status error_{work_status::done};
  bool has_told_error_{};
  requester_counters counters_;
};

}  // namespace packetwarp::rdma::roce
