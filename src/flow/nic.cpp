// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/nic.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "flow/image.h"

namespace packetwarp::flow {
namespace {

// The images of grammar.h have the layout of these structures.
static_assert(sizeof(rte_flow_item_any) == 4 && sizeof(rte_flow_item_eth) == 20 && sizeof(rte_flow_item_vlan) == 8 &&
              sizeof(rte_flow_item_ipv4) == 20 && sizeof(rte_flow_item_ipv6) == largest_image &&
              sizeof(rte_flow_item_icmp) == 8 && sizeof(rte_flow_item_udp) == 8 && sizeof(rte_flow_item_tcp) == 20);
static_assert(sizeof(rte_flow_action_jump) == 4 && sizeof(rte_flow_action_mark) == 4 &&
              sizeof(rte_flow_action_queue) == 2 && sizeof(rte_flow_action_count) == 4 &&
              sizeof(rte_flow_action_port_id) == 8 && sizeof(rte_flow_action_of_push_vlan) == 2 &&
              sizeof(rte_flow_action_of_set_vlan_vid) == 2 && sizeof(rte_flow_action_of_set_vlan_pcp) == 1 &&
              sizeof(rte_flow_action_set_ipv4) == 4 && sizeof(rte_flow_action_set_ipv6) == 16 &&
              sizeof(rte_flow_action_set_tp) == 2 && sizeof(rte_flow_action_set_ttl) == 1 &&
              sizeof(rte_flow_action_set_mac) == 6 && sizeof(rte_flow_action_ethdev) == 2);

// In the order of item_kind and action_kind.
constexpr rte_flow_item_type item_types[] = {RTE_FLOW_ITEM_TYPE_VOID, RTE_FLOW_ITEM_TYPE_ANY,  RTE_FLOW_ITEM_TYPE_ETH,
                                             RTE_FLOW_ITEM_TYPE_VLAN, RTE_FLOW_ITEM_TYPE_IPV4, RTE_FLOW_ITEM_TYPE_IPV6,
                                             RTE_FLOW_ITEM_TYPE_ICMP, RTE_FLOW_ITEM_TYPE_UDP,  RTE_FLOW_ITEM_TYPE_TCP};
constexpr rte_flow_action_type action_types[] = {RTE_FLOW_ACTION_TYPE_VOID,
                                                 RTE_FLOW_ACTION_TYPE_PASSTHRU,
                                                 RTE_FLOW_ACTION_TYPE_JUMP,
                                                 RTE_FLOW_ACTION_TYPE_MARK,
                                                 RTE_FLOW_ACTION_TYPE_QUEUE,
                                                 RTE_FLOW_ACTION_TYPE_DROP,
                                                 RTE_FLOW_ACTION_TYPE_COUNT,
                                                 RTE_FLOW_ACTION_TYPE_RSS,
                                                 RTE_FLOW_ACTION_TYPE_PORT_ID,
                                                 RTE_FLOW_ACTION_TYPE_OF_POP_VLAN,
                                                 RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN,
                                                 RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID,
                                                 RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP,
                                                 RTE_FLOW_ACTION_TYPE_SET_IPV4_SRC,
                                                 RTE_FLOW_ACTION_TYPE_SET_IPV4_DST,
                                                 RTE_FLOW_ACTION_TYPE_SET_IPV6_SRC,
                                                 RTE_FLOW_ACTION_TYPE_SET_IPV6_DST,
                                                 RTE_FLOW_ACTION_TYPE_SET_TP_SRC,
                                                 RTE_FLOW_ACTION_TYPE_SET_TP_DST,
                                                 RTE_FLOW_ACTION_TYPE_DEC_TTL,
                                                 RTE_FLOW_ACTION_TYPE_SET_TTL,
                                                 RTE_FLOW_ACTION_TYPE_SET_MAC_SRC,
                                                 RTE_FLOW_ACTION_TYPE_SET_MAC_DST,
                                                 RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT};

constexpr rte_eth_hash_function hash_functions[] = {RTE_ETH_HASH_FUNCTION_DEFAULT, RTE_ETH_HASH_FUNCTION_TOEPLITZ,
                                                    RTE_ETH_HASH_FUNCTION_SIMPLE_XOR,
                                                    RTE_ETH_HASH_FUNCTION_SYMMETRIC_TOEPLITZ};

[[nodiscard]] std::uint64_t types_of(std::vector<std::uint8_t> const& named) {
  std::uint64_t bits = 0;
  for (auto const type : named) bits |= rss_types()[type].bits;
  return bits;
}

[[nodiscard]] std::vector<std::uint16_t> first_queues(std::uint16_t count) {
  std::vector<std::uint16_t> queues(std::min<std::size_t>(count, most_rss_queues));
  std::iota(queues.begin(), queues.end(), std::uint16_t{0});
  return queues;
}

}  // namespace

struct nic_rule::rss_conf {
  rss_conf(rss_options const& said, rss_defaults const& rss)
      : key{said.key.value_or(std::vector<std::byte>{})}, queues{said.queues.value_or(first_queues(rss.queues))} {
    if (said.function) conf.func = hash_functions[static_cast<std::size_t>(*said.function)];
    conf.level = said.level.value_or(0);
    conf.types = said.types ? types_of(*said.types) : rss.types;
    conf.key_len = said.key_length.value_or(static_cast<std::uint32_t>(key.size()));
    // A key length may come without a key of that length: drivers read that many bytes.
    if (said.key) {
      key.resize(longest_rss_key);
      conf.key = reinterpret_cast<std::uint8_t const*>(key.data());
    }
    conf.queue_num = static_cast<std::uint32_t>(queues.size());
    conf.queue = queues.empty() ? nullptr : queues.data();
  }

  std::vector<std::byte> key;
  std::vector<std::uint16_t> queues;
  rte_flow_action_rss conf{};
};

nic_rule::nic_rule(rule const& what, rss_defaults const& rss) {
  attr_.group = what.attr.group.value_or(0);
  attr_.priority = what.attr.priority.value_or(0);
  attr_.ingress = what.attr.ingress ? 1 : 0;
  attr_.egress = what.attr.egress ? 1 : 0;
  attr_.transfer = what.attr.transfer ? 1 : 0;
  for (auto const& one : what.pattern) add(one);
  items_.push_back({.type = RTE_FLOW_ITEM_TYPE_END, .spec = nullptr, .last = nullptr, .mask = nullptr});
  for (auto const& one : what.actions) add(one, rss);
  actions_.push_back({.type = RTE_FLOW_ACTION_TYPE_END, .conf = nullptr});
}

// Each copy is allocated on its own: aligned for any structure, and not moved when the rule moves.
void const* nic_rule::keep(std::byte const* image, std::size_t size) {
  images_.push_back(std::make_unique<std::byte[]>(size));
  std::copy_n(image, size, images_.back().get());
  return images_.back().get();
}

void nic_rule::add(item const& what) {
  auto const image = image_of(what);
  std::size_t const size = grammar_of(what.kind).image_size;
  items_.push_back({.type = item_types[static_cast<std::size_t>(what.kind)],
                    .spec = image.has_spec ? keep(image.spec.data(), size) : nullptr,
                    .last = image.has_last ? keep(image.last.data(), size) : nullptr,
                    .mask = image.has_mask ? keep(image.mask.data(), size) : nullptr});
}

void nic_rule::add(action const& what, rss_defaults const& rss) {
  auto const type = action_types[static_cast<std::size_t>(what.kind)];
  if (what.kind == action_kind::rss) {
    rss_.push_back(std::make_shared<rss_conf>(what.rss, rss));
    actions_.push_back({.type = type, .conf = &rss_.back()->conf});
    return;
  }
  std::size_t const size = grammar_of(what.kind).image_size;
  auto const image = image_of(what);
  actions_.push_back({.type = type, .conf = size == 0 ? nullptr : keep(image.data(), size)});
}

}  // namespace packetwarp::flow
