// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "rdma/roce/connection.h"

namespace packetwarp::rdma::roce {

// The counters of an engine: the sums over its connections, and the frames that no connection took.
struct roce_counters {
  engine_counters queues{};
  requester_counters sent{};
  responder_counters received{};
  answer_counters answers{};
  std::uint64_t frames{};        // received, of any kind
  std::uint64_t other_frames{};  // no RoCEv2 packets over IPv4
  std::uint64_t malformed{};
  std::uint64_t of_another_type{};  // of another connection type than RC, such as UC
  std::uint64_t bad_icrc{};         // dropped without an answer
  std::uint64_t of_no_queue{};
  std::uint64_t of_no_peer{};       // another address than the connection's peer
  std::uint64_t of_no_partition{};  // another partition than the default one
  std::uint64_t of_no_responder{};  // requests to a responder elsewhere, which reads no frames of this form
};

// Engine `roce`: reliable connections over frames, without input or output. The caller brings frames, fetches frames,
// and tells the time, in ns of a clock that never goes back. For one thread.
class roce_engine {
 public:
  // The regions outlive it.
  explicit roce_engine(region_table_ref regions) : regions_{regions} {}

  // Throws usage_error for an MTU that is not possible, or a queue number that is in use.
  void add(connection_settings const& settings, request_source const& source);

  // Reads all send queues, looks for time-outs, and writes CQEs. Called after frames were taken, too.
  void serve(std::uint64_t now);
  void take(std::span<std::byte const> frame, std::uint64_t now);
  // Sets the next frame to send, all of it, if there is one now.
  [[nodiscard]] bool next_frame(std::uint64_t now, frame_plan& into);
  // Makes the next frame and returns its bytes; 0 if there is none to send now. `room` has most_frame_bytes(). All
  // payload is in memory that CPUs reach.
  [[nodiscard]] std::size_t make_frame(std::span<std::byte> room, std::uint64_t now);

  [[nodiscard]] std::size_t most_frame_bytes() const { return most_overhead + largest_mtu_; }
  // Whether all writes that were committed have ended.
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] std::span<connection> connections() { return connections_; }
  [[nodiscard]] roce_counters counters() const;

 private:
  [[nodiscard]] connection* connection_of(std::uint32_t number);
  // The counter of frames that are dropped with this result.
  [[nodiscard]] std::uint64_t& counter_of(frame_result dropped);

  region_table_ref regions_;
  std::vector<connection> connections_;
  std::unordered_map<std::uint32_t, std::size_t> of_number_;
  std::size_t turn_{};        // the connection that sends next
  std::uint32_t in_a_row_{};  // frames that it has sent
  std::uint32_t largest_mtu_{};
  roce_counters own_;  // of frames alone
};

}  // namespace packetwarp::rdma::roce
