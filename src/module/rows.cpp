// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "wire/address_text.h"

namespace packetwarp {

std::string json_text(std::string_view text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

std::vector<std::string> json_names(network_config const& config) {
  std::vector<std::string> names;
  names.reserve(config.interfaces.size());
  for (auto const& one : config.interfaces) names.push_back(json_text(one.name));
  return names;
}

namespace {

[[nodiscard]] std::size_t row_number(std::string const& text, std::string_view name, std::size_t least) {
  std::size_t value = 0;
  auto const* const end = text.data() + text.size();
  auto const [behind, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || behind != end || value < least) {
    throw usage_error(fmt::format("--{} '{}': give a number of rows from {} on", name, text, least));
  }
  return value;
}

}  // namespace

std::size_t rows_of_a_page(request const& asked) {
  auto const text = asked.find("limit");
  return text ? std::min(row_number(*text, "limit", 1), most_rows_of_a_page) : most_rows_of_a_page;
}

std::size_t first_row(request const& asked) {
  auto const text = asked.find("from");
  return text ? row_number(*text, "from", 0) : 0;
}

std::optional<ip_address> parse_address(std::string_view text) {
  if (auto const found = wire::parse_ipv4(text)) return *found;
  if (auto const found = wire::parse_ipv6(text)) return *found;
  return std::nullopt;
}

std::optional<ip_prefix> parse_prefix(std::string_view text) {
  auto const slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto const address = parse_address(text.substr(0, slash));
  auto const bits = text.substr(slash + 1);
  unsigned length = 0;
  auto const [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), length);
  bool const is_number = error == std::errc{} && end == bits.data() + bits.size();
  if (!address || !is_number || length > (address->index() == 0 ? 32U : 128U)) return std::nullopt;
  return ip_prefix{*address, length};
}

}  // namespace packetwarp
