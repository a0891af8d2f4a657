// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "flow/grammar.h"
#include "flow/rss_parser.h"
#include "flow/value_text.h"

namespace packetwarp::flow {
namespace {

template <class Named>
std::string names_of(std::span<Named const> all) {
  std::string names;
  for (auto const& one : all) names.append(one.name).append(", ");
  return names;
}

template <class Named>
Named const* find(std::span<Named const> all, std::string_view name) {
  auto const found = std::find_if(all.begin(), all.end(), [&](Named const& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

template <class Rep>
Rep take_number(lexer& in, std::string_view what) {
  auto const word = in.take();
  auto const number = parse_number(word.text);
  constexpr std::uint64_t largest = std::numeric_limits<Rep>::max();
  if (!number || *number > largest) in.fail(word, what, fmt::format("a number from 0 to {}", largest));
  return static_cast<Rep>(*number);
}

field_value take_value(lexer& in, field const& of, relation how) {
  auto const word = in.take();
  auto const value = how == relation::prefix ? parse_prefix(of, word.text) : parse_value(of, word.text);
  if (!value) in.fail(word, fmt::format("value of {}", of.name), describe_value(of, how));
  return *value;
}

relation take_relation(lexer& in) {
  auto const word = in.take();
  auto const known = relations();
  auto const found = std::find(known.begin(), known.end(), word.text);
  if (found == known.end()) in.fail(word, {}, "one of " + to_list(known));
  return static_cast<relation>(found - known.begin());
}

// Parses the fields of an item or action up to its slash. Items give each value's relation; actions only give values.
template <class Grammar, class TakeRelation>
void take_settings(lexer& in, Grammar const& grammar, std::vector<setting>& settings, TakeRelation how_of) {
  while (!in.accept("/")) {
    auto const word = in.take();
    auto const* const found = find(grammar.fields, word.text);
    if (found == nullptr && grammar.fields.empty()) in.fail(word, {}, "'/'");
    if (found == nullptr) {
      in.fail(word, fmt::format("field of {}", grammar.name), "one of " + names_of(grammar.fields) + "/");
    }
    auto const how = how_of();
    settings.push_back({.field = static_cast<std::uint8_t>(found - grammar.fields.data()),
                        .how = how,
                        .value = take_value(in, *found, how)});
  }
}

item take_item(lexer& in) {
  auto const word = in.take();
  auto const* const grammar = find(items(), word.text);
  if (grammar == nullptr) in.fail(word, "item", "one of " + names_of(items()) + "end");
  item made{.kind = grammar->kind, .settings = {}};
  take_settings(in, *grammar, made.settings, [&] { return take_relation(in); });
  return made;
}

action take_action(lexer& in) {
  auto const word = in.take();
  auto const* const grammar = find(actions(), word.text);
  if (grammar == nullptr) in.fail(word, "action", "one of " + names_of(actions()) + "end");
  action made{.kind = grammar->kind, .settings = {}, .rss = {}};
  if (made.kind == action_kind::rss) {
    made.rss = take_rss_options(in);
  } else {
    take_settings(in, *grammar, made.settings, [] { return relation::is; });
  }
  return made;
}

void take_attributes(lexer& in, attributes& attr) {
  while (!in.accept("pattern")) {
    auto const word = in.take();
    if (word.text == "group") {
      attr.group = take_number<std::uint32_t>(in, "group");
    } else if (word.text == "priority") {
      attr.priority = take_number<std::uint32_t>(in, "priority");
    } else if (word.text == "ingress") {
      attr.ingress = true;
    } else if (word.text == "egress") {
      attr.egress = true;
    } else if (word.text == "transfer") {
      attr.transfer = true;
    } else {
      in.fail(word, "attribute", "one of group, priority, ingress, egress, transfer, pattern");
    }
  }
}

rule take_rule(lexer& in) {
  rule made;
  take_attributes(in, made.attr);
  while (!in.accept("end")) made.pattern.push_back(take_item(in));
  in.expect("actions");
  while (!in.accept("end")) made.actions.push_back(take_action(in));
  return made;
}

destroy_rules take_destroy(lexer& in) {
  destroy_rules made;
  do {
    in.expect("rule");
    made.rules.push_back(take_number<std::uint32_t>(in, "rule number"));
  } while (!in.at_end());
  return made;
}

list_rules take_list(lexer& in) {
  list_rules made;
  while (!in.at_end()) {
    in.expect("group");
    made.groups.push_back(take_number<std::uint32_t>(in, "group"));
  }
  return made;
}

query_rule take_query(lexer& in) {
  query_rule made{.rule = take_number<std::uint32_t>(in, "rule number"), .action = {}};
  auto const word = in.take();
  if (word.text == "end") return made;
  auto const* const found = find(actions(), word.text);
  if (found == nullptr) in.fail(word, "action", "one of " + names_of(actions()) + "end");
  made.action = found->kind;
  return made;
}

isolate_port take_isolate(lexer& in) {
  auto const word = in.take();
  auto const flag = parse_flag(word.text);
  if (!flag) in.fail(word, {}, describe_value({.name = "isolate", .kind = value_kind::flag}, relation::is));
  return {*flag ? set_state::on : set_state::off};
}

command take_command(lexer& in) {
  in.expect("flow");
  auto const word = in.take();
  auto const on_port = [&](auto take) -> command {
    port_id const port{take_number<std::uint16_t>(in, "port")};
    return {port, take(in)};
  };
  if (word.text == "validate") return on_port([](lexer& l) { return validate_rule{take_rule(l)}; });
  if (word.text == "create") return on_port([](lexer& l) { return create_rule{take_rule(l)}; });
  if (word.text == "destroy") return on_port(take_destroy);
  if (word.text == "flush") return on_port([](lexer&) { return flush_rules{}; });
  if (word.text == "list") return on_port(take_list);
  if (word.text == "query") return on_port(take_query);
  if (word.text == "isolate") return on_port(take_isolate);
  in.fail(word, "flow command", "one of validate, create, destroy, flush, list, query, isolate");
}

}  // namespace

command parse_command(std::string_view line, source where) {
  lexer in{line, where};
  auto made = take_command(in);
  if (!in.at_end()) in.fail(in.next(), {}, "the end of the line");
  return made;
}

std::optional<command> parse_line(std::string_view line, source where) {
  if (lexer{line, where}.at_end()) return std::nullopt;
  return parse_command(line, where);
}

}  // namespace packetwarp::flow
