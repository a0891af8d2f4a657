// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/print.h"

#include <fmt/format.h>

#include "flow/grammar.h"
#include "flow/value_text.h"

namespace packetwarp::flow {
namespace {

std::string to_text(rss_options const& options) {
  std::string text;
  if (options.function) text += fmt::format(" func {}", rss_functions()[static_cast<std::size_t>(*options.function)]);
  if (options.level) text += fmt::format(" level {}", *options.level);
  if (options.types) {
    text += " types";
    for (auto const type : *options.types) text += fmt::format(" {}", rss_types()[type].name);
    text += " end";
  }
  if (options.key) {
    text += " key ";
    for (auto const byte : *options.key) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  if (options.key_length) text += fmt::format(" key_len {}", *options.key_length);
  if (options.queues) {
    text += " queues";
    for (auto const queue : *options.queues) text += fmt::format(" {}", queue);
    text += " end";
  }
  return text;
}

std::string arguments(validate_rule const& what) { return fmt::format(" {}", to_text(what.what)); }
std::string arguments(create_rule const& what) { return fmt::format(" {}", to_text(what.what)); }
std::string arguments(destroy_rules const& what) {
  std::string text;
  for (auto const rule : what.rules) text += fmt::format(" rule {}", rule);
  return text;
}
std::string arguments(flush_rules const&) { return {}; }
std::string arguments(list_rules const& what) {
  std::string text;
  for (auto const group : what.groups) text += fmt::format(" group {}", group);
  return text;
}
std::string arguments(query_rule const& what) {
  return fmt::format(" {} {}", what.rule, what.action ? grammar_of(*what.action).name : "end");
}
std::string arguments(isolate_port const& what) { return what.to == set_state::on ? " 1" : " 0"; }

// In the order of the variant's alternatives.
constexpr std::string_view command_names[] = {"validate", "create", "destroy", "flush", "list", "query", "isolate"};
static_assert(std::size(command_names) == std::variant_size_v<decltype(command::what)>);

}  // namespace

std::string to_text(item const& what) {
  auto const& grammar = grammar_of(what.kind);
  std::string text{grammar.name};
  for (auto const& set : what.settings) {
    auto const& of = grammar.fields[set.field];
    text += fmt::format(" {} {} {}", of.name, relations()[static_cast<std::size_t>(set.how)], to_text(of, set));
  }
  return text;
}

std::string to_text(action const& what) {
  auto const& grammar = grammar_of(what.kind);
  std::string text{grammar.name};
  for (auto const& set : what.settings) {
    auto const& of = grammar.fields[set.field];
    text += fmt::format(" {} {}", of.name, to_text(of, set));
  }
  return what.kind == action_kind::rss ? text + to_text(what.rss) : text;
}

std::string to_text(rule const& what) {
  std::string text;
  if (what.attr.group) text += fmt::format("group {} ", *what.attr.group);
  if (what.attr.priority) text += fmt::format("priority {} ", *what.attr.priority);
  if (what.attr.ingress) text += "ingress ";
  if (what.attr.egress) text += "egress ";
  if (what.attr.transfer) text += "transfer ";
  text += "pattern ";
  for (auto const& one : what.pattern) text += to_text(one) + " / ";
  text += "end actions ";
  for (auto const& one : what.actions) text += to_text(one) + " / ";
  return text + "end";
}

std::string to_text(command const& what) {
  auto const text = std::visit([](auto const& one) { return arguments(one); }, what.what);
  return fmt::format("flow {} {}{}", command_names[what.what.index()], what.port.value(), text);
}

}  // namespace packetwarp::flow
