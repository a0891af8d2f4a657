// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "rdma/engine/engine_counters.h"
#include "rdma/engine/queue_consumer.h"
#include "rdma/engine/write_check.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// The memory that engine `host` reaches: that which its process has registered. If there is a peer's, remote addresses
// and rkeys are of that memory alone. The peer's outlives the engine.
struct reachable_memory {
  // NOLINTNEXTLINE(google-explicit-constructor): most engines have no peer
  reachable_memory(region_table_ref own) : registered{own} {}
  reachable_memory(region_table_ref own, mapped_region const& of_peer) : registered{own}, peer{&of_peer} {}
  region_table_ref registered;
  mapped_region const* peer{};
};

// A queue of engine `host`: a software HCA.
class served_queue {
 public:
  explicit served_queue(queue_parts const& parts) : queue_{parts} {}
  // A queue that has gone through so many WQEs and CQEs already.
  served_queue(queue_parts const& parts, std::uint64_t executed, std::uint64_t produced)
      : queue_{parts, executed, produced} {}

  // Executes up to `most` WQEs, or fewer of many bytes, and returns how many it has completed. A write into a peer's
  // memory changes its last byte after all others, so that a thread of the peer may poll that byte.
  std::uint32_t serve(reachable_memory const& memory, std::uint32_t most);

  [[nodiscard]] engine_counters const& counters() const { return queue_.counters(); }
  [[nodiscard]] bool in_error() const { return in_error_; }

 private:
  void look_at_doorbell();
  void execute(reachable_memory const& memory);
  void move_bytes(checked_write const& write);
  void move_to_peer(checked_write const& write);
  void count(checked_write const& write);
  void complete(std::uint64_t position, work_status status);
  void fail(std::uint64_t position, work_status status);

  queue_consumer queue_;
  bool in_error_{};
};

// Engine `host`: a thread that serves queues until it is destroyed.
class host_engine {
 public:
  // The queues' memory and the regions outlive it.
  host_engine(std::span<queue_parts const> queues, reachable_memory const& memory);
  host_engine(host_engine const&) = delete;
  host_engine& operator=(host_engine const&) = delete;
  ~host_engine();

  // Ends the thread. Work that was committed is then done.
  void stop();
  // Ends the thread after a few writes at most, whatever was committed.
  void abandon();
  // The sum over all queues, after stop().
  [[nodiscard]] engine_counters counters() const;

 private:
  void run(std::stop_token const& asked);

  std::vector<served_queue> queues_;
  reachable_memory memory_;
  std::atomic<bool> is_abandoned_{false};
  std::jthread thread_;
};

}  // namespace packetwarp::rdma
