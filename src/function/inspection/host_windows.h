// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "function/inspection/group/trial.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/http/message.h"
#include "inspect/packet/window_search.h"

namespace packetwarp {

// The rules that have a literal in a text of a packet that is judged alone on the CPU: found once, marked for each
// round of rules. For a single thread.
class host_windows {
 public:
  // Has the memory for all texts from the start. The rules outlive it.
  explicit host_windows(inspect::ruleset_ref rules);

  // Finds the rules for packets of the class, in place of those of the text before.
  void find(inspect::text_view text, std::uint32_t of_class);
  // Marks those that were found, of the round that begins with rule `first`.
  void mark(inspection_parts::trial& of, std::uint32_t first) const;

 private:
  inspect::ruleset_ref rules_;
  inspect::window_search search_;
  std::vector<std::uint32_t> found_;  // numbers among the rules that a packet alone may match, each once
  std::vector<bool> is_found_;        // by number
};

// A pipeline's, for a set of rules.
struct host_texts {
  explicit host_texts(inspect::ruleset_ref rules) : payload{rules}, other{rules} {}

  host_windows payload;
  host_windows other;
};

}  // namespace packetwarp
