// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/model/rows_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <istream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "model/integer_network.h"

namespace packetwarp {

void rows_file::refuse(std::string const& why) const { throw usage_error(fmt::format("{}:{}: {}", name_, line_, why)); }

bool rows_file::next_line(std::vector<std::string>& cells) {
  constexpr std::string_view blanks = " \t\r";
  std::array<char, longest_line + 1> text;
  while (from_.getline(text.data(), text.size()) || from_.gcount() != 0) {
    ++line_;
    if (from_.bad()) break;
    if (from_.fail()) refuse(fmt::format("is longer than {} characters", longest_line));
    std::string_view const line{text.data(), static_cast<std::size_t>(from_.gcount()) - (from_.eof() ? 0 : 1)};
    if (line.find_first_not_of(blanks) == std::string_view::npos) {
      if (first_empty_ == 0) first_empty_ = line_;
      continue;
    }
    if (first_empty_ != 0) {
      line_ = first_empty_;
      refuse("is empty; only lines at the end may be");
    }
    cells.clear();
    std::string_view rest = line;
    for (bool is_last = false; !is_last;) {
      auto const comma = rest.find(',');
      is_last = comma == std::string_view::npos;
      auto cell = rest.substr(0, comma);
      if (!is_last) rest.remove_prefix(comma + 1);
      auto const first = cell.find_first_not_of(blanks);
      cell = first == std::string_view::npos ? "" : cell.substr(first, cell.find_last_not_of(blanks) - first + 1);
      cells.emplace_back(cell);
    }
    return true;
  }
  if (from_.bad()) throw failure(fmt::format("{}:{}: reading failed", name_, line_ + 1));
  return false;
}

rows_file::rows_file(std::istream& from, std::string name, std::span<std::string const> features)
    : from_{from}, name_{std::move(name)} {
  std::vector<std::string> names;
  if (!next_line(names)) throw usage_error(fmt::format("{}: is empty; its first line names the features", name_));
  for (auto const& one : names) {
    auto const found = std::find(features.begin(), features.end(), one);
    if (found == features.end()) refuse(fmt::format("the model has no feature '{}'", one));
    auto const place = static_cast<std::size_t>(found - features.begin());
    if (std::find(places_.begin(), places_.end(), place) != places_.end()) refuse(fmt::format("names '{}' twice", one));
    places_.push_back(place);
  }
  for (auto const& feature : features) {
    if (std::find(names.begin(), names.end(), feature) == names.end())
      refuse(fmt::format("lacks the feature '{}'", feature));
  }
}

bool rows_file::read(std::size_t most, std::vector<std::int8_t>& rows) {
  std::vector<std::string> cells;
  std::size_t count = 0;
  while (count < most && next_line(cells)) {
    if (cells.size() != places_.size())
      refuse(fmt::format("has {} values for {} features", cells.size(), places_.size()));
    auto const begin = rows.size();
    rows.resize(begin + model::row_bytes);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      int value = 0;
      auto const* const end = cells[i].data() + cells[i].size();
      auto const [stopped, error] = std::from_chars(cells[i].data(), end, value);
      if (error != std::errc{} || stopped != end || value < -128 || value > 127) {
        refuse(fmt::format("'{}' is no integer from -128 to 127", cells[i]));
      }
      rows[begin + places_[i]] = static_cast<std::int8_t>(value);
    }
    ++count;
  }
  return count != 0;
}

}  // namespace packetwarp
