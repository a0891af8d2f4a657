// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// Why PCRE2 refuses the expression, in one line; empty if it compiles.
[[nodiscard]] std::string problem_of(regex_check const& check);

// Compiled expressions, for one thread. An expression that would take longer than its bound has no match, and is
// counted.
class regex_library {
 public:
  // The expressions compile: problem_of() is empty.
  explicit regex_library(std::vector<regex_check> const& checks);
  regex_library(regex_library const&) = delete;
  regex_library& operator=(regex_library const&) = delete;
  ~regex_library();

  // Whether an expression matches at `begin` or later in the text; sets both to the match. Sets `end` to its largest
  // value if the expression was given up at its bound (regex_ended in match/chain.h).
  [[nodiscard]] bool match(std::uint32_t number, std::byte const* text, std::uint32_t size, std::uint32_t& begin,
                           std::uint32_t& end);
  [[nodiscard]] std::uint64_t out_of_bound() const { return out_of_bound_; }

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::uint64_t out_of_bound_{};
};

}  // namespace packetwarp::inspect
