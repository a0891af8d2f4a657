// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/match/budget.h"
#include "inspect/match/content.h"
#include "inspect/match/number.h"

namespace packetwarp::inspect {

// The checks of a rule on one buffer, in the rule's order. A check that the next one is relative to may have several
// matches: they are tried from the first to the last until the checks after it match. Two bounds hold: most_steps for
// the checks of a chain, and a search_budget for the bytes of all chains of a packet.

// Checks that a rule's payload may cost; Suricata's bound, too. A rule that needs more does not match, and is counted.
inline constexpr std::uint32_t most_steps = 3000;

// The end of an expression that was given up at its bound: whether it matches is not known.
inline constexpr std::uint32_t regex_ended = ~std::uint32_t{0};

enum class chain_result : std::uint8_t { no_match, match, out_of_steps, out_of_bytes };

namespace detail {

template <class Regexes>
[[nodiscard]] HOST_DEVICE step find_regex(compiled_check const& check, std::byte const* payload, std::uint32_t size,
                                          attempt const& from, search_budget& budget, Regexes&& regexes) {
  using namespace check_flag;
  std::uint32_t const base = (check.flags & relative) != 0 ? from.cursor : 0;
  std::uint32_t begin = from.search > base ? from.search - base : 0;
  std::uint32_t end = 0;
  budget.spend(std::uint64_t{size} - base - (begin < size - base ? begin : size - base) + 1);
  if (budget.is_spent()) return {false, from.cursor, 0};
  bool const is_found = regexes(check.pattern, payload + base, size - base, begin, end);
  bool const has_ended = !is_found && end == regex_ended;
  if (has_ended) budget.spend(search_budget::per_bound);
  if ((check.flags & negated) != 0 || !is_found)
    return {!is_found && !has_ended && (check.flags & negated) != 0, from.cursor, 0};
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
                                         std::uint32_t size, attempt const& from, check_memory& memory,
                                         search_budget& budget, Regexes&& regexes) {
  if (check.kind == check_kind::content) return find_content(rules, check, payload, size, from, memory, budget);
  if (check.kind == check_kind::regex) return find_regex(check, payload, size, from, budget, regexes);
  budget.spend(1);
  switch (check.kind) {
    case check_kind::content:
    case check_kind::regex:
      break;
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

// A check with matches that were not tried yet: the chain goes on there after a failure.
struct choice {
  std::uint32_t check;
  attempt from;
  std::uint32_t reach;
};

// Other matches of a check would only move the cursor at `to` to the end.
[[nodiscard]] HOST_DEVICE inline bool leads_further(compiled_check const* checks, std::uint32_t from,
                                                    std::uint32_t to) {
  if (checks[from].kind != check_kind::content) return false;
  for (auto i = from + 1; i < to; ++i) {
    bool const is_searched = checks[i].kind == check_kind::content || checks[i].kind == check_kind::regex;
    bool const is_negated = (checks[i].flags & check_flag::negated) != 0;
    if (checks[i].kind == check_kind::byte_jump || (is_searched && !is_negated)) return false;
  }
  return true;
}

// After a check has failed: takes the last choice that may lead to a match. False: there is none.
[[nodiscard]] HOST_DEVICE inline bool go_back(compiled_check const* checks, check_memory* memories,
                                              choice const* choices, std::uint32_t& depth, std::uint32_t& at,
                                              attempt& from) {
  while (true) {
    bool const stays_failed = is_open_ended(checks[at]);
    if (stays_failed && from.cursor < memories[at].fails_from) memories[at].fails_from = from.cursor;
    // Another match of an earlier check changes nothing for one that is not relative.
    if ((checks[at].flags & check_flag::relative) == 0 || depth == 0) return false;
    auto const& last = choices[--depth];
    bool const is_in_vain = stays_failed && leads_further(checks, last.check, at);
    at = last.check;
    from = last.from;
    if (!is_in_vain) return true;
  }
}

template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_end run_chain(ruleset_ref rules, section const& chain, chain_text const& text,
                                              search_budget& budget, Regexes&& regexes) {
  auto const* checks = rules.at<compiled_check>(rules.header().checks) + chain.offset;
  choice choices[most_checks];
  check_memory memories[most_checks];
  std::uint32_t known = 0;  // checks that have been tried
  std::uint32_t depth = 0;
  std::uint32_t at = 0;
  std::uint32_t reach = 0;
  attempt from{0, 0};
  for (std::uint32_t steps = 0; steps < most_steps; ++steps) {
    auto const& check = checks[at];
    if (at == known) memories[known++] = nothing_known;
    auto& memory = memories[at];
    if (at == text.new_check && from.search == 0) {
      // A content that ends among the new bytes begins at this place or later.
      auto const before = check.kind == check_kind::content ? check.length - 1 : 0;
      from.search = text.carried > before ? text.carried - before : 0;
    }
    step made{false, from.cursor, 0};
    if (from.cursor < memory.fails_from)
      made = try_check(rules, check, text.bytes, text.size, from, memory, budget, regexes);
    if (budget.is_spent()) return {chain_result::out_of_bytes, 0};
    if (made.has_matched) {
      if (made.search != 0) choices[depth++] = {at, {from.cursor, made.search}, reach};
      if (made.cursor > reach) reach = made.cursor;
      if (++at == chain.count) return {chain_result::match, reach};
      from = {made.cursor, 0};
      continue;
    }
    if (!go_back(checks, memories, choices, depth, at, from)) return {chain_result::no_match, 0};
    reach = choices[depth].reach;
  }
  return {chain_result::out_of_steps, 0};
}

}  // namespace detail

// Instead of a number of carried bytes: the text is a buffer of a message, which may be there and be empty.
inline constexpr std::uint32_t of_buffer = ~std::uint32_t{0};

// The checks match the payload. regexes(number, text, size, begin, end): whether the expression matches text at `begin`
// or later; sets both to the match, or `end` to regex_ended. budget: of the packet. carried: bytes at the begin that
// have been matched before: a match among them alone is none; or of_buffer.
template <class Regexes>
[[nodiscard]] HOST_DEVICE chain_result matches_chain(ruleset_ref rules, section const& chain, std::byte const* payload,
                                                     std::uint32_t size, Regexes&& regexes, search_budget& budget,
                                                     std::uint32_t carried = 0) {
  if (chain.count == 0) return chain_result::match;
  if (carried == of_buffer ? payload == nullptr : size == 0 || size == carried) return chain_result::no_match;
  if (carried == of_buffer) carried = 0;
  detail::chain_text text{payload, size, carried, detail::any_check};
  auto const first = detail::run_chain(rules, chain, text, budget, regexes);
  if (first.result != chain_result::match || carried == 0 || first.reach > carried) return first.result;
  // Each check was found among the old bytes: they may have waited for the new ones, as isdataat and a lookahead do.
  auto const before = detail::run_chain(rules, chain, {payload, carried, 0, detail::any_check}, budget, regexes);
  if (before.result == chain_result::no_match) return chain_result::match;
  if (before.result != chain_result::match) return before.result;
  // A check may have another match among the new bytes.
  auto const* checks = rules.at<compiled_check>(rules.header().checks) + chain.offset;
  for (text.new_check = 0; text.new_check < chain.count; ++text.new_check) {
    if (!detail::has_place(checks[text.new_check])) continue;
    auto const made = detail::run_chain(rules, chain, text, budget, regexes);
    if (made.result == chain_result::match && made.reach <= carried) continue;
    if (made.result != chain_result::no_match) return made.result;
  }
  return chain_result::no_match;
}

}  // namespace packetwarp::inspect
