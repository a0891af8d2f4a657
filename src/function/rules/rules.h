// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"
#include "function/hook.h"
#include "function/rules/rules_count.h"
#include "function/rules/rules_edit.h"
#include "function/rules/rules_match.h"

namespace packetwarp {

// Flow rules in software: the actions that rte_flow asks of a NIC (rte_flow.h), applied to received packets. A packet
// goes through the transfer rules of the port that it came in on, then, if none matched, through the port's ingress
// rules; if these send it out by a port, through that port's egress rules. docs/functions/rules.md has the meaning of
// each action.
struct rules {
  using ref = rules_ref;

  static constexpr std::string_view name = "rules";
  static constexpr std::array<std::string_view, 6> drop_names{"runt",        "rule_drop",      "no_rule",
                                                              "ttl_expired", "too_many_jumps", "front_moved"};
  static constexpr departure leaves = departure::by_any_port;
  // A repetition would count packets twice, and rules read as far as IPv6's extension headers go.
  static constexpr bool follows_from_header = false;
  static constexpr std::uint16_t runt = 0;            // fewer than 14 bytes
  static constexpr std::uint16_t rule_drop = 1;       // a rule said so
  static constexpr std::uint16_t no_rule = 2;         // none matched, and its port is isolated
  static constexpr std::uint16_t ttl_expired = 3;     // decremented to 0 (RFC 1812, 5.3.1)
  static constexpr std::uint16_t too_many_jumps = 4;  // groups that jump in a circle
  static constexpr std::uint16_t front_moved = 5;     // by more than two tags, or a tag and then to the host
  static constexpr unsigned most_rules_applied = 64;  // to one packet in one direction

  // IPv4 without options, after up to two tags, and its payload's header: TCP's fixed header ends with byte 62. No rule
  // reads more, and none reads the payload of an unknown protocol.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view view) {
    constexpr std::uint32_t ethernet = 14;
    constexpr std::uint32_t tags = 8;
    if (view.contiguous < ethernet + tags + 1) return true;
    auto ip_at = ethernet;
    while (ip_at < ethernet + tags && wire::is_vlan_tag(type_before(view, ip_at))) ip_at += 4;
    auto const* const ip = view.data + ip_at;
    return type_before(view, ip_at) == wire::ether_type::ipv4 && wire::load_be<std::uint8_t>(ip) == 0x45;
  }

  // The rules in force for packets that come in on one port: the same for all of a packet, or of a burst, even if other
  // rules are put in force meanwhile. It is valid as long as the tables, and until these packets have their verdicts.
  struct held {
    ref const& tables;
    rules_set const& set;
    rules_screen const* screens;
    rules_screen const* screens_end;
    std::uint64_t egress_ports;
  };
  [[nodiscard]] HOST_DEVICE static held hold(ref const& tables) {
    auto const& set = tables.root->in_force();
    auto const& port = set.ports[tables.port];
    auto const* const screens = set.screens + port.screens_at;
    return {tables, set, screens, screens + port.screens, set.egress_ports};
  }

  [[nodiscard]] HOST_DEVICE static verdict process(packet_view view, ref const& tables) {
    return process(view, hold(tables));
  }
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view view, held const& in_force) {
    return process_alone(view, in_force.tables, in_force.set);
  }

  // The same, where another function handles the packets that match no rule, or only rules that do not decide where
  // they go.
  template <class Otherwise>
  [[nodiscard]] HOST_DEVICE static verdict process_or(packet_view view, ref const& tables, rules_set const& set,
                                                      Otherwise otherwise) {
    if (view.contiguous < 14) return verdict::drop(function_drop(runt));
    rules_packet packet{view};
    auto const& port = set.ports[tables.port];
    end_of_rules end{ending::no_rule, 0};
    if (port.transfer != no_rules) end = apply(packet, set, port.transfer);
    if (end.how == ending::no_rule && port.ingress != no_rules) end = apply(packet, set, port.ingress);
    switch (end.how) {
      case ending::leave:
        return leave(packet, set, tables.leaves_by[end.value], end.value);
      case ending::drop:
        return drop(packet, end.value);
      case ending::no_rule:
        return port.isolated != 0 ? drop(packet, no_rule) : otherwise(packet);
      case ending::applied:
        return otherwise(packet);
      case ending::to_host:
        break;
    }
    return to_host(packet);
  }

  // The hooks of a chain (function/hook.h). Packets that match no rule before they leave pass. In a chain, a rule that
  // changes a packet also decides where it goes (the module makes sure of it).
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view view, held const& in_force) {
    return rules_packet::looks_plain(view) && pass_plain(view.data, in_force);
  }
  HOST_DEVICE static void assume_passes(packet_view view) { rules_packet::assume_looks_plain(view); }
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view view, held const& in_force) {
    return process_or(view, in_force.tables, in_force.set, [](rules_packet const& packet) {
      return packet.pushed == 0 ? next_hook() : drop(packet, front_moved);
    });
  }
  [[nodiscard]] HOST_DEVICE static bool has_egress(held const& in_force) { return in_force.egress_ports != 0; }
  [[nodiscard]] HOST_DEVICE static verdict egress(packet_view view, held const& in_force, verdict said) {
    auto const by = static_cast<std::uint16_t>(said.to());
    if (by >= max_rules_ports || in_force.tables.port_of[by] == rules_ref::no_port) return said;
    return leave_by(view, in_force.tables, in_force.set, in_force.tables.port_of[by], said);
  }

  // The same for a packet that looks plain (rules_packet.h).
  [[nodiscard]] HOST_DEVICE static bool pass_plain(std::byte const* packet, held const& in_force) {
    return !rules_match::is_screened_in(in_force.screens, in_force.screens_end, packet);
  }

  // The egress rules of the port by which another function sends the packet out, as `said`.
  [[nodiscard]] HOST_DEVICE static verdict leave_by(packet_view view, ref const& tables, rules_set const& set,
                                                    std::uint32_t port, verdict said) {
    if ((set.egress_ports >> port & 1) == 0) return said;
    rules_packet packet{view};
    return leave(packet, set, tables.leaves_by[port], port);
  }

 private:
  static constexpr std::uint32_t no_rules = 0;  // the group without rules

  // noinline keeps it out of an executor's loops: it is long, and it waits for memory.
  [[nodiscard, gnu::noinline]] HOST_DEVICE static verdict process_alone(packet_view view, ref const& tables,
                                                                        rules_set const& set) {
    return process_or(view, tables, set, [](rules_packet const& packet) { return to_host(packet); });
  }

  // The EtherType before a header at `offset`.
  [[nodiscard]] HOST_DEVICE static wire::ether_type type_before(packet_view view, std::uint32_t offset) {
    return wire::ether_type{wire::load_be<std::uint16_t>(view.data + offset - 2)};
  }

  // The result of one direction's rules for a packet: `applied` means that rules applied, none of which decides where
  // it goes.
  enum class ending : std::uint8_t { no_rule, applied, to_host, drop, leave };
  // value: the port or the drop name.
  struct end_of_rules {
    ending how;
    std::uint32_t value;
  };
  // The step after an action: the next action, another rule, or none.
  enum class step : std::uint8_t { next, jump, pass_through, ended };

  // why: a position in drop_names.
  [[nodiscard]] HOST_DEVICE static verdict drop(rules_packet const& packet, std::uint32_t why) {
    return verdict::drop(function_drop(static_cast<std::uint16_t>(why)), front_move_by(packet.pushed));
  }

  [[nodiscard]] HOST_DEVICE static verdict to_host(rules_packet const& packet) {
    return packet.pushed == 0 ? verdict::punt() : drop(packet, front_moved);
  }

  [[nodiscard]] HOST_DEVICE static verdict leave(rules_packet& packet, rules_set const& set, egress_index by,
                                                 std::uint32_t port) {
    auto const end = apply(packet, set, set.ports[port].egress);
    if (end.how == ending::drop) return drop(packet, end.value);
    return verdict::forward(by, front_move_by(packet.pushed));
  }

  [[nodiscard]] HOST_DEVICE static end_of_rules apply(rules_packet& packet, rules_set const& set, std::uint32_t group) {
    auto const found = rules_match::find(set, group, 0, packet);
    if (found == rules_entry::none) return {ending::no_rule, 0};
    return apply_from(found, packet, set, group);
  }
  // Applies rules from one that has been found in the group.
  [[nodiscard, gnu::noinline]] HOST_DEVICE static end_of_rules apply_from(std::uint32_t found, rules_packet& packet,
                                                                          rules_set const& set, std::uint32_t group) {
    for (unsigned n = 0; n < most_rules_applied; ++n) {
      auto const& entry = set.entry(found);
      auto const* const actions = rules_set::actions_of(entry);
      end_of_rules end{ending::applied, 0};
      auto after = step::ended;
      for (unsigned i = 0; i < entry.actions; ++i) {
        auto const did = act(packet, set, actions[i], end);
        if (did == step::next) continue;
        after = did;
        break;
      }
      if (after == step::ended) return end;
      auto const from_rank = after == step::jump ? 0 : entry.rank + 1;
      if (after == step::jump) group = end.value;
      found = rules_match::find(set, group, from_rank, packet);
      if (found == rules_entry::none) return {ending::no_rule, 0};
    }
    return {ending::drop, too_many_jumps};
  }

  [[nodiscard]] HOST_DEVICE static step finish(end_of_rules& end, ending how, std::uint32_t value = 0) {
    end = {how, value};
    return step::ended;
  }

  // The action that decides where the packet goes is the last one of a rule (compile/table.h puts it there).
  [[nodiscard]] HOST_DEVICE static step act(rules_packet& packet, rules_set const& set, rules_action const& action,
                                            end_of_rules& end) {
    switch (action.verb) {
      case rules_verb::jump:
        end.value = action.value;
        return step::jump;
      case rules_verb::pass_through:
        return step::pass_through;
      case rules_verb::leave:
        return finish(end, ending::leave, action.value);
      case rules_verb::to_host:
        return finish(end, ending::to_host);
      case rules_verb::drop:
        return finish(end, ending::drop, rule_drop);
      case rules_verb::count:
        rules_count::hit(set.counters[action.value], packet.view.length);
        return step::next;
      case rules_verb::decrement_ttl: {
        if (!packet.has(rules_fact::ipv4 | rules_fact::ipv6)) return step::next;
        auto const hops = rules_edit::ttl(packet);
        if (hops <= 1) return finish(end, ending::drop, ttl_expired);
        rules_edit::set_ttl(packet, static_cast<std::uint8_t>(hops - 1));
        return step::next;
      }
      case rules_verb::push_vlan:
        // The headroom has room for two tags.
        if (packet.pushed >= 8) return finish(end, ending::drop, front_moved);
        rules_edit::push_vlan(packet, static_cast<std::uint16_t>(action.value));
        return step::next;
      case rules_verb::pop_vlan:
        if (packet.pushed <= -8 && packet.has(rules_fact::vlan)) return finish(end, ending::drop, front_moved);
        rules_edit::pop_vlan(packet);
        return step::next;
      default:
        edit(packet, action);
        return step::next;
    }
  }

  HOST_DEVICE static void edit(rules_packet& packet, rules_action const& action) {
    using rules_edit::side;
    auto const number = static_cast<std::uint16_t>(action.value);
    switch (action.verb) {
      case rules_verb::set_mac_source:
        return rules_edit::set_mac(packet, side::source, action.bytes);
      case rules_verb::set_mac_destination:
        return rules_edit::set_mac(packet, side::destination, action.bytes);
      case rules_verb::set_ipv4_source:
        return rules_edit::set_ipv4(packet, side::source, {action.value});
      case rules_verb::set_ipv4_destination:
        return rules_edit::set_ipv4(packet, side::destination, {action.value});
      case rules_verb::set_ipv6_source:
        return rules_edit::set_ipv6(packet, side::source, wire::load_ipv6_address(action.bytes));
      case rules_verb::set_ipv6_destination:
        return rules_edit::set_ipv6(packet, side::destination, wire::load_ipv6_address(action.bytes));
      case rules_verb::set_source_port:
        return rules_edit::set_port(packet, side::source, number);
      case rules_verb::set_destination_port:
        return rules_edit::set_port(packet, side::destination, number);
      case rules_verb::set_ttl:
        return rules_edit::set_ttl(packet, static_cast<std::uint8_t>(number));
      case rules_verb::set_vlan_id:
        return rules_edit::set_vlan_id(packet, number);
      case rules_verb::set_vlan_priority:
        return rules_edit::set_vlan_priority(packet, static_cast<std::uint8_t>(number));
      default:
        return;
    }
  }
};
static_assert(packet_function<rules> && has_ingress<rules> && has_egress<rules>);

}  // namespace packetwarp
