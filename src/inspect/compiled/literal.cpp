// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/literal.h"

#include <algorithm>
#include <set>

#include "inspect/compiled/prefilter.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] std::string searched_part(content_check const& content) {
  if (content.fast_length == 0) return content.bytes;
  return content.bytes.substr(content.fast_first, content.fast_length);
}

// Windows with few different bytes, as in runs of zeroes, are in most payloads.
[[nodiscard]] std::size_t rarity(std::string_view window) {
  std::set<char> const different{window.begin(), window.end()};
  auto const unusual = std::count_if(window.begin(), window.end(), [](char c) {
    return c != '\0' && c != ' ' && c != '\xff' && c != '/' && c != '.';
  });
  return 4 * different.size() + static_cast<std::size_t>(unusual);
}

[[nodiscard]] literal_window rarest_window(std::string_view literal, std::uint32_t kind) {
  auto const width = window_bytes(kind);
  std::size_t best = 0;
  for (std::size_t at = 0; at + width <= literal.size(); ++at) {
    if (rarity(literal.substr(at, width)) > rarity(literal.substr(best, width))) best = at;
  }
  return {kind, load_window(reinterpret_cast<std::byte const*>(literal.data() + best), width)};
}

}  // namespace

std::string literal_of(rule const& one) {
  std::string literal;
  bool is_chosen = false;
  for (auto const& check : one.payload) {
    auto const* content = std::get_if<content_check>(&check);
    if (content == nullptr || content->is_negated) continue;
    auto part = searched_part(*content);
    if (content->is_fast_pattern && !is_chosen) {
      literal = std::move(part);
      is_chosen = true;
    } else if (!is_chosen && part.size() > literal.size()) {
      literal = std::move(part);
    }
  }
  return literal;
}

std::optional<literal_window> window_of(rule const& one) {
  auto const literal = literal_of(one);
  for (std::uint32_t kind = 0; kind < window_kinds; ++kind) {
    if (literal.size() >= window_bytes(kind)) return rarest_window(literal, kind);
  }
  return std::nullopt;
}

}  // namespace packetwarp::inspect
