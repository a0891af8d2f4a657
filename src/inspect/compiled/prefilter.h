// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"

namespace packetwarp::inspect {

// ASCII letters of eight bytes in lower case.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t folded(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
  auto const low_bits = bytes & (0x7f * ones);
  auto const is_a_or_more = low_bits + (0x80 - 'A') * ones;
  auto const is_above_z = low_bits + (0x80 - 'Z' - 1) * ones;
  auto const is_letter = (is_a_or_more & ~is_above_z & ~bytes) & (0x80 * ones);
  return bytes | (is_letter >> 2);
}

[[nodiscard]] HOST_DEVICE constexpr std::uint64_t first_bytes(std::uint64_t bytes, std::uint32_t count) noexcept {
  return count == 8 ? bytes : bytes & ((std::uint64_t{1} << (8 * count)) - 1);
}

// Up to eight bytes, the first one lowest.
[[nodiscard]] HOST_DEVICE inline std::uint64_t load_window(std::byte const* from, std::uint32_t available) noexcept {
  std::uint64_t bytes = 0;
  if (available >= sizeof bytes) {
    std::memcpy(&bytes, from, sizeof bytes);
  } else {
    std::memcpy(&bytes, from, available);
  }
  return folded(bytes);
}

[[nodiscard]] HOST_DEVICE constexpr std::uint64_t window_hash(std::uint64_t window) noexcept {
  window *= 0x9e37'79b9'7f4a'7c15;
  return window ^ window >> 29;
}

// The bit of a window's first four bytes in ruleset_header::first_filter.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t first_bit(std::uint64_t window) noexcept {
  return static_cast<std::uint32_t>(window) * 0x9e37'79b1U >> (32 - first_filter_bits);
}

// Whether some window begins with the first four of these bytes. Most positions end here.
[[nodiscard]] HOST_DEVICE inline bool may_begin_window(std::uint64_t const* first_filter, std::uint64_t bytes) {
  auto const first = first_bit(bytes);
  return (first_filter[first >> 6] >> (first & 63) & 1) != 0;
}

// found(place): a rule for packets of the class has the window that begins with these bytes, of which `available` are
// the text's.
template <class Found>
HOST_DEVICE void find_window(ruleset_ref rules, std::uint64_t bytes, std::uint32_t available, std::uint32_t classes,
                             Found&& found) {
  for (std::uint32_t kind = 0; kind < window_kinds; ++kind) {
    if (available < window_bytes(kind)) continue;
    auto const& table = rules.header().windows[kind];
    if (table.entries.count == 0) continue;
    auto const window = first_bytes(bytes, window_bytes(kind));
    auto const hash = window_hash(window);
    auto const bit = hash & ((1U << filter_bits) - 1);
    if ((rules.at<std::uint64_t>(table.filter)[bit >> 6] >> (bit & 63) & 1) == 0) continue;
    auto const bucket = hash >> (64 - table.bucket_bits);
    auto const* begins = rules.at<std::uint32_t>(table.begins);
    auto const* entries = rules.at<window_entry>(table.entries);
    for (auto entry = begins[bucket]; entry < begins[bucket + 1]; ++entry) {
      if (entries[entry].bytes == window && (entries[entry].classes & classes) != 0) found(entries[entry].rule);
    }
  }
}

// found(place): the rule at that place has a literal around this position. The same rule may be found several times.
template <class Found>
HOST_DEVICE void search_windows(ruleset_ref rules, std::byte const* payload, std::uint32_t size, std::uint32_t position,
                                Found&& found) {
  auto const available = size - position;
  auto const bytes = load_window(payload + position, available);
  if (!may_begin_window(rules.at<std::uint64_t>(rules.header().first_filter), bytes)) return;
  find_window(rules, bytes, available, every_class, found);
}

}  // namespace packetwarp::inspect
