// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"
#include "cli/inspect/tasks.h"
#include "cli/inspect/variable_check.h"
#include "cli/result_file.h"
#include "file/distinct_files.h"
#include "inspect/compiled/compile.h"
#include "inspect/language/coverage.h"
#include "inspect/language/rule_file.h"
#include "inspect/packet/eve_line.h"
#include "inspect/packet/inspector.h"
#include "model/printable.h"
#include "traffic/capture/capture_reader.h"

namespace packetwarp {
namespace {

// The key of flows is the same in each run, so that alerts and flow_id are, too. Digits of pi.
constexpr hash_key capture_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

// Rules that are left out are named, never silently.
void say_what_is_missing(inspect::coverage const& cover) {
  if (auto const what = text_of_replaced(cover); !what.empty()) fmt::print(stderr, "inspect: {}\n", what);
  if (cover.usable == cover.rules) return;
  constexpr std::size_t most = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, cover.missing.size()); ++i) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", model::printable(cover.missing[i].keyword),
                         cover.missing[i].rules);
  }
  fmt::print(stderr, "inspect: {} of {} rules are left out, for {}{}; 'packetwarp inspect check' lists all\n",
             cover.rules - cover.usable, cover.rules, names, cover.missing.size() > most ? ", ..." : "");
}

[[nodiscard]] inspect::rule_set read_rules(inspect_options const& options) {
  auto rules = inspect::read_rule_files(options.rules, options.known);
  if (rules.problems.empty()) return rules;
  auto const others = rules.problems.size() - 1;
  throw usage_error(others == 0 ? rules.problems.front()
                                : fmt::format("{} (and {} more; 'packetwarp inspect check' lists all)",
                                              rules.problems.front(), others));
}

}  // namespace

int inspect_capture(inspect_options const& options) {
  auto const rules = read_rules(options);
  auto const cover = inspect::coverage_of(rules);
  if (cover.usable == 0) throw failure("no rule is usable; 'packetwarp inspect check' says why");
  traffic::capture_reader from{options.pcap};
  auto read = options.rules;
  read.push_back(options.pcap);
  require_distinct_files(read, std::array{options.out});
  result_file out{options.out, "--out"};
  say_what_is_missing(cover);
  warn_of_unused_variables(options, rules);
  auto const compiled = inspect::compile_rules(rules);
  inspect::inspector inspector{compiled, rules.rules.size(), capture_key, {.checksums = options.checksums}};
  traffic::capture_reader::packet packet;
  while (from.next(packet)) {
    if (stop_requested() != stop_request::none) throw failure("interrupted before every packet was inspected");
    for (auto const& alert : inspector.inspect(packet.bytes, packet.length, packet.time))
      out.append(inspect::alert_line(rules, alert) + "\n");
  }
  for (auto const& alert : inspector.finish()) out.append(inspect::alert_line(rules, alert) + "\n");
  out.append(inspect::stats_line(rules, inspector) + "\n");
  out.complete();
  if (!from.problem().empty()) throw failure(fmt::format("{}; the packets before that were inspected", from.problem()));
  return exit_success;
}

}  // namespace packetwarp
