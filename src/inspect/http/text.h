// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/http/message.h"
#include "inspect/match/number.h"

namespace packetwarp::inspect::detail {

[[nodiscard]] HOST_DEVICE inline char letter_at(text_view text, std::uint32_t at) {
  return at < text.size ? static_cast<char>(text.bytes[at]) : '\0';
}
[[nodiscard]] HOST_DEVICE constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] HOST_DEVICE constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

// Whether the text begins with these small letters, in any case.
template <std::size_t Size>
[[nodiscard]] HOST_DEVICE bool begins_with(text_view text, char const (&small)[Size]) {
  if (text.size < Size - 1) return false;
  for (std::uint32_t i = 0; i + 1 < Size; ++i) {
    if (lower(letter_at(text, i)) != small[i]) return false;
  }
  return true;
}
template <std::size_t Size>
[[nodiscard]] HOST_DEVICE bool is_word(text_view text, char const (&small)[Size]) {
  return text.size == Size - 1 && begins_with(text, small);
}

[[nodiscard]] HOST_DEVICE inline bool is_same_word(text_view a, text_view b) {
  if (a.size != b.size) return false;
  for (std::uint32_t i = 0; i < a.size; ++i) {
    if (lower(letter_at(a, i)) != lower(letter_at(b, i))) return false;
  }
  return true;
}

[[nodiscard]] HOST_DEVICE inline text_view without_blanks(text_view text) {
  while (text.size != 0 && is_blank(letter_at(text, 0))) text = text.part(1, text.size);
  while (text.size != 0) {
    char const last = letter_at(text, text.size - 1);
    if (!is_blank(last) && last != '\r' && last != '\n') break;
    --text.size;
  }
  return text;
}

// The first position with this letter; the text's size: none has it.
[[nodiscard]] HOST_DEVICE inline std::uint32_t find(text_view text, char letter) {
  std::uint32_t at = 0;
  while (at < text.size && letter_at(text, at) != letter) ++at;
  return at;
}

// A line of a head: up to LF, and a CR before it is not of it.
struct head_line {
  text_view text;
  std::uint32_t next;  // where the next one begins
  bool is_whole;
};
[[nodiscard]] HOST_DEVICE inline head_line line_at(text_view head, std::uint32_t begin) {
  auto end = begin;
  while (end < head.size && letter_at(head, end) != '\n') ++end;
  bool const is_whole = end < head.size;
  auto const next = is_whole ? end + 1 : end;
  if (is_whole && end > begin && letter_at(head, end - 1) == '\r') --end;
  return {head.part(begin, end), next, is_whole};
}

// Memory that fills up from its begin.
struct text_writer {
  std::byte* bytes;
  std::uint32_t capacity;
  std::uint32_t size;
  bool is_full;

  HOST_DEVICE void put(char c) {
    if (size == capacity) {
      is_full = true;
      return;
    }
    bytes[size++] = static_cast<std::byte>(c);
  }
  HOST_DEVICE void put(text_view text) {
    for (std::uint32_t i = 0; i < text.size; ++i) put(letter_at(text, i));
  }
  // Without the ends of its lines.
  HOST_DEVICE void put_folded(text_view text) {
    for (std::uint32_t i = 0; i < text.size; ++i) {
      char const c = letter_at(text, i);
      if (c != '\n' && !(c == '\r' && letter_at(text, i + 1) == '\n')) put(c);
    }
  }
  [[nodiscard]] HOST_DEVICE text_view since(std::uint32_t begin) const { return {bytes + begin, size - begin}; }
};

}  // namespace packetwarp::inspect::detail
