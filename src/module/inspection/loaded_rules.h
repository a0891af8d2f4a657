// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "inspect/compiled/compile.h"
#include "inspect/language/coverage.h"
#include "inspect/language/rule_set.h"
#include "inspect/language/variable_check.h"

namespace packetwarp {

// Rules as the stage judges by them.
struct loaded_rules {
  inspect::rule_set rules;
  inspect::coverage cover;
  inspect::ruleset compiled;
  std::vector<std::string> warnings{};  // of the file's variables
};

// Reads and compiles rules; unusable ones are left out, as their gaps say. Throws usage_error for a file that cannot be
// read, a malformed rule, or if no rule is usable. given: the variables of the file; known: with Suricata's.
[[nodiscard]] std::shared_ptr<loaded_rules const> load_rules(std::span<std::string const> files,
                                                             inspect::given_variables const& given,
                                                             inspect::variables const& known);

// "3 of 10 rules are left out, for http.uri (2), tls (1)"; empty if all are usable.
[[nodiscard]] std::string text_of_unusable(inspect::coverage const& cover);

}  // namespace packetwarp
