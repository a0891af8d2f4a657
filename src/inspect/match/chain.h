// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/match/number.h"

namespace packetwarp::inspect {

// The checks of a rule on one buffer, in the rule's order. A check that the next one is relative to may have several
// matches: they are tried from the first to the last until the checks after it match.

// Checks that a rule's payload may cost; Suricata's bound, too. A rule that needs more does not match, and is counted.
inline constexpr std::uint32_t most_steps = 3000;

enum class chain_result : std::uint8_t { no_match, match, out_of_steps };

namespace detail {

// An attempt at a check.
struct attempt {
  std::uint32_t cursor;  // the end of the match before
  std::uint32_t search;  // where matches may begin, after those tried; 0: none was
};

struct step {
  bool has_matched;
  std::uint32_t cursor;  // after the match
  std::uint32_t search;  // for the next attempt at this check; 0: it has no other match
};

[[nodiscard]] HOST_DEVICE inline bool equals(std::byte const* text, std::byte const* pattern, std::uint32_t length,
                                             bool ignores_case) {
  for (std::uint32_t i = 0; i < length; ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (ignores_case && c >= 'A' && c <= 'Z') c = static_cast<unsigned char>(c - 'A' + 'a');
    if (c != static_cast<unsigned char>(pattern[i])) return false;
  }
  return true;
}

struct content_place {
  std::int64_t begin;
  std::int64_t end;
};

// The part of the payload where a content may lie.
[[nodiscard]] HOST_DEVICE inline content_place place_of(compiled_check const& check, std::uint32_t size,
                                                        std::uint32_t cursor) {
  using namespace check_flag;
  auto const has = [&](std::uint16_t flag) { return (check.flags & flag) != 0; };
  content_place made{has(has_offset) ? check.offset : 0, size};
  std::int64_t const base = has(relative) ? cursor : 0;
  if (has(relative)) {
    made.begin = base + (has(has_distance) ? check.distance : 0);
    if (made.begin < 0) made.begin = 0;
    if (has(has_offset) && base + check.offset > made.begin) made.begin = base + check.offset;
    if (has(has_within)) {
      auto const end = base + check.within + (has(has_distance) ? check.distance : 0);
      if (end < made.end) made.end = end;
    }
  }
  // A depth counts from the offset.
  auto const deepest = base + check.offset + check.depth;
  if (has(has_depth) && deepest < made.end) made.end = deepest;
  return made;
}

[[nodiscard]] HOST_DEVICE inline step find_content(ruleset_ref rules, compiled_check const& check,
                                                   std::byte const* payload, std::uint32_t size, attempt const& from) {
  using namespace check_flag;
  auto const has = [&](std::uint16_t flag) { return (check.flags & flag) != 0; };
  auto const* pattern = rules.at<std::byte>(rules.header().patterns) + check.pattern;
  auto const [first, end] = place_of(check, size, from.cursor);
  std::int64_t begin = from.search > first ? from.search : first;
  std::int64_t const last = end - check.length;
  if (has(at_end)) {
    // Only the payload's end will do.
    auto const only = std::int64_t{size} - check.length;
    if (begin < only) begin = only;
  }
  for (; begin <= last; ++begin) {
    if (!equals(payload + begin, pattern, check.length, has(ignores_case))) continue;
    auto const cursor = static_cast<std::uint32_t>(begin) + check.length;
    if (has(negated)) return {false, from.cursor, 0};
    return {true, cursor, has(next_is_relative) ? static_cast<std::uint32_t>(begin) + 1 : 0};
  }
  return {has(negated), from.cursor, 0};
}

template <class Regexes>
[[nodiscard]] HOST_DEVICE step find_regex(compiled_check const& check, std::byte const* payload, std::uint32_t size,
                                          attempt const& from, Regexes&& regexes) {
  using namespace check_flag;
  std::uint32_t const base = (check.flags & relative) != 0 ? from.cursor : 0;
  std::uint32_t begin = from.search > base ? from.search - base : 0;
  std::uint32_t end = 0;
  bool const is_found = regexes(check.pattern, payload + base, size - base, begin, end);
  if ((check.flags & negated) != 0) return {!is_found, from.cursor, 0};
  if (!is_found) return {false, from.cursor, 0};
  bool const has_other = (check.flags & next_is_relative) != 0;
  return {true, base + end, has_other ? base + begin + 1 : 0};
}

[[nodiscard]] HOST_DEVICE inline bool has_data(compiled_check const& check, std::uint32_t size, std::uint32_t cursor) {
  bool const is_relative = (check.flags & check_flag::relative) != 0;
  // As in Suricata: the last byte itself counts only for a relative one.
  bool const is_there = is_relative ? std::uint64_t{cursor} + check.length <= size : check.length < size;
  return is_there != ((check.flags & check_flag::negated) != 0);
}

template <class Regexes>
[[nodiscard]] HOST_DEVICE step try_check(ruleset_ref rules, compiled_check const& check, std::byte const* payload,
                                         std::uint32_t size, attempt const& from, Regexes&& regexes) {
  switch (check.kind) {
    case check_kind::content:
      return find_content(rules, check, payload, size, from);
    case check_kind::regex:
      return find_regex(check, payload, size, from, regexes);
    case check_kind::byte_test:
      return {passes_byte_test(check, payload, size, from.cursor), from.cursor, 0};
    case check_kind::byte_jump: {
      auto cursor = from.cursor;
      bool const has_jumped = jump(check, payload, size, cursor);
      return {has_jumped, cursor, 0};
    }
    case check_kind::data_at:
      return {has_data(check, size, from.cursor), from.cursor, 0};
    case check_kind::size:
      return {has_number(check.how, check.value, check.mask, size), from.cursor, 0};
  }
  return {};
}

}  // namespace detail

namespace detail {

// The bytes that a chain of checks looks at, of which the first `carried` have been looked at before.
struct chain_text {
  std::byte const* bytes;
  std::uint32_t size;
  std::uint32_t carried;
  std::uint32_t new_check;  // this check's match must end among the bytes that are new
};
inline constexpr std::uint32_t any_check = ~std::uint32_t{0};

struct chain_end {
  chain_result result;
  std::uint32_t reach;  // the end of the match that ends last
};

[[nodiscard]] HOST_DEVICE inline bool has_place(compiled_check const& check) {
  using namespace check_flag;
  bool const is_searched = check.kind == check_kind::content || check.kind == check_kind::regex;
  return is_searched && (check.flags & negated) == 0;
}

template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_end run_chain(ruleset_ref rules, section const& chain, chain_text const& text,
                                              Regexes&& regexes) {
  auto const* checks = rules.at<compiled_check>(rules.header().checks) + chain.offset;
  struct choice {
    std::uint32_t check;
    attempt from;
    std::uint32_t reach;
  };
  choice choices[most_checks];  // checks with matches that were not tried
  std::uint32_t depth = 0;
  std::uint32_t at = 0;
  std::uint32_t reach = 0;
  attempt from{0, 0};
  for (std::uint32_t steps = 0; steps < most_steps; ++steps) {
    auto const& check = checks[at];
    if (at == text.new_check && from.search == 0) {
      // A content that ends among the new bytes begins at this place or later.
      auto const before = check.kind == check_kind::content ? check.length - 1 : 0;
      from.search = text.carried > before ? text.carried - before : 0;
    }
    auto const made = try_check(rules, check, text.bytes, text.size, from, regexes);
    if (made.has_matched) {
      if (made.search != 0) choices[depth++] = {at, {from.cursor, made.search}, reach};
      if (made.cursor > reach) reach = made.cursor;
      if (++at == chain.count) return {chain_result::match, reach};
      from = {made.cursor, 0};
      continue;
    }
    // Another match of an earlier check changes nothing for one that is not relative.
    bool const is_relative = (check.flags & check_flag::relative) != 0;
    if (!is_relative || depth == 0) return {chain_result::no_match, 0};
    --depth;
    at = choices[depth].check;
    from = choices[depth].from;
    reach = choices[depth].reach;
  }
  return {chain_result::out_of_steps, 0};
}

}  // namespace detail

// regexes(number, text, size, begin, end): whether the expression matches text at `begin` or later; sets both to the
// match. carried: bytes at the begin that have been matched before: a match among them alone is none.
template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_result matches_chain(ruleset_ref rules, section const& chain, std::byte const* payload,
                                                     std::uint32_t size, Regexes&& regexes, std::uint32_t carried = 0) {
  if (chain.count == 0) return chain_result::match;
  if (size == 0 || size == carried) return chain_result::no_match;
  detail::chain_text text{payload, size, carried, detail::any_check};
  auto const first = detail::run_chain(rules, chain, text, regexes);
  if (first.result != chain_result::match || carried == 0 || first.reach > carried) return first.result;
  // Each check was found among the old bytes: one of them may be among the new ones, too.
  auto const* checks = rules.at<compiled_check>(rules.header().checks) + chain.offset;
  for (text.new_check = 0; text.new_check < chain.count; ++text.new_check) {
    if (!detail::has_place(checks[text.new_check])) continue;
    auto const made = detail::run_chain(rules, chain, text, regexes);
    if (made.result == chain_result::match && made.reach > carried) return made.result;
    if (made.result == chain_result::out_of_steps) return made.result;
  }
  return chain_result::no_match;
}

}  // namespace packetwarp::inspect
