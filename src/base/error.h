// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace packetwarp {

// A quoted text may hold a NUL byte, at which what() would end: it is written as the log writes control characters.
[[nodiscard]] inline std::string without_nul(std::string line) {
  constexpr std::string_view written = "\\x00";
  for (auto at = line.find('\0'); at != line.npos; at = line.find('\0', at)) line.replace(at, 1, written);
  return line;
}

// The two ways in which set-up can fail. Both carry one line for the user: what was wrong, where, what is allowed, how
// to fix it. They are thrown at set-up only and caught once, in main; a worker never throws.

// The request cannot be carried out: an option, a config, a combination. Exit status 2.
class usage_error : public std::runtime_error {
 public:
  explicit usage_error(std::string const& line) : std::runtime_error{without_nul(line)} {}
};

// The request was tried and failed: a device, a file, memory. Exit status 1.
class failure : public std::runtime_error {
 public:
  explicit failure(std::string const& line) : std::runtime_error{without_nul(line)} {}
};

inline constexpr int exit_success = 0;
inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;

}  // namespace packetwarp
