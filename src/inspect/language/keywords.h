// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "inspect/language/rule_reader.h"

namespace packetwarp::inspect {

// Offsets and counts of bytes.
inline constexpr std::int32_t farthest = 65535;

using keyword_reader = void (*)(rule_reader&, option const&);

struct keyword {
  std::string_view name;
  keyword_reader read;
};

// Null: the language does not have the keyword.
[[nodiscard]] keyword_reader find_keyword(std::string_view name);

// The readers, by subject. Each throws usage_error for a value that is wrong.
void read_content(rule_reader& reader, option const& what);
void read_content_modifier(rule_reader& reader, option const& what);
void read_fast_pattern(rule_reader& reader, option const& what);
void read_content_buffer(rule_reader& reader, option const& what);
void read_sticky_buffer(rule_reader& reader, option const& what);
void read_regex(rule_reader& reader, option const& what);
void read_byte_test(rule_reader& reader, option const& what);
void read_byte_jump(rule_reader& reader, option const& what);
void read_buffer_size(rule_reader& reader, option const& what);
void read_uri_size(rule_reader& reader, option const& what);
void read_dot_prefix(rule_reader& reader, option const& what);
void read_data_at(rule_reader& reader, option const& what);
void read_header_number(rule_reader& reader, option const& what);
void read_flags(rule_reader& reader, option const& what);
void read_flow(rule_reader& reader, option const& what);
void read_flowbits(rule_reader& reader, option const& what);
void read_rate(rule_reader& reader, option const& what);
void read_text(rule_reader& reader, option const& what);
void read_identity(rule_reader& reader, option const& what);
// A keyword without an effect on matches.
void read_hint(rule_reader& reader, option const& what);
void read_no_alert(rule_reader& reader, option const& what);
void read_bypass(rule_reader& reader, option const& what);

}  // namespace packetwarp::inspect
