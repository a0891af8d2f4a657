// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// Rules of several files, and the groups of addresses and ports that they share.
struct rule_set {
  std::vector<std::string> files{};
  std::vector<rule> rules{};  // in the order of the files
  std::vector<address_set> addresses{};
  std::vector<port_set> ports{};
  std::vector<std::string> problems{};  // a line per malformed rule, which is not among the rules
  std::size_t replaced{};  // rules that are not among them either: a newer revision of each is there, or the same text

  // The groups' numbers by their text.
  std::unordered_map<std::string, std::uint32_t> known_addresses{};
  std::unordered_map<std::string, std::uint32_t> known_ports{};
  std::unordered_set<std::size_t> known_texts{};  // hashes of rules' texts
};

}  // namespace packetwarp::inspect
