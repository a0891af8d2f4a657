// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/language/interval_set.h"

namespace packetwarp::inspect {

// The variables that rules name with a $: those of Suricata's own configuration file, with its values, and others.
class variables {
 public:
  variables();
  // Throws usage_error if the name is none.
  void set(std::string name, std::string value);
  [[nodiscard]] std::string const* find(std::string_view name) const;
  [[nodiscard]] std::string names() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// The fault of a group: its text is none, or it leaves no number.
enum class group_fault : std::uint8_t { text, nothing_left };

// The errors of these two: text, and the part of the text that is wrong.
struct group_error {
  std::string_view part;
  std::string message;
  group_fault fault{group_fault::text};
};

// Addresses, prefixes and ranges; ports and ranges: alone, with !, or as a list in brackets. Variables are replaced by
// their values. Negated parts alone mean all others of their IP version: !10.0.0.1 has no address of IPv6. Throws
// group_error, also if nothing is left.
[[nodiscard]] address_set parse_addresses(std::string_view text, variables const& known);
[[nodiscard]] port_set parse_ports(std::string_view text, variables const& known);

// Whether a text that parse_addresses() takes has a !, or a variable in it.
[[nodiscard]] bool has_negation(std::string_view text, variables const& known);

}  // namespace packetwarp::inspect
