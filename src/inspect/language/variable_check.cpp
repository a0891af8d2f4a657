// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/variable_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "inspect/language/source_text.h"

namespace packetwarp::inspect {
namespace {

template <class Parse>
[[nodiscard]] std::optional<group_error> error_of(Parse const& parse) {
  try {
    (void)parse();
    return std::nullopt;
  } catch (group_error const& error) {
    return error;
  }
}

// The reason why a value is neither addresses nor ports. A text that a reading takes, though nothing is left of it, is
// what was meant; else the reading that came further tells it.
[[nodiscard]] std::string reason_of(group_error const& of_addresses, group_error const& of_ports) {
  if (of_addresses.fault == group_fault::nothing_left) return of_addresses.message;
  if (of_ports.fault == group_fault::nothing_left) return of_ports.message;
  auto const* const to_addresses = of_addresses.part.data();
  auto const* const to_ports = of_ports.part.data();
  if (to_ports > to_addresses) return of_ports.message;
  if (to_ports < to_addresses || of_ports.message == of_addresses.message) return of_addresses.message;
  return fmt::format(
      "{} is neither an address nor a port; give 'any', an address, a prefix such as 10.0.0.0/8, a port, a range such "
      "as 10.0.0.1-10.0.0.9 or 1024:, a $VARIABLE, or a list [A,B,!C] of these",
      in_quotation(of_addresses.part));
}

[[nodiscard]] bool is_of_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Whether a group of addresses or ports names the variable.
[[nodiscard]] bool names(std::string_view group, std::string_view variable) {
  for (auto at = group.find('$'); at != group.npos; at = group.find('$', at + 1)) {
    auto const rest = group.substr(at + 1);
    if (rest.starts_with(variable) && (rest.size() == variable.size() || !is_of_name(rest[variable.size()]))) {
      return true;
    }
  }
  return false;
}

[[nodiscard]] bool is_used(std::string const& variable, given_variables const& given, rule_set const& rules) {
  auto const in_group = [&](auto const& group) { return names(group.first, variable); };
  return std::ranges::any_of(rules.known_addresses, in_group) || std::ranges::any_of(rules.known_ports, in_group) ||
         std::ranges::any_of(given, [&](auto const& one) { return names(one.second, variable); });
}

}  // namespace

std::string problem_of_value(std::string const& value, variables const& known) {
  auto const text = trimmed(value);
  auto const of_addresses = error_of([&] { return parse_addresses(text, known); });
  if (!of_addresses) return {};
  auto const of_ports = error_of([&] { return parse_ports(text, known); });
  return of_ports ? reason_of(*of_addresses, *of_ports) : std::string{};
}

std::vector<std::string> warnings_of_unused(given_variables const& given, rule_set const& rules) {
  std::vector<std::string> made;
  if (!rules.problems.empty()) return made;
  variables const suricatas;
  for (auto const& [name, value] : given) {
    if (suricatas.find(name) != nullptr || is_used(name, given, rules)) continue;
    made.push_back(
        fmt::format("{0}: no rule and no other variable names ${0}; Suricata's are {1}", name, suricatas.names()));
  }
  return made;
}

}  // namespace packetwarp::inspect
