// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_flow.h>

#include <cstdio>
#include <string>

namespace packetwarp::test {

// The content of rte_flow's arrays, as a line of text: every byte of every structure, and which pointers are null. It
// uses sizes from rte_flow.h only, so that it treats testpmd's arrays and ours alike.

inline std::string hex(void const* bytes, std::size_t size) {
  if (bytes == nullptr) return "-";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char const*>(bytes)[i]);
    text += digits;
  }
  return text;
}

inline std::size_t spec_size(rte_flow_item_type type) {
  switch (type) {
    case RTE_FLOW_ITEM_TYPE_ANY:
      return sizeof(rte_flow_item_any);
    case RTE_FLOW_ITEM_TYPE_ETH:
      return sizeof(rte_flow_item_eth);
    case RTE_FLOW_ITEM_TYPE_VLAN:
      return sizeof(rte_flow_item_vlan);
    case RTE_FLOW_ITEM_TYPE_IPV4:
      return sizeof(rte_flow_item_ipv4);
    case RTE_FLOW_ITEM_TYPE_IPV6:
      return sizeof(rte_flow_item_ipv6);
    case RTE_FLOW_ITEM_TYPE_ICMP:
      return sizeof(rte_flow_item_icmp);
    case RTE_FLOW_ITEM_TYPE_UDP:
      return sizeof(rte_flow_item_udp);
    case RTE_FLOW_ITEM_TYPE_TCP:
      return sizeof(rte_flow_item_tcp);
    default:
      return 0;
  }
}

inline std::size_t conf_size(rte_flow_action_type type) {
  switch (type) {
    case RTE_FLOW_ACTION_TYPE_JUMP:
      return sizeof(rte_flow_action_jump);
    case RTE_FLOW_ACTION_TYPE_MARK:
      return sizeof(rte_flow_action_mark);
    case RTE_FLOW_ACTION_TYPE_QUEUE:
      return sizeof(rte_flow_action_queue);
    case RTE_FLOW_ACTION_TYPE_COUNT:
      return sizeof(rte_flow_action_count);
    case RTE_FLOW_ACTION_TYPE_PORT_ID:
      return sizeof(rte_flow_action_port_id);
    case RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN:
      return sizeof(rte_flow_action_of_push_vlan);
    case RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID:
      return sizeof(rte_flow_action_of_set_vlan_vid);
    case RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP:
      return sizeof(rte_flow_action_of_set_vlan_pcp);
    case RTE_FLOW_ACTION_TYPE_SET_IPV4_SRC:
    case RTE_FLOW_ACTION_TYPE_SET_IPV4_DST:
      return sizeof(rte_flow_action_set_ipv4);
    case RTE_FLOW_ACTION_TYPE_SET_IPV6_SRC:
    case RTE_FLOW_ACTION_TYPE_SET_IPV6_DST:
      return sizeof(rte_flow_action_set_ipv6);
    case RTE_FLOW_ACTION_TYPE_SET_TP_SRC:
    case RTE_FLOW_ACTION_TYPE_SET_TP_DST:
      return sizeof(rte_flow_action_set_tp);
    case RTE_FLOW_ACTION_TYPE_SET_TTL:
      return sizeof(rte_flow_action_set_ttl);
    case RTE_FLOW_ACTION_TYPE_SET_MAC_SRC:
    case RTE_FLOW_ACTION_TYPE_SET_MAC_DST:
      return sizeof(rte_flow_action_set_mac);
    case RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT:
      return sizeof(rte_flow_action_ethdev);
    default:
      return 0;
  }
}

inline std::string rss_text(rte_flow_action_rss const& rss) {
  return "func " + std::to_string(rss.func) + " level " + std::to_string(rss.level) + " types " +
         std::to_string(rss.types) + " key " + hex(rss.key, rss.key_len) + " length " + std::to_string(rss.key_len) +
         " queues " + hex(rss.queue, rss.queue_num * sizeof *rss.queue) + " of " + std::to_string(rss.queue_num);
}

inline std::string conf_text(rte_flow_action const& action) {
  if (action.conf == nullptr) return "-";
  if (action.type == RTE_FLOW_ACTION_TYPE_RSS) return rss_text(*static_cast<rte_flow_action_rss const*>(action.conf));
  auto const size = conf_size(action.type);
  return size == 0 ? "of unknown size" : hex(action.conf, size);
}

inline std::string rule_text(rte_flow_attr const& attr, rte_flow_item const* item, rte_flow_action const* action) {
  auto text = "group " + std::to_string(attr.group) + " priority " + std::to_string(attr.priority) + " ingress " +
              std::to_string(attr.ingress) + " egress " + std::to_string(attr.egress) + " transfer " +
              std::to_string(attr.transfer) + " reserved " + std::to_string(attr.reserved);
  for (; item->type != RTE_FLOW_ITEM_TYPE_END; ++item) {
    auto const size = spec_size(item->type);
    text += " | item " + std::to_string(item->type) + " spec " + hex(item->spec, size) + " last " +
            hex(item->last, size) + " mask " + hex(item->mask, size);
  }
  for (; action->type != RTE_FLOW_ACTION_TYPE_END; ++action) {
    text += " | action " + std::to_string(action->type) + " conf " + conf_text(*action);
  }
  return text;
}

}  // namespace packetwarp::test
