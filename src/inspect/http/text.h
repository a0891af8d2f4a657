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

[[nodiscard]] HOST_DEVICE constexpr bool is_blank_or_end(char c) noexcept {
  return is_blank(c) || c == '\r' || c == '\n';
}

[[nodiscard]] HOST_DEVICE inline text_view without_blanks(text_view text) {
  while (text.size != 0 && is_blank_or_end(letter_at(text, 0))) text = text.part(1, text.size);
  while (text.size != 0 && is_blank_or_end(letter_at(text, text.size - 1))) --text.size;
  return text;
}

// Letters that careless readers of names and codings pass over.
[[nodiscard]] HOST_DEVICE constexpr bool is_passed_over(char c) noexcept { return c == '\0' || c == '\v' || c == '\f'; }

// Whether the text is this small word in any case, except letters that are passed over.
template <std::size_t Size>
[[nodiscard]] HOST_DEVICE bool is_loose_word(text_view text, char const (&small)[Size]) {
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < text.size; ++i) {
    char const c = letter_at(text, i);
    if (is_passed_over(c)) continue;
    if (seen + 1 >= Size || lower(c) != small[seen]) return false;
    ++seen;
  }
  return seen + 1 == Size;
}

// Whether the text begins with this small word, in the same way.
template <std::size_t Size>
[[nodiscard]] HOST_DEVICE bool begins_loosely(text_view text, char const (&small)[Size]) {
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < text.size && seen + 1 < Size; ++i) {
    char const c = letter_at(text, i);
    if (is_passed_over(c)) continue;
    if (lower(c) != small[seen]) return false;
    ++seen;
  }
  return seen + 1 == Size;
}

// The first position with this letter; the text's size: none has it.
[[nodiscard]] HOST_DEVICE inline std::uint32_t find(text_view text, char letter) {
  std::uint32_t at = 0;
  while (at < text.size && letter_at(text, at) != letter) ++at;
  return at;
}

// A line of a head, without its end.
struct head_line {
  text_view text;
  std::uint32_t next;  // where the next one begins
  bool is_whole;
  bool ends_head;
};

// A request's line: up to LF, and a CR before it is not of it. An empty line ends the head.
[[nodiscard]] HOST_DEVICE inline head_line request_line_at(text_view head, std::uint32_t begin) {
  auto end = begin;
  while (end < head.size && letter_at(head, end) != '\n') ++end;
  bool const is_whole = end < head.size;
  auto const next = is_whole ? end + 1 : end;
  if (is_whole && end > begin && letter_at(head, end - 1) == '\r') --end;
  return {head.part(begin, end), next, is_whole, is_whole && end == begin};
}

// Whether a response's head ends with the line from `begin` to LF at `end`: an empty line; or, if bytes that are no end
// of a line follow, a line of one blank, and one of two CRs after an LF without CR.
[[nodiscard]] HOST_DEVICE inline bool ends_response_head(text_view head, std::uint32_t begin, std::uint32_t end) {
  auto const size = end - begin;
  char const first = letter_at(head, begin);
  if (size == 0 || (size == 1 && first == '\r')) return true;
  char const next = letter_at(head, end + 1);
  bool const is_last = end + 1 >= head.size || next == '\n';
  if (size == 1) return is_blank(first) && !is_last && next != '\r';
  bool const is_after_lf = begin >= 2 && letter_at(head, begin - 1) == '\n' && letter_at(head, begin - 2) != '\r';
  return size == 2 && first == '\r' && is_after_lf && !is_last && next != '\r';
}

// A response's line, as clients and Suricata read those of careless servers: it ends also with a CR that neither CR nor
// LF follow.
[[nodiscard]] HOST_DEVICE inline head_line response_line_at(text_view head, std::uint32_t begin) {
  auto end = begin;
  while (end < head.size && letter_at(head, end) != '\n') {
    bool const is_cr = letter_at(head, end) == '\r' && end + 1 < head.size;
    if (is_cr && letter_at(head, end + 1) != '\n' && letter_at(head, end + 1) != '\r') break;
    ++end;
  }
  if (end >= head.size) return {head.part(begin, head.size), head.size, false, false};
  auto const next = end + 1;
  bool const ends_head = letter_at(head, end) == '\n' && ends_response_head(head, begin, end);
  while (end > begin && letter_at(head, end - 1) == '\r') --end;
  return {head.part(begin, end), next, true, ends_head};
}

[[nodiscard]] HOST_DEVICE inline head_line line_at(text_view head, std::uint32_t begin, http_kind kind) {
  return kind == http_kind::request ? request_line_at(head, begin) : response_line_at(head, begin);
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
