// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "telemetry/run_report.h"

namespace packetwarp::telemetry {

// The newest report of a run, between the master, which makes it, and its readers. A report is made if a reader asks
// and the last report is older than a period: only the master touches the objects that a report describes, and a run
// without readers makes none.
class report_board {
 public:
  using clock = std::chrono::steady_clock;
  using shared_report = std::shared_ptr<run_report const>;

  explicit report_board(clock::duration period = std::chrono::seconds{1}) : period_{period} {}

  // Returns the newest report if it was younger than a period at `asked`, or has been made since, or the run is over;
  // else nothing, and requests a report. Never waits. A reader that asks repeatedly for one answer passes the time of
  // its first call: otherwise it would request for ever a report that is too old when it is read. Any thread.
  [[nodiscard]] shared_report fresh(clock::time_point asked);
  // The same, but waits for the report up to `patience`, without a wait if that is not above 0; nothing if the master
  // did not make it in time. age: the report's greatest age, where a period is longer than that. Not for the master.
  [[nodiscard]] shared_report wait_for_fresh(clock::duration patience, clock::duration age = clock::duration::max());

  // Whether a reader waits for a report: a load of one word. For the master.
  [[nodiscard]] bool is_asked_for() const { return asked_.load(std::memory_order_relaxed); }
  void post(run_report report, clock::time_point now);
  // Makes the newest report too old for all readers, because the run has changed in a way that they must see at once.
  // The last report stays fresh.
  void expire();
  // Puts the last report, which stays fresh.
  void close(run_report report);

 private:
  [[nodiscard]] shared_report fresh_locked(clock::time_point asked, clock::duration age);

  clock::duration period_;
  std::atomic<bool> asked_{false};
  std::mutex mutex_;
  std::condition_variable posted_;
  shared_report newest_;
  clock::time_point made_at_;
  bool is_closed_{false};
};

}  // namespace packetwarp::telemetry
