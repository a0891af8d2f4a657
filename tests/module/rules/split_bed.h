// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/packet_builder.h"
#include "flow/parser.h"
#include "function/rules/rules.h"
#include "function/rules/rules_build.h"
#include "module/rules/compile/site.h"
#include "module/rules/compile/transition.h"
#include "module/rules/rules_bed.h"

namespace packetwarp::test {

// The fate of a packet: its verdict, and its bytes.
struct fate_of_packet {
  verdict::action what;
  std::optional<std::uint16_t> egress;
  bytes packet;
  friend bool operator==(fate_of_packet const&, fate_of_packet const&) = default;
};

// Rules shared out between NICs and a table, both played by tables of their own. The NICs are as awkward as rte_flow
// allows: among rules with one priority they take the latest, and they drop packets that miss after a jump.
class split_bed {
 public:
  split_bed(flow::rule_book const& book, flow::rule_refusals const& refused, flow::site_port::hairpin hairpin)
      : compiled_{flow::compile_rules(book, rules_bed::queues())},
        sited_{flow::share_out(book, compiled_, ports(hairpin), refused, flow::rule_site::cpu)},
        all_{compiled_.all, compiled_.ports, {}},
        table_{make_table(flow::without_egress_of_nics(compiled_, sited_))},
        nics_{as_nics_have_them(nic_rules()), {}, {}},
        wires_{rules_table{wire_rules(0), {}, {}}, rules_table{wire_rules(1), {}, {}}} {}

  [[nodiscard]] std::vector<flow::sited_rule> const& sited() const { return sited_; }
  [[nodiscard]] flow::compiled_rules const& compiled() const { return compiled_; }
  [[nodiscard]] flow::rule_keys in_nics() const { return flow::in_nics_of(sited_); }
  [[nodiscard]] rules_input const& made(flow::rule_key const& key) const {
    return compiled_.all[compiled_.position.at(key)];
  }

  using rules_in_nics = std::map<flow::rule_key, rules_input>;
  [[nodiscard]] rules_in_nics nic_rules() const {
    rules_in_nics rules;
    for (auto const& key : in_nics()) rules.emplace(key, made(key));
    return rules;
  }

  // Gives the NICs these rules, before the same table.
  void put_in_nics(rules_in_nics const& rules) {
    nics_.prepare(rules_build{as_nics_have_them(rules), {}});
    nics_.publish();
  }

  // As if all rules were in a table.
  [[nodiscard]] fate_of_packet whole(std::uint16_t port, bytes const& frame) const { return pass(all_, port, frame); }

  // Through the port's NIC first.
  [[nodiscard]] fate_of_packet split(std::uint16_t port, bytes const& frame) const {
    auto const nic = pass(nics_, port, frame);
    if (nic.what != verdict::action::punt) return nic;
    auto const table = pass(table_, port, nic.packet);
    return table.egress ? pass(wires_[*table.egress], 0, table.packet) : table;
  }
  [[nodiscard]] bool is_settled_by_nic(std::uint16_t port, bytes const& frame) const {
    return pass(nics_, port, frame).what != verdict::action::punt;
  }

  [[nodiscard]] static std::array<flow::site_port, 2> ports(flow::site_port::hairpin hairpin) {
    return {{{.port = port_id{0}, .queues = hairpin}, {.port = port_id{1}, .queues = hairpin}}};
  }

 private:
  [[nodiscard]] static rules_table make_table(flow::compiled_rules const& of) { return {of.all, of.ports, {}}; }

  [[nodiscard]] static std::vector<rules_input> as_nics_have_them(rules_in_nics const& from) {
    std::vector<rules_input> rules;
    for (auto const& [key, rule] : from) rules.push_back(rule);
    std::reverse(rules.begin(), rules.end());
    auto const own = rules.size();
    for (std::size_t n = 0; n < own; ++n) {
      if (rules[n].group == 0) continue;
      rules.push_back({.direction = rules[n].direction,
                       .port = rules[n].port,
                       .group = rules[n].group,
                       .priority = 1000,
                       .words = {},
                       .ranges = {},
                       .actions = {{.verb = rules_verb::drop}}});
    }
    return rules;
  }

  // The work of a NIC on a packet that the host sends by `port`.
  [[nodiscard]] std::vector<rules_input> wire_rules(std::uint16_t port) const {
    std::vector<rules_input> rules{{.direction = rules_direction::transfer,
                                    .port = port_id{0},
                                    .words = {},
                                    .ranges = {},
                                    .actions = {{.verb = rules_verb::leave, .value = port}}}};
    for (auto const& one : sited_) {
      auto const& rule = made({one.port, one.number});
      bool const is_egress = rule.direction == rules_direction::egress && rule.port == port_id{port};
      if (is_egress && one.site == flow::rule_site::nic) rules.insert(rules.begin(), rule);
    }
    return rules;
  }

  [[nodiscard]] static fate_of_packet pass(rules_table const& table, std::uint16_t port, bytes const& frame) {
    auto packet = frame;
    rules_egress const egresses[] = {{port_id{0}, egress_index{0}}, {port_id{1}, egress_index{1}}};
    auto const size = static_cast<std::uint32_t>(packet.size());
    auto const said = rules::process({packet.data(), size, size}, table.ref(port_id{port}, egresses));
    fate_of_packet made{.what = said.what(), .egress = {}, .packet = std::move(packet)};
    if (made.what == verdict::action::forward) made.egress = static_cast<std::uint16_t>(said.to());
    // The bytes of a dropped packet do not matter.
    if (made.what == verdict::action::drop) made.packet.clear();
    return made;
  }

  flow::compiled_rules compiled_;
  std::vector<flow::sited_rule> sited_;
  rules_table all_;
  rules_table table_;
  rules_table nics_;
  std::array<rules_table, 2> wires_;
};

}  // namespace packetwarp::test
