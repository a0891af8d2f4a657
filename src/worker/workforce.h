// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "worker/worker.h"

namespace packetwarp {

// The workers of one run: jobs are dealt to lcores, started together and stopped in order.
//   running -> draining -> (abandoning) -> halted
// The caller's thread is the main lcore. It runs the master's work, and the jobs dealt to the main lcore if there are
// any.
class workforce {
 public:
  // The master's work between loop iterations: watches, prints, decides when to stop. Called on the main lcore.
  class master {
   public:
    virtual ~master() = default;
    // Runs a loop iteration; returns the phase from now on, never an earlier one.
    [[nodiscard]] virtual run_phase supervise(cycles now) = 0;
    // The master's sleep before the next iteration if it has no jobs, so that it takes no CPU time from workers on the
    // same CPU; 0 for none.
    [[nodiscard]] virtual std::chrono::nanoseconds rest() const { return std::chrono::milliseconds{1}; }
  };

  workforce() = default;
  workforce(workforce const&) = delete;
  workforce& operator=(workforce const&) = delete;

  [[nodiscard]] worker& on(lcore_id lcore);
  [[nodiscard]] std::map<lcore_id, std::unique_ptr<worker>> const& workers() const { return workers_; }

  // Loop iterations of each worker that has jobs, in the order of their lcores. When a worker's number has grown by
  // two, a whole iteration lies in between, and all its effects are visible to the caller.
  [[nodiscard]] std::vector<std::uint64_t> loops() const;
  // For the master: puts a message into a worker's mailbox and returns the message's number; nothing if the mailbox is
  // full. See worker_messages.h.
  [[nodiscard]] std::optional<std::uint64_t> post(lcore_id to, std::shared_ptr<worker_message> what);

  // Called before run(): the master's iterations that take this long are recorded; 0 for none.
  void record_big_looks(cycles threshold) { big_looks_.set_threshold(threshold); }
  [[nodiscard]] big_loop_recorder const& big_looks() const { return big_looks_; }
  void reset_big_looks() { big_looks_.reset(); }

  // Loop iterations of the worker with the fewest since it was launched.
  [[nodiscard]] std::uint64_t least_loops() const;

  // Launches every worker that has jobs and supervises until halted; joins them even if something throws. If a worker
  // does not come back within grace of halting, its thread is lost in a driver: the process ends there, with one line
  // and exit status 1.
  void run(master& m, std::chrono::milliseconds grace);

 private:
  void launch();
  void supervise(master& m);
  void join(std::chrono::milliseconds grace);
  worker_signals signals_;
  big_loop_recorder big_looks_;
  std::map<lcore_id, std::unique_ptr<worker>> workers_;
  std::vector<lcore_id> launched_;
};

}  // namespace packetwarp
