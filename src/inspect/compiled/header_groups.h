// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule_set.h"

namespace packetwarp::inspect {

// A packet's group of rules: by its kind, its direction in its flow, its addresses and its ports. Each of these says by
// a row of bits which rules may match; the rules of a group have a bit in all of their rows. An address or a port finds
// its row among the intervals in which all numbers are alike to all rules. (The bit vectors of Lakshman and Stiliadis,
// SIGCOMM 1998.) The row of an address or a port also says which sets of addresses or ports it is in, for the rules
// that are found by a literal. A row ends with a summary, by which a packet reads the words alone in which each of its
// rows has a rule. (The aggregated bit vectors of Baboescu and Varghese, SIGCOMM 2001.)
struct header_group_parts {
  std::vector<std::uint32_t> places;                                           // of the rules, by their bits
  std::vector<std::uint32_t> begins[group_axes];                               // of intervals, ascending from 0
  std::vector<std::uint32_t> rows[group_axes];                                 // of each interval
  std::vector<std::uint32_t> facts = std::vector<std::uint32_t>(group_facts);  // rows by group_fact()
  std::uint32_t ipv6{};                                                        // row of the rules for IPv6
  std::vector<std::uint64_t> bits;                                             // of the rows, one after the other
  std::uint32_t words{};                                                       // per row, of the rules' bits
  std::uint32_t row_words{};                                                   // per row, with sets and summary
  std::uint32_t summary{};                                                     // its begin in a row
};

// The groups of the rules at these places in `order`, whose elements are numbers in rule_set::rules.
[[nodiscard]] header_group_parts group_rules(rule_set const& rules, std::vector<std::uint32_t> const& order,
                                             std::vector<compiled_rule> const& compiled,
                                             std::vector<std::uint32_t> places);

// Whether packets of this kind may match rules of the protocol.
[[nodiscard]] bool may_match(rule_protocol protocol, packet_kind kind);

// Whether a packet may match the rule with no more of its stream than lies around it, and without a body of HTTP.
[[nodiscard]] bool matches_alone(compiled_rule const& rule);

// The packets that the rule may match, as bits of packet_class().
[[nodiscard]] std::uint32_t classes_of(compiled_rule const& rule);

}  // namespace packetwarp::inspect
