// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "flow/rule.h"

namespace packetwarp::flow {

// testpmd's `flow` commands as data. Each command is about one port.

enum class set_state : std::uint8_t { off, on };

struct validate_rule {
  rule what;
  friend bool operator==(validate_rule const&, validate_rule const&) = default;
};
struct create_rule {
  rule what;
  friend bool operator==(create_rule const&, create_rule const&) = default;
};
struct destroy_rules {
  std::vector<std::uint32_t> rules;  // numbers that create returned
  friend bool operator==(destroy_rules const&, destroy_rules const&) = default;
};
struct flush_rules {
  friend bool operator==(flush_rules const&, flush_rules const&) = default;
};
struct list_rules {
  std::vector<std::uint32_t> groups;  // all groups if empty
  friend bool operator==(list_rules const&, list_rules const&) = default;
};
struct query_rule {
  std::uint32_t rule{};
  std::optional<action_kind> action;  // none: the word was `end`
  friend bool operator==(query_rule const&, query_rule const&) = default;
};
struct isolate_port {
  set_state to{};
  friend bool operator==(isolate_port const&, isolate_port const&) = default;
};

struct command {
  port_id port;
  std::variant<validate_rule, create_rule, destroy_rules, flush_rules, list_rules, query_rule, isolate_port> what;
  friend bool operator==(command const&, command const&) = default;
};

}  // namespace packetwarp::flow
