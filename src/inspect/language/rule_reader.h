// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/language/rule_set.h"
#include "inspect/language/source_text.h"
#include "inspect/language/variables.h"

namespace packetwarp::inspect {

// A keyword of a rule.
struct option {
  std::string_view name;   // in small letters
  std::string_view place;  // the name in the file's text
  std::string_view value;  // of the file's text, without the white space around it; empty without a colon
};

// Reads one rule: its header, then each of its keywords by the table in keywords.h.
class rule_reader {
 public:
  rule_reader(source_text const& from, variables const& known, rule_set& into)
      : from_{from}, known_{known}, into_{into} {}

  // Throws usage_error "FILE:LINE:COLUMN: ...".
  [[nodiscard]] rule read(std::string_view text);

  // For keywords: the rule so far.
  [[nodiscard]] rule& made() { return made_; }
  [[nodiscard]] rule_buffer buffer() const { return buffer_; }
  void look_at(rule_buffer where) { buffer_ = where; }
  // The content that a modifier belongs to. Throws usage_error if none is before it.
  [[nodiscard]] content_check& last_content(option const& modifier);
  // The rule is not usable because of this keyword.
  void lacks(std::string_view part, std::string_view keyword, gap_kind kind);

  [[noreturn]] void fail(std::string_view part, std::string_view message) const { from_.fail(part, message); }
  // usage_error: NAME: 'part' is wrong; give `allowed`.
  [[noreturn]] void refuse(option const& what, std::string_view part, std::string_view allowed) const;
  // A decimal number, or a hexadecimal one with 0x.
  [[nodiscard]] std::int64_t number(option const& what, std::string_view part, std::int64_t least,
                                    std::int64_t most) const;
  void expect_no_value(option const& what) const;
  // Called for a keyword that a rule may have only once. Throws usage_error for the second one.
  void take_only_once(option const& what);
  // The text between quotes; `is_negated` for one with a ! before them. Null: !"..." is not allowed.
  [[nodiscard]] std::string_view in_quotes(option const& what, bool* is_negated) const;

 private:
  void read_header(std::string_view header, std::string_view all);
  void read_action(std::string_view word);
  void read_protocol(std::string_view word);
  void read_keywords(std::string_view text, std::string_view all);
  void finish(std::string_view all);
  [[nodiscard]] std::uint32_t addresses(std::string_view text);
  [[nodiscard]] std::uint32_t ports(std::string_view text);

  source_text const& from_;
  variables const& known_;
  rule_set& into_;
  rule made_{};
  rule_buffer buffer_{};
  std::vector<std::string> taken_;        // keywords of the rule that may not come again
  std::vector<std::string_view> places_;  // of the keywords of made_.payload
};

}  // namespace packetwarp::inspect
