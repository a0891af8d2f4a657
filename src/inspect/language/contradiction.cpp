// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/contradiction.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include "inspect/language/buffers.h"

namespace packetwarp::inspect {
namespace {

constexpr std::uint32_t any_size = std::numeric_limits<std::uint32_t>::max();

// The most bytes that a buffer has; as Suricata, which takes rules up to the bound itself of `<` and `<>`.
[[nodiscard]] std::uint32_t most_of(number_test const& size) {
  switch (size.relation) {
    case number_relation::equal:
    case number_relation::at_most:
    case number_relation::less:
      return size.value;
    case number_relation::between:
      return size.upper;
    default:
      return any_size;
  }
}
[[nodiscard]] std::uint32_t most_in(rule const& one, rule_buffer where) {
  auto most = any_size;
  if (where == rule_buffer::unread) return most;  // several buffers
  for (auto const& check : one.payload) {
    auto const* const size = std::get_if<size_check>(&check);
    if (size != nullptr && size->where == where) most = std::min(most, most_of(size->size));
  }
  return most;
}

[[nodiscard]] std::string problem_of_content(rule const& one, content_check const& content) {
  using enum rule_buffer;
  std::string_view const bytes{content.bytes};
  bool const has_capital = std::any_of(bytes.begin(), bytes.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  bool const is_host = content.where == http_host || content.where == http_host_dotted;
  if (is_host && has_capital && !content.ignores_case)
    return "http.host is in small letters, and the content has a capital; write it in small letters";
  constexpr std::string_view blanks = " \t";
  if (content.where == http_method &&
      (blanks.find(bytes.front()) != blanks.npos || blanks.find(bytes.back()) != blanks.npos))
    return "http.method has no blanks around it, and the content has; leave it out";
  auto const most = most_in(one, content.where);
  auto const needed = bytes.size() + static_cast<std::size_t>(content.offset.value_or(0));
  if (!content.is_negated && needed > most)
    return fmt::format("the content needs {} bytes, and the buffer's size is {} at most", needed, most);
  return {};
}

// before: the checks before it.
[[nodiscard]] std::string problem_of_regex(std::span<payload_check const> before, regex_check const& regex) {
  bool const has_match_before = std::any_of(before.begin(), before.end(), [&](payload_check const& check) {
    bool const is_searched = std::holds_alternative<content_check>(check) || std::holds_alternative<regex_check>(check);
    return is_searched && buffer_of(check) == regex.where;
  });
  if (!regex.is_relative || regex.where != rule_buffer::payload || has_match_before) return {};
  return "R counts from the match before, and no content or pcre is before it; leave R out";
}

}  // namespace

std::optional<contradiction> contradiction_of(rule const& one) {
  for (std::size_t at = 0; at < one.payload.size(); ++at) {
    std::string problem;
    if (auto const* const content = std::get_if<content_check>(&one.payload[at])) {
      problem = problem_of_content(one, *content);
    } else if (auto const* const regex = std::get_if<regex_check>(&one.payload[at])) {
      problem = problem_of_regex(std::span{one.payload}.first(at), *regex);
    }
    if (!problem.empty()) return contradiction{at, std::move(problem)};
  }
  return std::nullopt;
}

}  // namespace packetwarp::inspect
