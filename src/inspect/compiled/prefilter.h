// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/std/bit>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"

namespace packetwarp::inspect {

// ASCII letters of four or eight bytes in lower case.
template <class Word>
[[nodiscard]] HOST_DEVICE constexpr Word folded(Word bytes) noexcept {
  constexpr Word ones = static_cast<Word>(0x0101'0101'0101'0101);
  auto const low_bits = bytes & (0x7f * ones);
  auto const is_a_or_more = low_bits + (0x80 - 'A') * ones;
  auto const is_above_z = low_bits + (0x80 - 'Z' - 1) * ones;
  auto const is_letter = (is_a_or_more & ~is_above_z & ~bytes) & (0x80 * ones);
  return bytes | (is_letter >> 2);
}

[[nodiscard]] HOST_DEVICE constexpr std::uint64_t first_bytes(std::uint64_t bytes, std::uint32_t count) noexcept {
  return count == 8 ? bytes : bytes & ((std::uint64_t{1} << (8 * count)) - 1);
}

namespace detail {

// Eight bytes, the first one lowest, or the four lowest of them. The bytes need not be aligned: a GPU, which loads
// aligned words only, takes them out of two or three.
template <class Word>
[[nodiscard]] HOST_DEVICE inline Word load(std::byte const* from) noexcept {
#if defined(__CUDA_ARCH__)
  auto const shift = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) & 3);
  auto const* const words = reinterpret_cast<std::uint32_t const*>(from - shift);
  constexpr std::uint32_t whole = sizeof(Word) / sizeof(std::uint32_t);
  std::uint32_t in[whole + 1];
  for (std::uint32_t i = 0; i < whole; ++i) in[i] = words[i];
  in[whole] = shift == 0 ? 0 : words[whole];  // no byte of it is wanted
  Word bytes = __funnelshift_r(in[0], in[1], 8 * shift);
  if constexpr (whole == 2) bytes |= static_cast<Word>(__funnelshift_r(in[1], in[2], 8 * shift)) << 32;
  return bytes;
#else
  Word bytes = 0;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
#endif
}

}  // namespace detail

// Up to eight bytes, the first one lowest.
[[nodiscard]] HOST_DEVICE inline std::uint64_t load_window(std::byte const* from, std::uint32_t available) noexcept {
  if (available >= sizeof(std::uint64_t)) return folded(detail::load<std::uint64_t>(from));
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < available; ++i) bytes |= static_cast<std::uint64_t>(from[i]) << (8 * i);
  return folded(bytes);
}

// A window's first four bytes.
[[nodiscard]] HOST_DEVICE inline std::uint32_t load_first(std::byte const* from) noexcept {
  return folded(detail::load<std::uint32_t>(from));
}

// The first bytes of a text, which has `available`, one at least: as many as the words have room for, or all. The bytes
// after the text's may be anything. A GPU, which waits for all words once, reads no word without a byte of the text.
template <std::uint32_t Words>
HOST_DEVICE void load_words(std::byte const* from, std::uint32_t available, std::uint32_t (&bytes)[Words]) noexcept {
#if defined(__CUDA_ARCH__)
  auto const shift = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from) & 3);
  auto const* const words = reinterpret_cast<std::uint32_t const*>(from - shift);
  auto const last = (shift + available - 1) / sizeof(std::uint32_t);
  std::uint32_t in[Words + 1];
#pragma unroll
  for (std::uint32_t i = 0; i <= Words; ++i) in[i] = words[i < last ? i : last];
#pragma unroll
  for (std::uint32_t i = 0; i < Words; ++i) bytes[i] = folded(__funnelshift_r(in[i], in[i + 1], 8 * shift));
#else
  std::memset(bytes, 0, sizeof bytes);
  std::memcpy(bytes, from, available < sizeof bytes ? available : sizeof bytes);
  for (auto& word : bytes) word = folded(word);
#endif
}

[[nodiscard]] HOST_DEVICE constexpr std::uint64_t window_hash(std::uint64_t window) noexcept {
  window *= 0x9e37'79b9'7f4a'7c15;
  return window ^ window >> 29;
}

// The bit of a window's first four bytes in a first filter.
inline constexpr std::uint32_t first_bit_factor = 0x9e37'79b1;
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t first_bit(std::uint64_t window) noexcept {
  return static_cast<std::uint32_t>(window) * first_bit_factor >> (32 - first_filter_bits);
}

// The first filter for packets of the class of this number.
[[nodiscard]] HOST_DEVICE inline std::uint64_t const* first_filter_of(ruleset_ref rules, std::uint32_t number) {
  return rules.at<std::uint64_t>(rules.header().class_filters) + std::size_t{number} * first_filter_words;
}
// The first filter for packets of a class; for packets of several ones that of all windows. In real texts ten times as
// many positions pass that one: most windows there are of rules for other packets.
[[nodiscard]] HOST_DEVICE inline std::uint64_t const* first_filter_for(ruleset_ref rules, std::uint32_t classes) {
  auto const& header = rules.header();
  if ((classes & (classes - 1)) != 0) return rules.at<std::uint64_t>(header.first_filter);
  return first_filter_of(rules, static_cast<std::uint32_t>(cuda::std::countr_zero(classes)));
}

// A bit of many, 0 or 1. A GPU, which computes with 32 bits, reads as many.
[[nodiscard]] HOST_DEVICE inline std::uint32_t bit_of(std::uint64_t const* bits, std::uint32_t n) {
#if defined(__CUDA_ARCH__)
  auto const word = reinterpret_cast<std::uint32_t const*>(bits)[n >> 5];
  return __funnelshift_r(word, word, n) & 1;
#else
  return static_cast<std::uint32_t>(bits[n >> 6] >> (n & 63) & 1);
#endif
}

// Whether some window begins with the first four of these bytes. Most positions end here.
[[nodiscard]] HOST_DEVICE inline bool may_begin_window(std::uint64_t const* first_filter, std::uint64_t bytes) {
  return bit_of(first_filter, first_bit(bytes)) != 0;
}

namespace detail {

// found(place): the entry's rule is for packets of the class, and has the window. A GPU waits for several entries once.
template <class Found>
HOST_DEVICE void find_entries(window_entry const* entries, std::uint32_t begin, std::uint32_t end, std::uint64_t window,
                              std::uint32_t classes, Found&& found) {
#if defined(__CUDA_ARCH__)
  constexpr std::uint32_t at_once = 4;
#pragma unroll 1
  for (auto first = begin; first < end; first += at_once) {
    window_entry read[at_once];
#pragma unroll
    for (std::uint32_t i = 0; i < at_once; ++i) read[i] = entries[first + i < end ? first + i : end - 1];
#pragma unroll
    for (std::uint32_t i = 0; i < at_once; ++i) {
      if (first + i < end && read[i].bytes == window && (read[i].classes & classes) != 0) found(read[i].rule);
    }
  }
#else
  for (auto entry = begin; entry < end; ++entry) {
    if (entries[entry].bytes == window && (entries[entry].classes & classes) != 0) found(entries[entry].rule);
  }
#endif
}

}  // namespace detail

// found(place): a rule for packets of the class has the window that begins with these bytes, of which `available` are
// the text's.
template <class Found>
HOST_DEVICE void find_window(ruleset_ref rules, std::uint64_t bytes, std::uint32_t available, std::uint32_t classes,
                             Found&& found) {
  // All filters are asked before an answer is needed: a GPU waits for them once.
  std::uint32_t passes = 0;
  for (std::uint32_t kind = 0; kind < window_kinds; ++kind) {
    auto const& table = rules.header().windows[kind];
    auto const bit = static_cast<std::uint32_t>(window_hash(first_bytes(bytes, window_bytes(kind)))) &
                     ((1U << table.filter_bits) - 1);
    if (bit_of(rules.at<std::uint64_t>(table.filter), bit) != 0 && available >= window_bytes(kind))
      passes |= 1U << kind;
  }
  for (; passes != 0; passes &= passes - 1) {
    auto const kind = static_cast<std::uint32_t>(cuda::std::countr_zero(passes));
    auto const& table = rules.header().windows[kind];
    auto const window = first_bytes(bytes, window_bytes(kind));
    auto const bucket = window_hash(window) >> (64 - table.bucket_bits);
    auto const* begins = rules.at<std::uint32_t>(table.begins);
    detail::find_entries(rules.at<window_entry>(table.entries), begins[bucket], begins[bucket + 1], window, classes,
                         found);
  }
}

// found(place): the rule at that place, for packets of the classes, has a literal around this position. The same rule
// may be found several times.
template <class Found>
HOST_DEVICE void search_windows(ruleset_ref rules, std::byte const* payload, std::uint32_t size, std::uint32_t position,
                                std::uint32_t classes, Found&& found) {
  auto const available = size - position;
  auto const bytes = load_window(payload + position, available);
  if (!may_begin_window(first_filter_for(rules, classes), bytes)) return;
  find_window(rules, bytes, available, classes, found);
}
template <class Found>
HOST_DEVICE void search_windows(ruleset_ref rules, std::byte const* payload, std::uint32_t size, std::uint32_t position,
                                Found&& found) {
  search_windows(rules, payload, size, position, every_class, found);
}

}  // namespace packetwarp::inspect
