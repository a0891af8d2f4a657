// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/run/yaml_reader.h"
#include "function/nat44/nat44_config.h"

namespace packetwarp {

// The nat44 section of a network's file. Sides are given by interfaces' names, in the order of `interfaces`.
struct nat44_section {
  int line{};
  nat44_config config;
  std::string log;                              // file of the session log; empty: none
  std::size_t log_room{std::size_t{16} << 20};  // bytes of lines that may wait for the file
  std::string state;                            // file that keeps sessions over a restart; empty: none
  int state_line{};
  std::uint32_t state_period{60};  // seconds between two saves; 0: at the end only
};

// What the section may speak of: an interface's name and its own addresses.
struct named_interface {
  struct own_address {
    wire::ipv4_address address;
    unsigned length{};  // of its prefix
  };
  std::string name;
  std::vector<own_address> addresses;
};

// What the tables have room for, and what hosts and prefixes have of it at most, in lines.
[[nodiscard]] std::string describe_shares(nat44_config const& config);

// interfaces: in their order. Throws usage_error with FILE:LINE.
[[nodiscard]] nat44_section read_nat44_section(yaml_place const& place, std::vector<named_interface> const& interfaces);

}  // namespace packetwarp
