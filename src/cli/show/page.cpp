// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/show/page.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/filled_page.h"
#include "cli/help_pages.h"
#include "cli/show/nouns.h"

namespace packetwarp {
namespace {

// "a, b and c", with another word before the last.
[[nodiscard]] std::string joined(std::vector<std::string> const& words, std::string_view before_last) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) all.append(i + 1 == words.size() ? before_last : ", ");
    all.append(words[i]);
  }
  return all;
}

// Nouns that take a word of their own have a line of their own; the first noun stands alone, at the page's beginning.
[[nodiscard]] std::string usage() {
  constexpr std::string_view again = "\n       packetwarp show ";
  auto const nouns = shown_nouns();
  auto text = fmt::format("packetwarp show {} [options]", nouns.front().name);
  std::string others;
  for (auto const& one : nouns.subspan(1)) {
    if (!one.one_row.empty()) {
      text.append(again).append(fmt::format("{} [options] [{}]", one.name, one.one_row));
    } else {
      others.append(others.empty() ? "" : " | ").append(one.name);
    }
  }
  return text.append(again).append(others).append(" [options]");
}

[[nodiscard]] std::string noun_lines() {
  std::string text;
  for (auto const& one : shown_nouns()) text.append(one.help);
  text.pop_back();
  return text;
}

// "this prefix, this neighbour (INTERFACE/ADDRESS), or this row of nat and rules".
[[nodiscard]] std::string places() {
  std::vector<std::string> all, by_number;
  for (auto const& one : shown_nouns()) {
    if (one.rows == nullptr) continue;
    if (one.place.empty()) {
      by_number.emplace_back(one.name);
    } else {
      all.push_back(fmt::format("this {}", one.place));
    }
  }
  if (!by_number.empty()) all.push_back("this row of " + joined(by_number, " and "));
  return joined(all, ", or ");
}

// "Routes, mappings and rules".
[[nodiscard]] std::string rows_of_one_moment() {
  std::vector<std::string> all;
  for (auto const& one : shown_nouns()) {
    if (!one.of_one_moment.empty()) all.emplace_back(one.of_one_moment);
  }
  auto text = joined(all, " and ");
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

}  // namespace

std::string_view show_page() {
  static std::string const page = filled_page(help::show, {{"usage", usage()},
                                                           {"nouns", noun_lines()},
                                                           {"places", places()},
                                                           {"rows of one moment", rows_of_one_moment()}});
  return page;
}

}  // namespace packetwarp
