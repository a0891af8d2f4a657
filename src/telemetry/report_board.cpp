// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/report_board.h"

#include <algorithm>
#include <utility>

namespace packetwarp::telemetry {

report_board::shared_report report_board::fresh_locked(clock::time_point asked, clock::duration age) {
  if (newest_ && (is_closed_ || asked - made_at_ < std::min(age, period_))) return newest_;
  asked_.store(true, std::memory_order_relaxed);
  return nullptr;
}

report_board::shared_report report_board::fresh(clock::time_point asked) {
  std::lock_guard const lock{mutex_};
  return fresh_locked(asked, period_);
}

report_board::shared_report report_board::wait_for_fresh(clock::duration patience, clock::duration age) {
  auto const asked = clock::now();
  std::unique_lock lock{mutex_};
  shared_report found;
  posted_.wait_for(lock, patience, [&] { return (found = fresh_locked(asked, age)) != nullptr; });
  return found;
}

void report_board::post(run_report report, clock::time_point now) {
  auto made = std::make_shared<run_report const>(std::move(report));
  {
    std::lock_guard const lock{mutex_};
    // The replaced report is freed after the lock.
    std::swap(newest_, made);
    made_at_ = now;
    asked_.store(false, std::memory_order_relaxed);
  }
  posted_.notify_all();
}

void report_board::expire() {
  shared_report freed;  // after the lock
  std::lock_guard const lock{mutex_};
  if (!is_closed_) freed.swap(newest_);
}

void report_board::close(run_report report) {
  {
    std::lock_guard const lock{mutex_};
    is_closed_ = true;
  }
  post(std::move(report), clock::now());
}

}  // namespace packetwarp::telemetry
