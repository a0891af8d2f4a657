// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "rdma/engine/engine_counters.h"
#include "rdma/engine/write_check.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// The engine's side of one queue on a CPU: a software HCA. It reads the queue as a ConnectX does: the doorbell tells it
// that there is work, the doorbell record up to where, and it reads no WQE beyond that.
class served_queue {
 public:
  explicit served_queue(queue_parts const& parts) : parts_{parts} {}
  // A queue that has gone through so many WQEs and CQEs already.
  served_queue(queue_parts const& parts, std::uint64_t executed, std::uint64_t produced)
      : parts_{parts}, end_{executed}, next_{executed}, produced_{produced} {}

  // Executes up to `most` WQEs, and returns how many it has completed.
  std::uint32_t serve(region_table_ref regions, std::uint32_t most);

  [[nodiscard]] engine_counters const& counters() const { return counters_; }
  [[nodiscard]] bool in_error() const { return in_error_; }

 private:
  void look_at_doorbell();
  void execute(region_table_ref regions);
  void move_bytes(checked_write const& write);
  void complete(work_status status);
  void fail(work_status status);

  queue_parts parts_;
  std::uint64_t doorbell_{};  // as it was last seen
  std::uint64_t end_{};       // positions that were committed
  std::uint64_t next_{};      // the position that is executed next
  std::uint64_t produced_{};  // CQEs
  bool in_error_{};
  engine_counters counters_;
};

// Engine `host`: a thread that serves queues until it is destroyed.
class host_engine {
 public:
  // The queues' memory and the regions outlive it.
  host_engine(std::span<queue_parts const> queues, region_table_ref regions);
  host_engine(host_engine const&) = delete;
  host_engine& operator=(host_engine const&) = delete;
  ~host_engine();

  // Ends the thread. Work that was committed is then done.
  void stop();
  // The sum over all queues, after stop().
  [[nodiscard]] engine_counters counters() const;

 private:
  void run(std::stop_token const& asked);

  std::vector<served_queue> queues_;
  region_table_ref regions_;
  std::jthread thread_;
};

}  // namespace packetwarp::rdma
