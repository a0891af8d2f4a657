// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "inspect/language/rule_file.h"

namespace packetwarp::inspect {

// The rules of this text; errors name it "test.rules".
[[nodiscard]] inline rule_set rules_of(std::string const& text) {
  rule_set made;
  add_rules(made, "test.rules", text, variables{});
  return made;
}

// A rule for every packet with these keywords.
[[nodiscard]] inline std::string rule_with(std::string const& keywords, std::string const& protocol = "tcp",
                                           std::size_t sid = 1) {
  return "alert " + protocol + " any any -> any any (" + keywords + " sid:" + std::to_string(sid) + ";)\n";
}

// The only rule of a text that is well-formed.
[[nodiscard]] inline rule one_rule(std::string const& text) {
  auto made = rules_of(text);
  EXPECT_TRUE(made.problems.empty()) << made.problems.front();
  if (made.rules.size() != 1) {
    ADD_FAILURE() << text;
    return {};
  }
  return made.rules.front();
}

// The one error of a text.
[[nodiscard]] inline std::string problem_of_text(std::string const& text) {
  auto const made = rules_of(text);
  EXPECT_EQ(made.problems.size(), 1U) << text;
  return made.problems.empty() ? std::string{} : made.problems.front();
}

}  // namespace packetwarp::inspect
