// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// Rules of several files, and the groups of addresses and ports that they share.
struct rule_set {
  std::vector<std::string> files{};
  std::vector<rule> rules{};  // in the order of the files; a newer revision has the place of the older one
  std::vector<address_set> addresses{};
  std::vector<port_set> ports{};
  std::vector<std::string> problems{};  // a line per malformed rule, which is not among the rules
  std::size_t replaced{};               // rules of which there is a newer revision

  // The groups' numbers by their text.
  std::unordered_map<std::string, std::uint32_t> known_addresses{};
  std::unordered_map<std::string, std::uint32_t> known_ports{};
  // The rules' numbers by gid and sid.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> known_ids{};
};

}  // namespace packetwarp::inspect
