// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shown_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace packetwarp {
namespace {

[[nodiscard]] bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }

struct character {
  std::uint32_t code{};
  std::size_t bytes{};
};

// The first character of a text that is not empty; nothing if it is no UTF-8.
[[nodiscard]] std::optional<character> first_of(std::string_view text) {
  auto const first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return character{.code = first, .bytes = 1};
  auto const bytes = first >= 0xf0 ? 4U : first >= 0xe0 ? 3U : 2U;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return std::nullopt;
  auto code = first & (0x7fU >> bytes);
  for (auto const c : text.substr(1, bytes - 1)) {
    if (!continues_a_character(c)) return std::nullopt;
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x1'0000};
  bool const is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least.at(bytes) || code > 0x10'ffff || is_surrogate) return std::nullopt;
  return character{.code = code, .bytes = bytes};
}

// Characters that are not seen by themselves, from and to, of Unicode's categories Z, Cc and Cf.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 15> unseen{{{0x0, 0x20},
                                                                          {0x7f, 0xa0},
                                                                          {0xad, 0xad},
                                                                          {0x61c, 0x61c},
                                                                          {0x115f, 0x1160},
                                                                          {0x1680, 0x1680},
                                                                          {0x180b, 0x180f},
                                                                          {0x2000, 0x200f},
                                                                          {0x2028, 0x202f},
                                                                          {0x205f, 0x206f},
                                                                          {0x3000, 0x3000},
                                                                          {0x3164, 0x3164},
                                                                          {0xfe00, 0xfe0f},
                                                                          {0xfeff, 0xfeff},
                                                                          {0xfff9, 0xfffd}}};
constexpr std::uint32_t tags = 0xe0000;  // and above: tags, selectors, private use

}  // namespace

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  auto begin = most / 2;
  auto end = text.size() - most / 3;
  while (begin > 0 && continues_a_character(text[begin])) --begin;
  while (end < text.size() && continues_a_character(text[end])) ++end;
  return fmt::format("{} [{} bytes are left out] {}", std::string_view{text}.substr(0, begin), end - begin,
                     std::string_view{text}.substr(end));
}

std::string as_utf8(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    auto const next = first_of(text);
    auto const bytes = next ? next->bytes : 1;
    made.append(next ? text.substr(0, bytes) : "?");
    text.remove_prefix(bytes);
  }
  return made;
}

bool is_plainly_visible(std::string_view text) {
  while (!text.empty()) {
    auto const next = first_of(text);
    if (!next || next->code >= tags) return false;
    auto const is_within = [&](auto const& range) { return next->code >= range.first && next->code <= range.second; };
    if (std::ranges::any_of(unseen, is_within)) return false;
    text.remove_prefix(next->bytes);
  }
  return true;
}

}  // namespace packetwarp
