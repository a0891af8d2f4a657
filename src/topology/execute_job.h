// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "executor/executor.h"
#include "topology/job.h"

namespace packetwarp {

// Lets an executor do its part on the worker that polls it.
class execute_job final : public job {
 public:
  execute_job(std::uint16_t number, executor& runs) : number_{number}, executor_{runs} {}
  std::uint32_t poll(tick const&) override { return executor_.poll(); }
  [[nodiscard]] std::string name() const override { return "execute " + std::to_string(number_); }

 private:
  std::uint16_t number_;
  executor& executor_;
};

}  // namespace packetwarp
