// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "function/rules/rules_table.h"

namespace packetwarp {

// The arrays of a rules_table while it is being built.
class rules_build {
 public:
  // counters_in_use: of the rules in force; only rules that keep them get these.
  rules_build(std::span<rules_input const> all, std::span<rules_port_input const> ports,
              std::span<std::uint32_t const> counters_in_use = {});

  std::vector<std::uint32_t> slots;
  std::vector<rules_tuple> tuples;
  std::vector<rules_word> words;
  std::vector<rules_group> groups{{}};  // the first is empty: the target of jumps to groups without rules
  std::vector<rules_range> ranges;
  std::vector<rules_screen> screens;
  std::vector<rules_line> lines;
  std::vector<rules_port> ports;
  std::uint64_t egress_ports{};           // bit n: port n has egress rules
  std::vector<std::uint32_t> counter_of;  // by rule
  std::vector<std::uint32_t> sent_to;     // by port that packets come in on; bit n: rules may send them to port n
  std::uint32_t counters{};
  std::size_t most_probes{};  // slots that a search for a rule probes

 private:
  using group_key = std::tuple<rules_direction, std::uint16_t, std::uint32_t>;
  void number_groups(std::span<rules_input const> all);
  void number_counters(std::span<rules_input const> all, std::span<std::uint32_t const> in_use);
  [[nodiscard]] std::uint32_t group_of(rules_direction direction, port_id port, std::uint32_t group) const;
  void add_group(std::span<rules_input const> all, std::vector<std::size_t> const& members);
  void add_screens(rules_port& to);
  [[nodiscard]] bool screen(rules_group const& some, std::vector<rules_screen>& with) const;
  void add_tuple(std::span<rules_input const> all, std::vector<std::size_t> const& members);
  void add_entry(rules_input const& rule, std::size_t n);
  [[nodiscard]] rules_entry& entry(std::uint32_t line) { return *reinterpret_cast<rules_entry*>(&lines[line]); }

  std::map<group_key, std::uint32_t> group_numbers_;
  std::map<group_key, std::vector<std::size_t>> members_;  // in the order they apply
  std::uint32_t next_rank_{};
  std::vector<std::uint32_t> rank_of_;
  std::vector<std::uint32_t> line_of_;
};

}  // namespace packetwarp
