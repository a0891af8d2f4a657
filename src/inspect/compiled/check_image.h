// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// The compiled checks of payloads, and what they refer to.
class check_image {
 public:
  // The section of those checks that look at the buffer.
  [[nodiscard]] section add(std::vector<payload_check> const& checks, rule_buffer buffer);

  // A section per buffer of HTTP that checks look at, within buffers().
  [[nodiscard]] section add_http(std::vector<payload_check> const& checks);

  [[nodiscard]] std::vector<compiled_buffer> const& buffers() const { return buffers_; }
  [[nodiscard]] std::vector<compiled_check> const& checks() const { return checks_; }
  [[nodiscard]] std::vector<char> const& patterns() const { return patterns_; }
  [[nodiscard]] std::vector<regex_check> const& regexes() const { return regexes_; }

 private:
  // Marks the checks of the chain whose other matches may let this one match, which comes next: for a content or an
  // expression the last one of these before it, also if others lie between, for others the check next to it.
  void mark_before(section const& chain, compiled_check const& relative);
  // Whether the checks may match the first bytes of a body, and not all of it.
  [[nodiscard]] bool may_match_part_alone(section const& chain) const;
  [[nodiscard]] compiled_check compile(content_check const& check);
  [[nodiscard]] compiled_check compile(regex_check const& check);
  [[nodiscard]] static compiled_check compile(byte_test_check const& check);
  [[nodiscard]] static compiled_check compile(byte_jump_check const& check);
  [[nodiscard]] static compiled_check compile(data_at_check const& check);
  [[nodiscard]] static compiled_check compile(size_check const& check);

  std::vector<compiled_check> checks_;
  std::vector<compiled_buffer> buffers_;
  std::vector<char> patterns_;
  std::vector<regex_check> regexes_;
};

}  // namespace packetwarp::inspect
