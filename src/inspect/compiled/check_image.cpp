// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/check_image.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] constexpr std::uint16_t flag_if(bool condition, std::uint16_t flag) {
  return condition ? flag : std::uint16_t{0};
}

[[nodiscard]] std::uint16_t flags_of(byte_source const& from) {
  return static_cast<std::uint16_t>(flag_if(from.is_relative, check_flag::relative) |
                                    flag_if(from.is_little_endian, check_flag::little_endian) |
                                    flag_if(from.is_masked, check_flag::masked));
}

[[nodiscard]] bool is_searched(compiled_check const& check) {
  return check.kind == check_kind::content || check.kind == check_kind::regex;
}

[[nodiscard]] constexpr bool is_body(rule_buffer buffer) {
  return buffer == rule_buffer::http_request_body || buffer == rule_buffer::http_response_body;
}

[[nodiscard]] bool jumps_from_end(compiled_check const& check) {
  return static_cast<jump_origin>(check.how) == jump_origin::end;
}

// The number has as many digits as the text goes on with.
[[nodiscard]] bool has_open_text(compiled_check const& check) { return check.base != 0 && check.bytes == 0; }

// Whether the expression asks for the text's end, or that something does not follow.
[[nodiscard]] bool looks_at_end(regex_check const& check) {
  bool const has_lines = check.modifiers.find('m') != std::string::npos;
  auto const& text = check.pattern;
  bool is_in_class = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char const c = text[at];
    char const next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '\\') {
      if (!is_in_class && (next == 'z' || next == 'Z')) return true;
      ++at;
    } else if (is_in_class) {
      is_in_class = c != ']';
    } else if (c == '[') {
      is_in_class = true;
      if (next == ']') ++at;
    } else if ((c == '$' && !has_lines) || text.compare(at, 3, "(?!") == 0) {
      return true;
    }
  }
  return false;
}

void read_source(byte_source const& from, compiled_check& into) {
  into.offset = from.offset;
  into.mask = from.mask;
  into.bytes = from.bytes;
  into.base = from.base;
  into.flags = flags_of(from);
}

}  // namespace

section check_image::add(std::vector<payload_check> const& checks, rule_buffer buffer) {
  section made{static_cast<std::uint32_t>(checks_.size()), 0};
  for (auto const& check : checks) {
    if (std::visit([&](auto const& one) { return one.where != buffer; }, check)) continue;
    auto const compiled = std::visit([this](auto const& one) { return compile(one); }, check);
    if ((compiled.flags & check_flag::relative) != 0) mark_before(made, compiled);
    checks_.push_back(compiled);
    ++made.count;
  }
  return made;
}

void check_image::mark_before(section const& chain, compiled_check const& relative) {
  for (auto at = checks_.size(); at-- > chain.offset;) {
    auto& one = checks_[at];
    bool const is_next_to_it = at + 1 == checks_.size();
    if (is_next_to_it || is_searched(one)) one.flags |= check_flag::next_is_relative;
    if (is_searched(one) || !is_searched(relative)) return;
    // Its place does not depend on matches before it.
    if (one.kind == check_kind::byte_jump && (one.flags & check_flag::relative) == 0) return;
  }
}

section check_image::add_http(std::vector<payload_check> const& checks) {
  section made{static_cast<std::uint32_t>(buffers_.size()), 0};
  for (std::uint32_t number = 0; number < http_buffers; ++number) {
    auto const part = add(checks, http_buffer(number));
    if (part.count == 0) continue;
    bool is_negated = true;
    for (auto at = part.offset; at < part.offset + part.count; ++at) {
      is_negated =
          is_negated && (checks_[at].flags & check_flag::negated) != 0 && checks_[at].kind != check_kind::regex;
    }
    bool const needs_whole = is_body(http_buffer(number)) && may_match_part_alone(part);
    buffers_.push_back({.checks = part,
                        .number = number,
                        .matches_absence = is_negated ? std::uint16_t{1} : std::uint16_t{0},
                        .needs_whole_body = needs_whole ? std::uint16_t{1} : std::uint16_t{0}});
    ++made.count;
  }
  return made;
}

bool check_image::may_match_part_alone(section const& chain) const {
  for (auto at = chain.offset; at < chain.offset + chain.count; ++at) {
    auto const& one = checks_[at];
    bool const is_of_end = (one.flags & check_flag::at_end) != 0 || one.kind == check_kind::size ||
                           (one.kind == check_kind::byte_jump && jumps_from_end(one)) ||
                           (one.kind == check_kind::byte_test && has_open_text(one)) ||
                           (one.kind == check_kind::regex && looks_at_end(regexes_[one.pattern]));
    // A number is compared once it is there.
    bool const is_negated = (one.flags & check_flag::negated) != 0 && one.kind != check_kind::byte_test;
    if (is_of_end || is_negated) return true;
  }
  return false;
}

compiled_check check_image::compile(content_check const& check) {
  compiled_check made{};
  made.kind = check_kind::content;
  made.pattern = static_cast<std::uint32_t>(patterns_.size());
  made.length = static_cast<std::uint32_t>(check.bytes.size());
  for (char const c : check.bytes) {
    bool const is_upper = check.ignores_case && c >= 'A' && c <= 'Z';
    patterns_.push_back(is_upper ? static_cast<char>(c - 'A' + 'a') : c);
  }
  made.offset = check.offset.value_or(0);
  made.depth = check.depth.value_or(0);
  made.distance = check.distance.value_or(0);
  made.within = check.within.value_or(0);
  using namespace check_flag;
  made.flags = static_cast<std::uint16_t>(
      flag_if(check.is_negated, negated) | flag_if(check.ignores_case, ignores_case) |
      flag_if(check.is_relative(), relative) | flag_if(check.at_end, at_end) |
      flag_if(check.offset.has_value(), has_offset) | flag_if(check.depth.has_value(), has_depth) |
      flag_if(check.distance.has_value(), has_distance) | flag_if(check.within.has_value(), has_within));
  return made;
}

compiled_check check_image::compile(regex_check const& check) {
  compiled_check made{};
  made.kind = check_kind::regex;
  made.pattern = static_cast<std::uint32_t>(regexes_.size());
  made.flags = static_cast<std::uint16_t>(flag_if(check.is_negated, check_flag::negated) |
                                          flag_if(check.is_relative, check_flag::relative));
  regexes_.push_back(check);
  return made;
}

compiled_check check_image::compile(byte_test_check const& check) {
  compiled_check made{};
  made.kind = check_kind::byte_test;
  read_source(check.from, made);
  made.value = check.value;
  made.how = static_cast<std::uint8_t>(check.how);
  made.flags |= flag_if(check.is_negated, check_flag::negated);
  return made;
}

compiled_check check_image::compile(byte_jump_check const& check) {
  compiled_check made{};
  made.kind = check_kind::byte_jump;
  read_source(check.from, made);
  made.multiplier = check.multiplier;
  made.post_offset = check.post_offset;
  made.how = static_cast<std::uint8_t>(check.origin);
  made.flags |= flag_if(check.is_aligned, check_flag::aligned);
  return made;
}

compiled_check check_image::compile(data_at_check const& check) {
  compiled_check made{};
  made.kind = check_kind::data_at;
  made.length = check.bytes;
  made.flags = static_cast<std::uint16_t>(flag_if(check.is_negated, check_flag::negated) |
                                          flag_if(check.is_relative, check_flag::relative));
  return made;
}

compiled_check check_image::compile(size_check const& check) {
  compiled_check made{};
  made.kind = check_kind::size;
  made.value = check.size.value;
  made.mask = check.size.upper;
  made.how = static_cast<std::uint8_t>(check.size.relation);
  return made;
}

}  // namespace packetwarp::inspect
