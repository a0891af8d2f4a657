// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace packetwarp::flow {

// A flow rule as it was read: passive data, independent of its site. grammar.h names its parts, parser.h reads it,
// print.h writes it back, nic.h turns it into the form of NICs, module/rules/compile/ into that of tables.

enum class item_kind : std::uint8_t { void_item, any, eth, vlan, ipv4, ipv6, icmp, udp, tcp };

enum class action_kind : std::uint8_t {
  void_action,
  passthru,
  jump,
  mark,
  queue,
  drop,
  count,
  rss,
  port_id,
  of_pop_vlan,
  of_push_vlan,
  of_set_vlan_vid,
  of_set_vlan_pcp,
  set_ipv4_src,
  set_ipv4_dst,
  set_ipv6_src,
  set_ipv6_dst,
  set_tp_src,
  set_tp_dst,
  dec_ttl,
  set_ttl,
  set_mac_src,
  set_mac_dst,
  represented_port
};

// The relation of a value to its field: `is` gives the field's value and a full mask, `prefix` a mask of leading ones.
enum class relation : std::uint8_t { is, spec, last, mask, prefix };

// The value of a field in network order, in as many leading bytes as the field is wide (grammar.h).
struct field_value {
  std::array<std::byte, 16> bytes{};
  friend bool operator==(field_value const&, field_value const&) = default;
};

// A demand on one field. `field` is its position among its item's or action's fields.
struct setting {
  std::uint8_t field{};
  relation how{relation::is};
  field_value value{};  // for relation::prefix the number of ones, in the first byte
  friend bool operator==(setting const&, setting const&) = default;
};

// A protocol header to match. Settings are in the order they were read: a later one of the same field wins.
struct item {
  item_kind kind{};
  std::vector<setting> settings;
  friend bool operator==(item const&, item const&) = default;
};

enum class rss_function : std::uint8_t { standard, toeplitz, simple_xor, symmetric_toeplitz };

// The words of an rss action; the port chooses the rest (its queues and hash types).
struct rss_options {
  std::optional<rss_function> function;
  std::optional<std::uint32_t> level;
  std::optional<std::vector<std::uint8_t>> types;  // positions in grammar.h's rss_types
  std::optional<std::vector<std::uint16_t>> queues;
  std::optional<std::vector<std::byte>> key;
  std::optional<std::uint32_t> key_length;
  friend bool operator==(rss_options const&, rss_options const&) = default;
};

struct action {
  action_kind kind{};
  std::vector<setting> settings;  // all of them relation::is
  rss_options rss;                // only if kind is rss
  friend bool operator==(action const&, action const&) = default;
};

struct attributes {
  std::optional<std::uint32_t> group;     // 0 by default
  std::optional<std::uint32_t> priority;  // 0 by default; the lower the number, the earlier
  bool ingress{};
  bool egress{};
  bool transfer{};
  friend bool operator==(attributes const&, attributes const&) = default;
};

struct rule {
  attributes attr;
  std::vector<item> pattern;    // without the `end`
  std::vector<action> actions;  // without the `end`
  friend bool operator==(rule const&, rule const&) = default;
};

}  // namespace packetwarp::flow
