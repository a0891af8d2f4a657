// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/log/log_writer.h"

namespace packetwarp {

// Standard error, for lines that must not hold up the process. If a pipe or terminal accepts no bytes, the line is lost
// and counted; the next line that finds room is preceded by the number of lost ones. Thread-safe.
class standard_error {
 public:
  explicit standard_error(int file) : file_{file} {}

  // patience: how long to wait for room. False: the line is lost.
  bool put(std::string_view line, std::chrono::milliseconds patience = std::chrono::milliseconds{0});
  [[nodiscard]] log_counts counts() const {
    return {written_.load(std::memory_order_relaxed), lost_.load(std::memory_order_relaxed)};
  }

 private:
  [[nodiscard]] bool write(std::string_view text, std::chrono::milliseconds patience) const;

  int file_;
  std::mutex mutex_;
  std::uint64_t told_{};  // of the lost lines, those already reported
  std::atomic<std::uint64_t> written_{0}, lost_{0};
};

// The standard error of the process.
[[nodiscard]] standard_error& the_standard_error();

// From now on a write to a pipe or socket without a reader fails with EPIPE and does not end this process. Programs
// that it starts keep the default.
void survive_broken_pipes();

// From now on a write beyond the limit of a file's size (RLIMIT_FSIZE, systemd's LimitFSIZE) fails with EFBIG and does
// not end this process, so that it counts like one to a full disk. Programs that it starts keep the default.
void survive_limits_of_files();

// Writes a whole result to standard output. Throws failure if standard output is closed or full.
void print_result(std::string_view text);

}  // namespace packetwarp
