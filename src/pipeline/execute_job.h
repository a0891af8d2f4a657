// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "executor/executor.h"
#include "worker/job.h"

namespace packetwarp {

// Makes an executor do its part on the worker that polls it: all of it, or only the second half if a give_job does the
// first.
class execute_job final : public job {
 public:
  enum class part : std::uint8_t { all, collect };
  execute_job(std::uint16_t number, executor& runs, part does) : number_{number}, executor_{runs}, does_{does} {}
  std::uint32_t poll(tick const&) override { return does_ == part::all ? executor_.poll() : executor_.collect(); }
  [[nodiscard]] std::string name() const override { return "execute " + std::to_string(number_); }

 private:
  std::uint16_t number_;
  executor& executor_;
  part does_;
};

// Hands bursts to a processor beside the CPU, if the worker that receives them has their descriptors in its cache and
// another worker takes them back. It moves no packet itself.
class give_job final : public job {
 public:
  give_job(std::uint16_t number, executor& runs) : number_{number}, executor_{runs} {}
  std::uint32_t poll(tick const&) override {
    executor_.give();
    return 0;
  }
  [[nodiscard]] std::string name() const override { return "give " + std::to_string(number_); }

 private:
  std::uint16_t number_;
  executor& executor_;
};

}  // namespace packetwarp
