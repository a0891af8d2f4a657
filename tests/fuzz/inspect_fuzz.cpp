// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/compiled/compile.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/language/coverage.h"
#include "inspect/language/rule_file.h"
#include "inspect/match/chain.h"
#include "inspect/packet/eve_line.h"
#include "inspect/packet/inspector.h"
#include "inspect/packet/window_search.h"

using namespace packetwarp;
using namespace packetwarp::inspect;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// A malformed rule is one printable line with its place.
void check_problems(rule_set const& rules) {
  for (auto const& problem : rules.problems) {
    require(problem.starts_with("fuzz:"));
    for (char const c : problem) require(c >= ' ' && c <= '~');
  }
  auto const cover = coverage_of(rules);
  require(cover.rules == rules.rules.size() && cover.usable <= cover.rules);
}

// Whether the prefilter finds each rule whose payload matches.
void check_prefilter(ruleset const& compiled, std::string_view payload) {
  auto const rules = compiled.ref();
  auto const* bytes = reinterpret_cast<std::byte const*>(payload.data());
  auto const size = static_cast<std::uint32_t>(payload.size());
  std::set<std::uint32_t> found;
  for (auto const& list : rules.header().unfiltered) {
    auto const* places = rules.at<std::uint32_t>(list);
    found.insert(places, places + list.count);
  }
  for (std::uint32_t at = 0; at < size; ++at) {
    search_windows(rules, bytes, size, at, [&](std::uint32_t place) { found.insert(place); });
  }
  std::set<std::uint32_t> by_windows;
  for (auto const& list : rules.header().unfiltered) {
    auto const* places = rules.at<std::uint32_t>(list);
    by_windows.insert(places, places + list.count);
  }
  window_search search{rules};
  search.search({bytes, size}, 0, every_class, [&](std::uint32_t place, std::uint32_t) { by_windows.insert(place); });
  require(by_windows == found);
  regex_library regexes{compiled.regexes()};
  for (std::uint32_t place = 0; place < rules.header().rules.count; ++place) {
    auto const& rule = rules.rule(place);
    if (rule.name_checks.count + rule.dotted_checks.count + rule.http_buffers != 0) continue;
    search_budget budget;
    auto const result = matches_chain(
        rules, rule.checks, bytes, size,
        [&](auto number, auto const* text, auto length, auto& begin, auto& end) {
          return regexes.match(number, text, length, begin, end);
        },
        budget);
    require(result != chain_result::match || found.contains(place));
  }
}

// A UDP and a TCP packet with the payload, and the payload as a frame.
void inspect_packets(rule_set const& rules, ruleset const& compiled, std::string_view payload) {
  inspector one{compiled, rules.rules.size(), hash_key{1, 3}, {.flows = 8, .rates = 8}};
  auto const see = [&](std::vector<std::byte> const& frame) {
    for (auto const& alert : one.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1))
      (void)alert_line(rules, alert);
  };
  for (unsigned const protocol : {17U, 6U}) {  // UDP from port 53, for rules of dns
    auto const header = protocol == 17 ? 8U : 20U;
    std::vector<std::byte> frame(34 + header + payload.size());
    auto const put = [&](std::size_t at, std::size_t value) {
      frame[at] = static_cast<std::byte>(value >> 8);
      frame[at + 1] = static_cast<std::byte>(value);
    };
    put(12, 0x0800);
    put(14, 0x4500);
    put(16, frame.size() - 14);
    put(22, 64 << 8 | protocol);
    if (protocol == 17) put(34, 53);
    if (protocol == 17) put(38, 8 + payload.size());
    if (protocol == 6) put(46, 0x5018);
    if (!payload.empty()) std::memcpy(frame.data() + 34 + header, payload.data(), payload.size());
    see(frame);
  }
  auto const* bytes = reinterpret_cast<std::byte const*>(payload.data());
  see({bytes, bytes + payload.size()});
  (void)stats_line(rules, one);
}

}  // namespace

// Rules, a byte 0, and a payload.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t most = 4096;
  if (size > most) return 0;
  std::string_view const all{reinterpret_cast<char const*>(data), size};
  auto const end = all.find('\0');
  static variables const known;
  rule_set rules;
  add_rules(rules, "fuzz", std::string{all.substr(0, end)}, known);
  check_problems(rules);
  auto const compiled = compile_rules(rules);
  auto const payload = end == std::string_view::npos ? std::string_view{} : all.substr(end + 1);
  check_prefilter(compiled, payload);
  inspect_packets(rules, compiled, payload);
  return 0;
}
