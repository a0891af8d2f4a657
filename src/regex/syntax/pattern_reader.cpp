// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/syntax/pattern_reader.h"

#include <algorithm>

#include "regex/syntax/byte_set.h"

namespace packetwarp::regex {

bool pattern_reader::skip_one_ignored(modes const& now) {
  if (skip_if("\\E")) {
    is_quoted_ = false;
    return true;
  }
  if (is_quoted_ || is_at_end()) return false;
  if (skip_if("\\Q")) {
    is_quoted_ = true;
    return true;
  }
  auto const next = static_cast<unsigned char>(peek());
  // PCRE2 with Unicode takes NEL for white space here, though \s does not have it.
  if (now.is_extended && (space_set().has(next) || next == 0x85)) {
    ++at_;
    return true;
  }
  if (now.is_extended && next == '#') {
    at_ += std::min(rest().find('\n'), rest().size() - 1) + 1;
    return true;
  }
  if (!is_next("(?#")) return false;
  auto const end = rest().find(')');
  if (end == std::string_view::npos) throw refused{refusal::not_an_expression};
  at_ += end + 1;
  return true;
}

void pattern_reader::skip_ignored(modes const& now) {
  while (skip_one_ignored(now)) {
  }
}

}  // namespace packetwarp::regex
