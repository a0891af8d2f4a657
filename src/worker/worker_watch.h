// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "worker/worker_messages.h"

namespace packetwarp {

// Asks every worker once per second for its state, so that a worker that does not answer in time is counted even if no
// request comes. For the master worker.
class worker_watch {
 public:
  // The workers outlive it.
  worker_watch(workforce& workers, cycles timeout);
  void look(cycles now);

 private:
  workforce& workers_;
  cycles timeout_;
  cycles next_{0};
  std::optional<worker_survey> survey_;
};

}  // namespace packetwarp
