// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/keywords.h"

#include <unordered_map>

#include "inspect/language/buffers.h"

namespace packetwarp::inspect {
namespace {

constexpr keyword all[] = {
    {"content", read_content},
    {"uricontent", read_content},
    {"nocase", read_content_modifier},
    {"offset", read_content_modifier},
    {"depth", read_content_modifier},
    {"distance", read_content_modifier},
    {"within", read_content_modifier},
    {"startswith", read_content_modifier},
    {"endswith", read_content_modifier},
    {"rawbytes", read_content_modifier},
    {"fast_pattern", read_fast_pattern},
    {"pcre", read_regex},
    {"byte_test", read_byte_test},
    {"byte_jump", read_byte_jump},
    {"bsize", read_buffer_size},
    {"urilen", read_uri_size},
    {"dotprefix", read_dot_prefix},
    {"isdataat", read_data_at},
    {"dsize", read_header_number},
    {"ttl", read_header_number},
    {"itype", read_header_number},
    {"icode", read_header_number},
    {"flags", read_flags},
    {"tcp.flags", read_flags},
    {"flow", read_flow},
    {"flowbits", read_flowbits},
    {"threshold", read_rate},
    {"detection_filter", read_rate},
    {"prefilter", read_hint},
    {"noalert", read_no_alert},
    {"bypass", read_bypass},
    {"msg", read_text},
    {"classtype", read_text},
    {"reference", read_text},
    {"metadata", read_text},
    {"target", read_text},
    {"sid", read_identity},
    {"gid", read_identity},
    {"rev", read_identity},
    {"priority", read_identity},
};

}  // namespace

keyword_reader find_keyword(std::string_view name) {
  static auto const by_name = [] {
    std::unordered_map<std::string_view, keyword_reader> made;
    for (auto const& one : all) made.emplace(one.name, one.read);
    for (auto const& words : known_buffers()) {
      made.emplace(words.name, read_sticky_buffer);
      if (!words.sticky.empty()) made.emplace(words.sticky, read_sticky_buffer);
      if (!words.modifier.empty()) made.emplace(words.modifier, read_content_buffer);
    }
    return made;
  }();
  auto const found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace packetwarp::inspect
