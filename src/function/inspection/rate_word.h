// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/hash_key.h"
#include "base/host_device.h"
#include "function/inspection/shared_word.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspection_parts {

// A count of threshold or detection_filter, in one word: 0 is a free place.
//
//   63..44 tag, never 0   43..20 end of the time, in sixteenths of a second   19..0 matches
struct rate_word {
  static constexpr std::uint32_t time_mask = (1U << 24) - 1;
  static constexpr std::uint32_t most_matches = (1U << 20) - 1;
  static constexpr std::uint32_t longest = time_mask / 2;  // of a rule's seconds: six days
  static constexpr std::uint32_t most_skew = 4 * 16;       // the times of two threads differ by less

  std::uint32_t tag;
  std::uint32_t end;
  std::uint32_t matches;

  [[nodiscard]] HOST_DEVICE static constexpr rate_word of(std::uint64_t word) {
    return {.tag = static_cast<std::uint32_t>(word >> 44),
            .end = static_cast<std::uint32_t>(word >> 20) & time_mask,
            .matches = static_cast<std::uint32_t>(word) & most_matches};
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t word() const {
    return std::uint64_t{tag} << 44 | std::uint64_t{end} << 20 | matches;
  }
  [[nodiscard]] HOST_DEVICE static constexpr std::uint32_t time_of(std::uint32_t seconds) {
    auto const wanted = std::uint64_t{seconds} * 16;
    return static_cast<std::uint32_t>(wanted < longest ? wanted : longest);
  }
  // at_most: the time that it had when it began. Times come again after twelve days, so an end that seems to be farther
  // ahead is in the past.
  [[nodiscard]] HOST_DEVICE constexpr bool is_over(std::uint32_t now, std::uint32_t at_most) const {
    return ((end - now) & time_mask) > at_most + most_skew;
  }
};

struct rate_table_ref {
  std::uint64_t* words;     // [lines][line_words], zeroes at first
  std::uint32_t line_mask;  // lines - 1
};

// now: in sixteenths of a second. longest: the most seconds of all rates whose counts are in the table.
struct rate_clock {
  std::uint32_t now;
  std::uint32_t longest;
};

// The effect of a match: none; that of its action, without an alert; both.
enum class rate_answer : std::uint8_t { nothing, action, alert };

namespace detail {

[[nodiscard]] HOST_DEVICE constexpr rate_answer answer_to(inspect::compiled_rate const& rate, rate_word& counted) {
  if (counted.matches < rate_word::most_matches) ++counted.matches;
  switch (static_cast<inspect::rate_kind>(rate.kind)) {
    case inspect::rate_kind::limit:
      return counted.matches <= rate.count ? rate_answer::alert : rate_answer::action;
    case inspect::rate_kind::threshold:
      if (counted.matches < rate.count) return rate_answer::nothing;
      counted.matches = 0;
      return rate_answer::alert;
    case inspect::rate_kind::both:
      if (counted.matches < rate.count) return rate_answer::nothing;
      return counted.matches == rate.count ? rate_answer::alert : rate_answer::action;
    case inspect::rate_kind::detection_filter:
      return counted.matches > rate.count ? rate_answer::alert : rate_answer::nothing;
  }
  return rate_answer::alert;
}

[[nodiscard]] HOST_DEVICE inline std::uint64_t mix_address(hash_key const& key, std::uint64_t hash,
                                                           wire::ipv6_address const& address) {
  return mix(key, mix(key, hash ^ address.high) ^ address.low);
}

[[nodiscard]] HOST_DEVICE inline std::uint64_t key_of(inspect::compiled_rate const& rate, std::uint32_t place,
                                                      inspect::inspected_packet const& packet, std::uint64_t flow,
                                                      hash_key const& key) {
  auto const hash = mix(key, std::uint64_t{place} << 8 | packet.ip_version);
  switch (static_cast<inspect::rate_track>(rate.track)) {
    case inspect::rate_track::by_source:
      return mix_address(key, hash, packet.source);
    case inspect::rate_track::by_destination:
      return mix_address(key, hash, packet.destination);
    case inspect::rate_track::by_both: {
      auto const pair = inspect::pair_of(packet);
      return mix_address(key, mix_address(key, hash, pair.lower), pair.upper);
    }
    case inspect::rate_track::by_rule:
      return hash;
    case inspect::rate_track::by_flow:
      return mix(key, hash ^ flow);
  }
  return hash;
}

}  // namespace detail

// The answer to a match, which is counted. place: of the rate among the rules' rates. flow: the packet's key.
// has_place becomes false if the table is full: the match then alerts, unless a detection_filter
// asks for more than one.
[[nodiscard]] HOST_DEVICE inline rate_answer count_match(rate_table_ref const& table,
                                                         inspect::compiled_rate const& rate, std::uint64_t key,
                                                         rate_clock const& clock, bool& has_place) {
  auto const upper = static_cast<std::uint32_t>(key >> 44);
  auto const tag = upper == 0 ? 1 : upper;
  auto const now = clock.now & rate_word::time_mask;
  auto const wanted = rate_word::time_of(rate.seconds);
  auto const longest = rate_word::time_of(clock.longest);
  auto const end = (now + wanted) & rate_word::time_mask;
  auto* const line = table.words + (static_cast<std::uint32_t>(key) & table.line_mask) * line_words;
  for (;;) {
    auto best = line_words;
    std::uint64_t before = 0;
    for (std::uint32_t n = 0; n < line_words; ++n) {
      auto const word = load(line[n]);
      auto const there = rate_word::of(word);
      bool const is_its_own = word != 0 && there.tag == tag;
      bool const is_free = word == 0 || there.is_over(now, longest);
      if (!is_its_own && (best != line_words || !is_free)) continue;
      best = n;
      before = word;
      if (is_its_own) break;
    }
    if (best == line_words) {
      has_place = false;
      bool const is_filter = static_cast<inspect::rate_kind>(rate.kind) == inspect::rate_kind::detection_filter;
      return is_filter ? rate_answer::nothing : rate_answer::alert;
    }
    auto counted = rate_word::of(before);
    if (before == 0 || counted.tag != tag || counted.is_over(now, wanted))
      counted = {.tag = tag, .end = end, .matches = 0};
    auto const answer = detail::answer_to(rate, counted);
    if (replace(line[best], before, counted.word())) return answer;
  }
}

}  // namespace packetwarp::inspection_parts
