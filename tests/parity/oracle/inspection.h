// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "inspect/language/rule_file.h"
#include "parity/oracle.h"

namespace packetwarp::test {

// Rules that follow from a packet alone, because the suite's bursts do not come in order; without streams, for the same
// reason. tests/inspection has rules about flows, and compares with src/inspect's inspector.
inline constexpr char const* parity_rules =
    "pass udp any any -> any 5353 (dsize:18; sid:1;)\n"
    "drop udp any any -> any any (content:\"|03 04 05 06 07|\"; offset:3; depth:5; dsize:<30; ttl:>1; sid:2;)\n"
    "drop tcp any any -> any any (content:\"|01 02|\"; content:\"|05|\"; distance:1; within:4; sid:3;)\n"
    "reject tcp any any -> any 40000 (flags:PA,12; dsize:>3; sid:4;)\n"
    "reject udp any any -> any 2000 (byte_test:1,=,2,2; sid:5;)\n"
    "drop icmp any any -> any any (itype:8; content:\"|08 09 0a 0b 0c 0d 0e 0f|\"; isdataat:!30; sid:6;)\n"
    "alert ip any any -> 20.1.0.0/16 any (sid:7;)\n"
    "reject icmp any any -> any any (itype:8; dsize:56; sid:8;)\n"
    "drop udp any any -> any any (content:\"|02 03|\"; pcre:\"/^.{0,9}\\x03\\x04(\\x05|[\\x10-\\x20]{2})/s\"; "
    "dsize:>29; sid:9;)\n";

template <>
struct suite_tables<inspection> {
  [[nodiscard]] static table_refs<inspection> in(table_place copy, company) {
    auto const make = [](table_place place) {
      inspect::rule_set rules;
      inspect::add_rules(rules, "parity.rules", parity_rules, inspect::variables{});
      if (!rules.problems.empty()) throw std::logic_error{rules.problems.front()};
      auto const compiled = inspect::compile_rules(rules);
      bool const is_on_host = place.gpu == table_place::host;
      return new inspection_table{{.rules = compiled, .count = rules.rules.size()},
                                  is_on_host ? make_regex_engines(compiled, 1) : regex_engines{},
                                  {.flows = 4096, .rates = 64, .streams = {.streams = 0}},
                                  hash_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345},
                                  1,
                                  place};
    };
    static auto const* const on_host = make({});
    if (copy.gpu == table_place::host) return {on_host->ref(0), on_host->ref(0)};
    static auto const* const on_gpu = make(copy);
    return {on_host->ref(0), on_gpu->ref(0)};
  }
};

}  // namespace packetwarp::test
