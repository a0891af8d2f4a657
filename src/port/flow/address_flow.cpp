// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/flow/address_flow.h"

#include <rte_flow.h>

#include <array>

namespace packetwarp {
namespace {

[[nodiscard]] std::optional<std::string> create(port_flows& flows, std::uint32_t number, rte_flow_item const& address,
                                                queue_id queue) {
  rte_flow_attr attributes{};
  attributes.ingress = 1;
  std::array<rte_flow_item, 3> pattern{};
  pattern[0].type = RTE_FLOW_ITEM_TYPE_ETH;
  pattern[1] = address;
  pattern[2].type = RTE_FLOW_ITEM_TYPE_END;
  rte_flow_action_queue const to{.index = queue.value()};
  std::array<rte_flow_action, 2> const actions{
      {{.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &to}, {.type = RTE_FLOW_ACTION_TYPE_END, .conf = nullptr}}};
  flow_arrays const rule{.attr = attributes, .pattern = pattern.data(), .actions = actions.data()};
  auto const refused = flows.create(number, rule);
  return refused ? std::optional{refused->reason} : std::nullopt;
}

}  // namespace

std::optional<std::string> steer_to_queue(port_flows& flows, std::uint32_t number, wire::ipv4_address address,
                                          queue_id queue) {
  rte_flow_item_ipv4 wanted{}, mask{};
  wire::store_be<std::uint32_t>(reinterpret_cast<std::byte*>(&wanted.hdr.dst_addr), address.number);
  mask.hdr.dst_addr = 0xffff'ffff;
  return create(flows, number, {.type = RTE_FLOW_ITEM_TYPE_IPV4, .spec = &wanted, .last = nullptr, .mask = &mask},
                queue);
}

std::optional<std::string> steer_to_queue(port_flows& flows, std::uint32_t number, wire::ipv6_address address,
                                          queue_id queue) {
  rte_flow_item_ipv6 wanted{}, mask{};
  wire::store_ipv6_address(reinterpret_cast<std::byte*>(&wanted.hdr.dst_addr), address);
  wire::store_ipv6_address(reinterpret_cast<std::byte*>(&mask.hdr.dst_addr), {~std::uint64_t{0}, ~std::uint64_t{0}});
  return create(flows, number, {.type = RTE_FLOW_ITEM_TYPE_IPV6, .spec = &wanted, .last = nullptr, .mask = &mask},
                queue);
}

}  // namespace packetwarp
