// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/mlx5_format.h"
#include "rdma/roce/frame_plan.h"
#include "rdma/roce/packet.h"
#include "rdma/roce/reliability.h"
#include "rdma/roce/send_window.h"

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

class requester {
 public:
  // most_writes: that are posted and not yet taken by next_finished(). Two windows of them are enough to send without
  // a pause, and more would take memory beyond a CPU's nearest caches: fewer of the two count.
  requester(reliability const& settings, std::uint32_t first_psn, std::uint32_t most_writes);

  [[nodiscard]] bool has_room() const { return posted_ - oldest_ < most_writes_; }
  // Whether it takes another write now: until a window's packets wait to be sent. Later writes wait in the send queue.
  [[nodiscard]] bool wants_write() const { return has_room() && window_.wants_packets(); }
  // Called only while has_room(): the write to be posted, which holds an earlier one until the caller sets all of it.
  // Filling it in place saves a copy, which would wait for the fields' stores.
  [[nodiscard]] outgoing_write& next_write() { return at(posted_).write; }
  // Posts next_write().
  void post();

  // Sets the next packet's fields and payload, if one may be sent now; the path and the queue number are the
  // caller's to set. The payload is valid until the write has finished.
  [[nodiscard]] bool next(std::uint64_t now, frame_plan& into);
  // An acknowledgement, positive or negative.
  void take(packet_fields const& answer, std::uint64_t now);
  // Looks for a time-out.
  void tick(std::uint64_t now);
  // Ends the connection, with the writes that have not ended. The first error stays.
  void fail(work_status error) { window_.fail(error); }
  // The next write that has ended, in the order of posting.
  [[nodiscard]] std::optional<finished_write> next_finished();

  [[nodiscard]] bool is_in_error() const { return window_.is_in_error(); }
  // Whether all that was posted has ended.
  [[nodiscard]] bool is_idle() const { return oldest_ == posted_; }
  [[nodiscard]] requester_counters const& counters() const { return window_.counters(); }

 private:
  // A write and its packets: [begin, begin + packets).
  struct placed_write {
    outgoing_write write;
    std::uint64_t begin{};
    std::uint64_t packets{};
  };
  [[nodiscard]] placed_write& at(std::uint64_t write) { return writes_[write & (writes_.size() - 1)]; }
  // The packets that may be sent end before the first write that failed before.
  [[nodiscard]] std::uint64_t end_of_sendable() const { return std::min(blocked_at_, window_.all()); }
  void follow();
  void end_writes();

  send_window window_;
  unsigned mtu_shift_;  // an MTU is a power of two
  std::uint32_t most_writes_;
  std::vector<placed_write> writes_;  // a ring of those below, a power of two of them
  std::uint64_t oldest_{};            // writes: taken by next_finished() before this one
  std::uint64_t ended_{};             // acknowledged before this one
  std::uint64_t sending_{};           // the write of the next packet
  std::uint64_t posted_{};
  std::uint64_t blocked_at_{~std::uint64_t{0}};  // packets from here on follow a write that failed before
  bool has_told_error_{};
};

}  // namespace packetwarp::rdma::roce
