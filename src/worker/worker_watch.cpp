// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker_watch.h"

namespace packetwarp {

worker_watch::worker_watch(workforce& workers, cycles timeout) : workers_{workers}, timeout_{timeout} {}

void worker_watch::look(cycles now) {
  constexpr std::chrono::seconds period{1};
  if (next_ == 0) next_ = now + to_cycles(period);  // workers have just been launched
  if (survey_) {
    if (survey_->is_over(now)) survey_.reset();
  } else if (now >= next_) {
    survey_.emplace(workers_, worker_survey::about::state, timeout_);
    next_ = now + to_cycles(period);
  }
}

}  // namespace packetwarp
