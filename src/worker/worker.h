// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/counter.h"
#include "worker/big_loops.h"
#include "worker/job.h"
#include "worker/mailbox.h"

namespace packetwarp {

// The master's signals to all workers, on a cache line that each of them reads once per loop iteration.
struct alignas(64) worker_signals {
  std::atomic<run_phase> phase{run_phase::running};
  std::atomic<std::uint64_t> posted{0};  // messages put into any mailbox: when it changes, each worker checks its own
};

// An lcore that polls its jobs in turn until the phase is halted, and counts the use of its time: every iteration as a
// whole, and the first iterations and then one in sixteen job by job, because reading the clock costs about as much as
// receiving a packet.
class worker {
 public:
  // The cost of one job, in the iterations that were timed. Written by the worker's thread, read by any.
  struct job_account {
    explicit job_account(job& polled) : what{&polled} {}
    job* what;
    telemetry::counter calls;      // polls that moved packets
    telemetry::counter cycles;     // of these polls
    telemetry::counter packets;    // that these polls moved
    telemetry::counter big_loops;  // of the worker's big loops, the ones that this job took most of
  };

  // signals: the master's; they outlive the worker.
  explicit worker(worker_signals const& signals) : signals_{signals} {}

  // Called before run(). The job is polled after the jobs added earlier, and outlives the worker.
  void add(job& what) { accounts_.push_back(std::make_unique<job_account>(what)); }
  // Called on the worker's own thread, between loop iterations: from here on none of its jobs touches the port.
  void leave(port_id gone);
  // Called on the same thread: the worker's jobs use the port again, which they had left.
  void rejoin(port_id back);
  // Called before run(). Loop iterations of this length are recorded; 0 for none.
  void record_big_loops(cycles threshold) { big_.set_threshold(threshold); }
  // Called before run(). After iterations that move nothing, the worker sleeps this long between them; 0: it polls all
  // the time.
  void sleep_when_idle(std::chrono::nanoseconds time) { poll_sleep_ = time; }
  // Polls until halted. On the worker's own thread.
  void run();
  // run() is over, and all it did is visible to the caller.
  [[nodiscard]] bool has_returned() const { return returned_.load(std::memory_order_acquire); }
  // Runs one loop iteration, and the sleep after it, for a thread with other work between them. Returns how many
  // packets moved.
  std::uint32_t run_once();

  // The thread has done something else since the last iteration, until now: that time counts as idle.
  void resume(cycles now);

  [[nodiscard]] std::vector<std::unique_ptr<job_account>> const& accounts() const { return accounts_; }
  // The number of finished loop iterations. A reader that sees an iteration counted sees its effects.
  [[nodiscard]] std::uint64_t loops() const { return loops_.load(std::memory_order_acquire); }
  // Cycles in iterations that moved packets, cycles in all other iterations and between them, and their sum.
  [[nodiscard]] cycles busy_cycles() const { return busy_.read(); }
  [[nodiscard]] cycles idle_cycles() const { return idle_.read(); }
  [[nodiscard]] cycles all_cycles() const { return busy_cycles() + idle_cycles(); }
  [[nodiscard]] bool has_jobs() const { return !accounts_.empty(); }
  [[nodiscard]] big_loop_recorder const& big() const { return big_; }
  // Forgets all big loops. Called on the worker's own thread, or after the thread has ended.
  void reset_big_loops();
  // The master posts messages here.
  [[nodiscard]] mailbox& mail() { return mail_; }
  [[nodiscard]] mailbox const& mail() const { return mail_; }

 private:
  // The iterations that are timed job by job: one in sampled_loops, and the first loops_all_timed that moved packets,
  // so that short runs are seen whole.
  static constexpr std::uint64_t sampled_loops = 16;
  static constexpr std::uint64_t loops_all_timed = 1024;
  // Idle iterations in a row before a worker sleeps: packets that follow soon do not wait.
  static constexpr std::uint32_t loops_before_sleep = 64;
  std::uint32_t take_turn(run_phase phase);
  void rest_after(std::uint32_t moved, run_phase phase);
  std::uint32_t poll_all(tick const& t);
  std::uint32_t poll_each_timed(tick t);
  std::uint32_t poll_each_watched(tick const& t);
  void end_big_loop(cycles began, cycles took, std::optional<std::size_t> job);

  worker_signals const& signals_;
  std::vector<std::unique_ptr<job_account>> accounts_;
  std::chrono::nanoseconds poll_sleep_{0};
  std::uint32_t idle_loops_{0};  // in a row
  cycles turn_began_{0};
  std::uint64_t busy_loops_{0};
  std::uint64_t seen_posted_{0};
  // The job that takes the time of a big loop is known only in iterations that are timed job by job. After a big loop
  // without a known job, all iterations are timed until the next big loop or for a second; then not again for nine
  // times as long.
  std::size_t slowest_job_{0};
  cycles watching_since_{0};
  cycles watches_until_{0};
  cycles watches_from_{0};
  big_loop_recorder big_;
  mailbox mail_;
  std::atomic<bool> returned_{false};
  alignas(64) std::atomic<std::uint64_t> loops_{0};
  telemetry::counter busy_;
  telemetry::counter idle_;
};

}  // namespace packetwarp
