// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/literal.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "inspect/compiled/common_text.h"
#include "inspect/compiled/prefilter.h"

namespace packetwarp::inspect {
namespace {

// The fast_pattern was chosen with care, so it is taken unless another content is much rarer.
constexpr std::size_t rank_of_fast_pattern = 192;

[[nodiscard]] std::string searched_part(content_check const& content) {
  if (content.fast_length == 0) return content.bytes;
  return content.bytes.substr(content.fast_first, content.fast_length);
}

// A run of one byte, or three of the four bytes fill unused places.
[[nodiscard]] bool is_filling(std::string_view piece) {
  auto const fills = [](char c) { return c == '\0' || c == '\xff' || c == ' '; };
  bool const is_run = static_cast<std::size_t>(std::count(piece.begin(), piece.end(), piece[0])) == piece.size();
  return is_run || std::count_if(piece.begin(), piece.end(), fills) >= 3;
}

// A window is rarer the more of its pieces are in no common text, and the more different bytes it has. 0: its bytes
// fill unused places, as in many packets of all kinds.
[[nodiscard]] std::size_t rarity(std::string_view window) {
  std::set<char> const different{window.begin(), window.end()};
  std::size_t uncommon = 0;
  bool is_filled = true;
  for (std::size_t at = 0; at + piece_bytes <= window.size(); ++at) {
    auto const piece = window.substr(at, piece_bytes);
    if (is_filling(piece)) continue;
    is_filled = false;
    if (!is_common_piece(piece)) uncommon += at == 0 ? 3 : 1;
  }
  return is_filled ? 0 : 64 * uncommon + 4 * different.size();
}

// A content's rarest window of the widest kind that it has.
struct ranked_window {
  std::size_t content{};  // its position among the rule's checks
  std::size_t at{};
  std::uint32_t kind{window_kinds};  // no window
  std::size_t rank{};
};

[[nodiscard]] ranked_window rarest_in(std::string_view literal) {
  ranked_window best;
  for (best.kind = 0; best.kind < window_kinds && literal.size() < window_bytes(best.kind);) ++best.kind;
  if (best.kind == window_kinds) return best;
  auto const width = window_bytes(best.kind);
  for (std::size_t at = 0; at + width <= literal.size(); ++at) {
    auto const rank = rarity(literal.substr(at, width));
    if (rank <= best.rank) continue;
    best.rank = rank;
    best.at = at;
  }
  return best;
}

[[nodiscard]] content_check const* searched_content(payload_check const& check) {
  auto const* content = std::get_if<content_check>(&check);
  return content == nullptr || content->is_negated ? nullptr : content;
}

// Among all contents; of those without a rare window the fast_pattern, or the longest one.
[[nodiscard]] ranked_window rarest_of(rule const& one) {
  ranked_window best;
  std::size_t most = 0;
  std::size_t longest = 0;
  for (std::size_t n = 0; n < one.payload.size(); ++n) {
    auto const* content = searched_content(one.payload[n]);
    if (content == nullptr) continue;
    auto const part = searched_part(*content);
    auto found = rarest_in(part);
    found.content = n;
    if (found.rank != 0 && content->is_fast_pattern) found.rank += rank_of_fast_pattern;
    auto const length = content->is_fast_pattern ? ~std::size_t{0} : part.size();
    bool const is_rarer = found.rank > most || (most == 0 && length > longest);
    longest = std::max(longest, length);
    if (!is_rarer) continue;
    most = found.rank;
    best = found;
  }
  return best;
}

}  // namespace

std::string literal_of(rule const& one) {
  auto const best = rarest_of(one);
  auto const* content = best.kind == window_kinds ? nullptr : searched_content(one.payload[best.content]);
  return content == nullptr ? std::string{} : searched_part(*content);
}

std::optional<literal_window> window_of(rule const& one) {
  auto const best = rarest_of(one);
  if (best.kind == window_kinds) return std::nullopt;
  auto const literal = searched_part(*searched_content(one.payload[best.content]));
  return literal_window{
      best.kind, load_window(reinterpret_cast<std::byte const*>(literal.data() + best.at), window_bytes(best.kind))};
}

}  // namespace packetwarp::inspect
