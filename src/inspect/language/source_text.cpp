// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/source_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace packetwarp::inspect {
namespace {

constexpr std::string_view white = " \t\r\n\v\f";

}  // namespace

source_text::source_text(std::string name, std::string text) : name_{std::move(name)}, text_{std::move(text)} {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.starts_with(byte_order_mark)) text_.erase(0, byte_order_mark.size());
  line_begins_.push_back(0);
  bool goes_on = false;  // the line before is joined to this one
  bool is_comment = false;
  for (auto end = text_.find('\n'); end != text_.npos; end = text_.find('\n', end + 1)) {
    auto const line = trimmed(std::string_view{text_}.substr(line_begins_.back(), end - line_begins_.back()));
    line_begins_.push_back(end + 1);
    if (!goes_on) is_comment = line.starts_with('#');
    goes_on = !is_comment && line.ends_with('\\');
    if (!goes_on) continue;
    auto const backslash = static_cast<std::size_t>(line.data() - text_.data()) + line.size() - 1;
    std::fill(text_.begin() + static_cast<std::ptrdiff_t>(backslash),
              text_.begin() + static_cast<std::ptrdiff_t>(end + 1), ' ');
  }
}

std::vector<std::string_view> source_text::rules() const {
  std::vector<std::string_view> found;
  std::string_view left{text_};
  while (!left.empty()) {
    auto const line = trimmed(take_until(left, '\n'));
    if (!line.empty() && line.front() != '#') found.push_back(line);
  }
  return found;
}

text_place source_text::place_of(std::string_view part) const {
  auto const at = static_cast<std::size_t>(part.data() - text_.data());
  auto const after = std::upper_bound(line_begins_.begin(), line_begins_.end(), at);
  return {static_cast<std::size_t>(after - line_begins_.begin()), at - *(after - 1) + 1};
}

void source_text::fail(std::string_view part, std::string_view message) const {
  auto const [line, column] = place_of(part);
  throw usage_error(fmt::format("{}:{}:{}: {}", name_, line, column, message));
}

std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) return text.substr(text.size());
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

std::string in_quotation(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string made{"'"};
  for (char const c : text.substr(0, most)) made.push_back(c >= ' ' && c <= '~' ? c : '?');
  return made + (text.size() > most ? "...'" : "'");
}

std::string_view take_until(std::string_view& text, char end) {
  auto const at = text.find(end);
  auto const taken = text.substr(0, at);
  text = at == std::string_view::npos ? text.substr(text.size()) : text.substr(at + 1);
  return taken;
}

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char c, char small) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == small;
  });
}

std::vector<std::string_view> split(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  for (;;) {
    bool const is_last = text.find(between) == std::string_view::npos;
    parts.push_back(trimmed(take_until(text, between)));
    if (is_last) return parts;
  }
}

}  // namespace packetwarp::inspect
