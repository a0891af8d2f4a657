// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/features.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "model/integer_network.h"
#include "model/metadata/entry.h"
#include "model/printable.h"

namespace packetwarp::model {
namespace {

constexpr std::string_view features_key = "features";
constexpr std::size_t most_name = 64;

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[nodiscard]] bool is_feature_name(std::string_view name) {
  auto const is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  };
  return !name.empty() && name.size() <= most_name && std::all_of(name.begin(), name.end(), is_allowed);
}

[[nodiscard]] std::string list_of(std::span<std::string_view const> names) {
  std::string all;
  for (auto const name : names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

}  // namespace

std::vector<std::string> features_of(onnx::file const& file) {
  auto const* const found = metadata_value(file, features_key);
  if (found == nullptr) {
    throw usage_error(
        fmt::format("{}: does not name its features; set the key '{}' in metadata_props to their names, with commas "
                    "between: onnx.helper.set_model_props(model, {{'{}': 'a,b,c'}})",
                    file.path, features_key, features_key));
  }
  std::vector<std::string> names;
  std::string_view rest = *found;
  for (bool is_last = false; !is_last;) {
    auto const comma = rest.find(',');
    is_last = comma == std::string_view::npos;
    auto const name = trimmed(rest.substr(0, comma));
    if (!is_last) rest.remove_prefix(comma + 1);
    if (!is_feature_name(name)) {
      throw usage_error(
          fmt::format("{}: '{}' is no feature's name; allowed are 1 to {} letters, digits, '_', '.' and '-'", file.path,
                      printable(name), most_name));
    }
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw usage_error(fmt::format("{}: the feature '{}' is named twice", file.path, name));
    }
    if (names.size() == row_bytes)
      throw usage_error(fmt::format("{}: names more than {} features", file.path, row_bytes));
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::uint32_t> positions_of(std::string const& path, std::span<std::string const> names,
                                        std::span<std::string_view const> known) {
  auto const places = known.first(std::min<std::size_t>(known.size(), row_bytes));
  std::vector<std::uint32_t> positions;
  for (auto const& name : names) {
    auto const found = std::find(places.begin(), places.end(), name);
    if (found == places.end()) {
      throw usage_error(fmt::format("{}: the feature '{}' is not known; there are {}", path, name, list_of(places)));
    }
    positions.push_back(static_cast<std::uint32_t>(found - places.begin()));
  }
  return positions;
}

}  // namespace packetwarp::model
