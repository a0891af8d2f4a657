// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#include <emmintrin.h>
#endif

#include <cuda/std/bit>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/match/budget.h"

namespace packetwarp::inspect::detail {

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

// Facts of the text that earlier attempts at a check have shown.
struct check_memory {
  std::uint32_t clean_begin;  // no match of the content begins from here to before clean_end
  std::uint32_t clean_end;
  std::uint32_t fails_from;  // from this cursor on, neither this check nor those after it match together
};
inline constexpr check_memory nothing_known{0, 0, ~std::uint32_t{0}};

// A content that is searched to the text's end: what it does not find from one cursor on, it does not find from a later
// one either.
[[nodiscard]] HOST_DEVICE constexpr bool is_open_ended(compiled_check const& check) noexcept {
  using namespace check_flag;
  constexpr std::uint16_t bounds = has_within | has_depth | negated;
  return check.kind == check_kind::content && (check.flags & relative) != 0 && (check.flags & bounds) == 0;
}

// The number of bytes at the begin that are equal, byte by byte.
[[nodiscard]] HOST_DEVICE inline std::uint32_t equal_single_bytes(std::byte const* text, std::byte const* pattern,
                                                                  std::uint32_t length, std::uint16_t flags) {
  bool const ignores_case = (flags & check_flag::ignores_case) != 0;
  for (std::uint32_t i = 0; i < length; ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (ignores_case && c >= 'A' && c <= 'Z') c = static_cast<unsigned char>(c - 'A' + 'a');
    if (c != static_cast<unsigned char>(pattern[i])) return i;
  }
  return length;
}

// The same, eight bytes at a time: a text that is made to be equal for long costs a lane of a GPU a wait for each
// eight, and not for each byte. noinline: a call, and no copy of the code on the way of ordinary texts.
[[nodiscard, gnu::noinline]] HOST_DEVICE inline std::uint32_t equal_words(std::byte const* text,
                                                                          std::byte const* pattern,
                                                                          std::uint32_t length, std::uint16_t flags) {
  constexpr std::uint32_t word = sizeof(std::uint64_t);
  bool const ignores_case = (flags & check_flag::ignores_case) != 0;
  std::uint32_t i = 0;
  for (; i + word <= length; i += word) {
    auto const bytes = load<std::uint64_t>(text + i);
    auto const differing = (ignores_case ? folded(bytes) : bytes) ^ load<std::uint64_t>(pattern + i);
    if (differing != 0) return i + static_cast<std::uint32_t>(cuda::std::countr_zero(differing)) / 8;
  }
  return i + equal_single_bytes(text + i, pattern + i, length - i, flags);
}

// The number of bytes at the begin that are equal.
[[nodiscard]] HOST_DEVICE inline std::uint32_t equal_bytes(std::byte const* text, std::byte const* pattern,
                                                           std::uint32_t length, std::uint16_t flags) {
  constexpr std::uint32_t few = 8;
  auto const equal = equal_single_bytes(text, pattern, length < few ? length : few, flags);
  if (equal < few || length == few) return equal;
  return few + equal_words(text + few, pattern + few, length - few, flags);
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

#if !defined(__CUDA_ARCH__)
// The next position from `begin` to `last` of a letter in either case; last + 1: there is none. first: in lower case.
[[nodiscard]] inline std::int64_t next_letter(std::byte const* payload, std::int64_t begin, std::int64_t last,
                                              std::byte first) {
  constexpr auto case_bit = std::byte{'a' ^ 'A'};
#if defined(__SSE2__)
  // Only the letter's two cases are equal to it with this bit.
  constexpr int at_once = sizeof(__m128i);
  auto const wanted = _mm_set1_epi8(static_cast<char>(first));
  auto const either_case = _mm_set1_epi8(static_cast<char>(case_bit));
  for (; begin + at_once - 1 <= last; begin += at_once) {
    auto const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(payload + begin));
    auto const equal = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_or_si128(bytes, either_case), wanted));
    if (equal != 0) return begin + __builtin_ctz(static_cast<unsigned>(equal));
  }
#endif
  while (begin <= last && (payload[begin] | case_bit) != first) ++begin;
  return begin;
}
#endif

// The next position from `begin` to `last` that may be a match's first byte; last + 1: there is none.
[[nodiscard]] HOST_DEVICE inline std::int64_t next_first(std::byte const* payload, std::int64_t begin,
                                                         std::int64_t last, std::byte first, std::uint16_t flags) {
#if !defined(__CUDA_ARCH__)
  auto const is_letter = first >= std::byte{'a'} && first <= std::byte{'z'};
  if (begin > last) return begin;
  if (is_letter && (flags & check_flag::ignores_case) != 0) return next_letter(payload, begin, last, first);
  auto const* found = static_cast<std::byte const*>(
      std::memchr(payload + begin, static_cast<int>(first), static_cast<std::size_t>(last - begin + 1)));
  return found == nullptr ? last + 1 : found - payload;
#else
  // Four positions at a time.
  bool const ignores_case = (flags & check_flag::ignores_case) != 0;
  auto const four = static_cast<std::uint32_t>(first) * 0x0101'0101U;
  for (; begin + 3 <= last; begin += 4) {
    auto const bytes = load<std::uint32_t>(payload + begin);
    auto const equal = __vcmpeq4(ignores_case ? folded(bytes) : bytes, four);
    if (equal != 0) return begin + (__ffs(static_cast<int>(equal)) - 1) / 8;
  }
  while (begin <= last && equal_bytes(payload + begin, &first, 1, flags) == 0) ++begin;
  return begin;
#endif
}

// The first match of the pattern that begins from `begin` to `last`; last + 1: there is none. Bytes that are known are
// not looked at again. Spends the budget; once that is spent, the answer means nothing.
[[nodiscard]] HOST_DEVICE inline std::int64_t first_match(std::byte const* payload, std::byte const* pattern,
                                                          compiled_check const& check, std::int64_t begin,
                                                          std::int64_t last, check_memory& memory,
                                                          search_budget& budget) {
  bool const is_known = begin >= memory.clean_begin && begin <= memory.clean_end;
  if (!is_known) memory.clean_begin = static_cast<std::uint32_t>(begin);
  auto at = is_known ? std::int64_t{memory.clean_end} : begin;
  if (at > last) return last + 1;
  while (at <= last && !budget.is_spent()) {
    auto const next = check.length == 0 ? at : next_first(payload, at, last, *pattern, check.flags);
    budget.spend(static_cast<std::uint64_t>(next - at));
    at = next;
    if (at > last) break;
    auto const equal = equal_bytes(payload + at, pattern, check.length, check.flags);
    budget.spend(std::uint64_t{equal} + 1);
    if (equal == check.length) break;
    ++at;
  }
  memory.clean_end = static_cast<std::uint32_t>(at);
  return at;
}

[[nodiscard]] HOST_DEVICE inline step find_content(ruleset_ref rules, compiled_check const& check,
                                                   std::byte const* payload, std::uint32_t size, attempt const& from,
                                                   check_memory& memory, search_budget& budget) {
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
  if (begin > last) return {has(negated), from.cursor, 0};
  auto const found = first_match(payload, pattern, check, begin, last, memory, budget);
  if (budget.is_spent()) return {false, from.cursor, 0};
  if (found > last) return {has(negated), from.cursor, 0};
  if (has(negated)) return {false, from.cursor, 0};
  auto const cursor = static_cast<std::uint32_t>(found) + check.length;
  return {true, cursor, has(next_is_relative) ? static_cast<std::uint32_t>(found) + 1 : 0};
}

}  // namespace packetwarp::inspect::detail
