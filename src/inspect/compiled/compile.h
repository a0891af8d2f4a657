// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule_set.h"

namespace packetwarp::inspect {

// Compiled rules and the texts of their regular expressions, which a library compiles.
class ruleset {
 public:
  ruleset(std::vector<std::uint64_t> words, std::vector<regex_check> regexes)
      : words_{std::move(words)}, regexes_{std::move(regexes)} {}

  [[nodiscard]] ruleset_ref ref() const { return {reinterpret_cast<std::byte const*>(words_.data())}; }
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  [[nodiscard]] std::vector<regex_check> const& regexes() const { return regexes_; }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<regex_check> regexes_;
};

// Compiles the usable rules. A packet meets them in Suricata's order: pass, drop, reject, alert; within an action first
// those that set flowbits; then by priority, then as they stand in the files. Throws usage_error: they need more than 4
// GiB.
[[nodiscard]] ruleset compile_rules(rule_set const& rules);

}  // namespace packetwarp::inspect
