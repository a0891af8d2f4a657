// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/loaded_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.h"
#include "inspect/language/rule_file.h"

namespace packetwarp {
namespace {

using inspect::rule_buffer;

// The buffers whose bytes the stage has at hand.
[[nodiscard]] bool is_read(rule_buffer where) {
  return where == rule_buffer::payload || where == rule_buffer::dns_query || where == rule_buffer::dns_query_dotted ||
         where == rule_buffer::tls_sni || where == rule_buffer::tls_sni_dotted;
}

[[nodiscard]] rule_buffer buffer_of(inspect::payload_check const& check) {
  return std::visit([](auto const& one) { return one.where; }, check);
}

// Adds gaps for keywords that `packetwarp inspect run` inspects in captures, and the stage does not.
void add_gaps(inspect::rule& one) {
  if (!one.gaps.empty()) return;
  auto const add = [&one](char const* keyword) {
    one.gaps.push_back({.keyword = keyword, .kind = inspect::gap_kind::not_inspected, .column = 1, .line = one.line});
  };
  bool const has_unread =
      std::any_of(one.payload.begin(), one.payload.end(), [](auto const& check) { return !is_read(buffer_of(check)); });
  bool const has_name = std::any_of(one.payload.begin(), one.payload.end(), [](auto const& check) {
    return is_read(buffer_of(check)) && buffer_of(check) != rule_buffer::payload;
  });
  if (one.protocol == inspect::rule_protocol::http) add("protocol http");
  if (one.protocol == inspect::rule_protocol::tls && !has_name) add("protocol tls");
  if (has_unread) add("a buffer of HTTP");
  if (one.flow.stream == inspect::stream_need::only_stream) add("flow:only_stream");
}

}  // namespace

std::shared_ptr<loaded_rules const> load_rules(std::span<std::string const> files, inspect::variables const& known) {
  auto rules = inspect::read_rule_files(files, known);
  if (!rules.problems.empty()) {
    auto const others = rules.problems.size() - 1;
    throw usage_error(others == 0 ? rules.problems.front()
                                  : fmt::format("{} (and {} more; 'packetwarp inspect check' lists all)",
                                                rules.problems.front(), others));
  }
  for (auto& one : rules.rules) add_gaps(one);
  auto cover = inspect::coverage_of(rules);
  if (cover.usable == 0) throw usage_error("no rule is usable; 'packetwarp inspect check' says why");
  auto compiled = inspect::compile_rules(rules);
  return std::make_shared<loaded_rules const>(
      loaded_rules{.rules = std::move(rules), .cover = std::move(cover), .compiled = std::move(compiled)});
}

std::string text_of_unusable(inspect::coverage const& cover) {
  constexpr std::size_t most = 8;
  if (cover.usable == cover.rules) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(most, cover.missing.size()); ++i) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", cover.missing[i].keyword, cover.missing[i].rules);
  }
  return fmt::format("{} of {} rules are left out, for {}{}", cover.rules - cover.usable, cover.rules, names,
                     cover.missing.size() > most ? ", ..." : "");
}

}  // namespace packetwarp
