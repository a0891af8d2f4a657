// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "inspect/language/rule_set.h"

namespace packetwarp::inspect {

// A keyword that keeps rules out.
struct missing_keyword {
  std::string keyword{};
  gap_kind kind{};
  std::size_t rules{};  // that have it
  std::size_t alone{};  // for which nothing else is missing
  std::string first{};  // FILE:LINE:COLUMN of the first one
};

struct coverage {
  std::size_t rules{};
  std::size_t usable{};
  std::size_t in_streams{};                // of the usable ones: contents are searched in streams of TCP
  std::vector<missing_keyword> missing{};  // the most frequent first
  std::size_t replaced{};                  // as in rule_set; not among `rules`
  std::size_t alike{};                     // that have the gid, sid and rev of one before them
};

[[nodiscard]] coverage coverage_of(rule_set const& rules);

// "3 rules are replaced: a higher rev of each is there, or the same rule"; empty if none is.
[[nodiscard]] std::string text_of_replaced(coverage const& cover);

// Whether the rule's contents are searched in the streams of TCP.
[[nodiscard]] bool is_for_streams(rule const& one);

}  // namespace packetwarp::inspect
