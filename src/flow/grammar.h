// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "flow/rule.h"

namespace packetwarp::flow {

// The words of testpmd's flow rules (DPDK's testpmd user guide, "Flow rules management") and their meanings, as tables
// that the parser, the printer and the compilers read.

enum class value_kind : std::uint8_t { number, flag, mac, ipv4, ipv6 };

// The place of a field in the image of its item or action. An item's image is its header as on the wire, followed by
// flags if rte_flow has them; an action's is its rte_flow configuration.
struct field {
  std::string_view name;
  value_kind kind{};
  std::uint8_t offset{};  // bytes
  std::uint8_t size{};    // bytes
  // For fields that share their bytes with others: the number of bits below this field, and its own. Numbers that need
  // more bits lose the upper ones, as in testpmd; in fields of whole bytes they are errors.
  std::uint8_t shift{};
  std::uint8_t bits{};
  enum class order : std::uint8_t { network, host } byte_order{order::network};

  [[nodiscard]] constexpr bool is_bit_field() const { return bits != 0; }
  [[nodiscard]] constexpr unsigned width() const { return is_bit_field() ? bits : size * 8U; }
  // The bytes that a field_value has for this field.
  [[nodiscard]] constexpr unsigned value_bytes() const { return (width() + 7) / 8; }
};

inline constexpr std::size_t largest_image = 44;

struct item_grammar {
  std::string_view name;
  item_kind kind{};
  std::uint8_t image_size{};
  std::span<field const> fields;
};

struct action_grammar {
  std::string_view name;
  action_kind kind{};
  std::uint8_t image_size{};  // 0: rte_flow has no configuration for it
  std::span<field const> fields;
};

struct rss_type {
  std::string_view name;
  std::uint64_t bits{};  // RTE_ETH_RSS_*
};

// In the order of their kinds.
[[nodiscard]] std::span<item_grammar const> items();
[[nodiscard]] std::span<action_grammar const> actions();
[[nodiscard]] std::span<rss_type const> rss_types();
// In the order of rss_function.
[[nodiscard]] std::span<std::string_view const> rss_functions();
// In the order of relation.
[[nodiscard]] std::span<std::string_view const> relations();

[[nodiscard]] item_grammar const& grammar_of(item_kind kind);
[[nodiscard]] action_grammar const& grammar_of(action_kind kind);

// Hash types of an rss action without any: RTE_ETH_RSS_IP, as in testpmd.
inline constexpr std::uint64_t default_rss_types = 0xa38c;
inline constexpr std::uint32_t most_rss_queues = 128;
inline constexpr std::uint32_t longest_rss_key = 64;  // bytes

}  // namespace packetwarp::flow
