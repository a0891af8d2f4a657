// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace packetwarp::inspect {

bool is_for_streams(rule const& one) {
  bool const may_be_tcp = one.protocol == rule_protocol::tcp || one.protocol == rule_protocol::ip ||
                          one.protocol == rule_protocol::http || one.protocol == rule_protocol::tls;
  bool const is_for_packets = one.needs_packet_payload || !one.header.empty() || !one.flags.empty() ||
                              one.flow.stream == stream_need::no_stream;
  return may_be_tcp && !is_for_packets && !one.payload.empty();
}

std::string text_of_replaced(coverage const& cover) {
  if (cover.replaced == 0) return {};
  return fmt::format("{} rules are replaced: a higher rev of each is there, or the same rule", cover.replaced);
}

coverage coverage_of(rule_set const& rules) {
  coverage made;
  made.replaced = rules.replaced;
  std::map<std::string, missing_keyword> by_keyword;
  std::set<std::pair<std::uint32_t, std::uint32_t>> ids;
  for (auto const& one : rules.rules) {
    ++made.rules;
    if (!ids.emplace(one.gid, one.sid).second) ++made.alike;
    if (one.gaps.empty()) {
      ++made.usable;
      if (is_for_streams(one)) ++made.in_streams;
    }
    for (auto const& gap : one.gaps) {
      auto [found, is_new] = by_keyword.try_emplace(gap.keyword);
      auto& row = found->second;
      if (is_new) {
        row = {.keyword = gap.keyword,
               .kind = gap.kind,
               .first = fmt::format("{}:{}:{}", rules.files[one.file], gap.line, gap.column)};
      }
      ++row.rules;
      if (one.gaps.size() == 1) ++row.alone;
    }
  }
  for (auto& [keyword, row] : by_keyword) made.missing.push_back(std::move(row));
  std::stable_sort(made.missing.begin(), made.missing.end(),
                   [](auto const& a, auto const& b) { return a.rules > b.rules; });
  return made;
}

}  // namespace packetwarp::inspect
