// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace packetwarp {

// When the lines of the EAL and of drivers are printed while the EAL starts: at its end, so that an error has them in
// its one line instead, or at once, for a user who asked for a log level.
enum class eal_log_lines : std::uint8_t { kept, shown };

// The log of the EAL and of drivers (rte_log), and all text for the C library's `stderr`, while the EAL starts. A
// process has one at a time.
class eal_log {
 public:
  explicit eal_log(eal_log_lines how);
  eal_log(eal_log const&) = delete;
  eal_log& operator=(eal_log const&) = delete;
  // Prints kept lines that nothing has taken. From then on lines go where DPDK writes them.
  ~eal_log();
  // All lines so far, for an error: kept ones are not printed any more.
  [[nodiscard]] std::string take();
};

// The reason that lines of the log give, on one line, without those that only say that something failed. Empty if they
// give none. Pure.
[[nodiscard]] std::string reason_in(std::string_view lines);

// Whether the lines say that the EAL's command line is wrong. Pure.
[[nodiscard]] bool is_about_words(std::string_view lines);

}  // namespace packetwarp
