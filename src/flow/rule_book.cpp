// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/rule_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/overloaded.h"
#include "flow/grammar.h"

namespace packetwarp::flow {
namespace {

std::string upper(std::string_view name) {
  std::string text{name};
  for (auto& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

std::string list_line(numbered_rule const& one) {
  auto const& attr = one.what.attr;
  auto line = fmt::format("{}\t{}\t{}\t{}{}{}\t", one.number, attr.group.value_or(0), attr.priority.value_or(0),
                          attr.ingress ? 'i' : '-', attr.egress ? 'e' : '-', attr.transfer ? 't' : '-');
  for (auto const& item : one.what.pattern) {
    if (item.kind != item_kind::void_item) line += upper(grammar_of(item.kind).name) + " ";
  }
  line += "=>";
  for (auto const& action : one.what.actions) {
    if (action.kind != action_kind::void_action) line += fmt::format(" {}", upper(grammar_of(action.kind).name));
  }
  return line + "\n";
}

std::uint32_t rule_book::create(port_id port, rule what, std::size_t line) {
  auto& rules = ports_[port].rules;
  auto const number = rules.empty() ? 0 : rules.back().number + 1;
  rules.push_back({.number = number, .what = std::move(what), .line = line});
  return number;
}

numbered_rule const& rule_book::at(port_id port, std::uint32_t number) const {
  auto const rules = rules_of(port);
  // The rules' numbers ascend.
  auto const found = std::lower_bound(rules.begin(), rules.end(), number,
                                      [](numbered_rule const& one, std::uint32_t n) { return one.number < n; });
  if (found == rules.end() || found->number != number) {
    throw usage_error(fmt::format("port {} has no flow rule {}; flow list {} shows those it has", port.value(), number,
                                  port.value()));
  }
  return *found;
}

void rule_book::destroy(port_id port, std::span<std::uint32_t const> numbers) {
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    (void)at(port, numbers[n]);
    auto const before = numbers.first(n);
    if (std::find(before.begin(), before.end(), numbers[n]) == before.end()) continue;
    throw usage_error(fmt::format("flow destroy: rule {} is given twice; give it once", numbers[n]));
  }
  std::erase_if(ports_[port].rules, [&](numbered_rule const& one) {
    return std::find(numbers.begin(), numbers.end(), one.number) != numbers.end();
  });
}

void rule_book::flush(port_id port) { ports_[port].rules.clear(); }

void rule_book::isolate(port_id port, set_state to) { ports_[port].isolated = to == set_state::on; }

std::span<numbered_rule const> rule_book::rules_of(port_id port) const {
  auto const found = ports_.find(port);
  return found == ports_.end() ? std::span<numbered_rule const>{} : found->second.rules;
}

bool rule_book::is_isolated(port_id port) const {
  auto const found = ports_.find(port);
  return found != ports_.end() && found->second.isolated;
}

std::vector<port_id> rule_book::ports() const {
  std::vector<port_id> known;
  for (auto const& [port, rules] : ports_) known.push_back(port);
  return known;
}

std::vector<numbered_rule const*> rule_book::listed(port_id port, std::span<std::uint32_t const> groups) const {
  std::vector<numbered_rule const*> chosen;
  auto const group_of = [](numbered_rule const& one) { return one.what.attr.group.value_or(0); };
  for (auto const& one : rules_of(port)) {
    if (groups.empty() || std::find(groups.begin(), groups.end(), group_of(one)) != groups.end()) {
      chosen.push_back(&one);
    }
  }
  std::sort(chosen.begin(), chosen.end(), [&](auto const* a, auto const* b) {
    auto const key = [&](auto const& one) {
      return std::tuple{group_of(one), one.what.attr.priority.value_or(0), one.number};
    };
    return key(*a) < key(*b);
  });
  return chosen;
}

std::string rule_book::list(port_id port, std::span<std::uint32_t const> groups) const {
  if (rules_of(port).empty()) return {};
  std::string text{list_head};
  for (auto const* one : listed(port, groups)) text += list_line(*one);
  return text;
}

std::string rule_book::apply(command const& what, std::size_t line) {
  auto const port = what.port;
  return std::visit(overloaded{
                        [&](validate_rule const& one) -> std::string {
                          if (line != 0) validated_.push_back({port, {.number = 0, .what = one.what, .line = line}});
                          return "Flow rule validated\n";
                        },
                        [&](create_rule const& one) -> std::string {
                          return fmt::format("Flow rule #{} created\n", create(port, one.what, line));
                        },
                        [&](destroy_rules const& some) -> std::string {
                          destroy(port, some.rules);
                          std::string text;
                          for (auto const number : some.rules) text += fmt::format("Flow rule #{} destroyed\n", number);
                          return text;
                        },
                        [&](flush_rules const&) -> std::string {
                          flush(port);
                          return {};
                        },
                        [&](list_rules const& some) -> std::string { return list(port, some.groups); },
                        [&](query_rule const& one) -> std::string {
                          (void)at(port, one.rule);
                          return {};
                        },
                        [&](isolate_port const& one) -> std::string {
                          isolate(port, one.to);
                          return fmt::format("Ingress traffic on port {} is {} to the defined flow rules\n",
                                             port.value(),
                                             one.to == set_state::on ? "now restricted" : "not restricted anymore");
                        },
                    },
                    what.what);
}

}  // namespace packetwarp::flow
