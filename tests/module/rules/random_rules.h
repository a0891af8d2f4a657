// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "fixtures/packet_builder.h"
#include "flow/parser.h"
#include "flow/rule_book.h"
#include "module/rules/compile/site.h"

namespace packetwarp::test {

inline flow::rule_book read(std::string_view text) {
  flow::rule_book book;
  for (auto const& one : flow::parse_text(text, "test")) (void)book.apply(one.what, one.line);
  return book;
}

// Books of rules that meet a lot, refusals, and packets to go through them: whatever the split, packets meet the same
// fate as in a table that has everything.
class random_rules {
 public:
  explicit random_rules(std::uint32_t seed) : random_{seed}, deep_{chance(40)} {}

  flow::rule_book book() {
    std::string text;
    for (auto const port : {"0", "1"}) {
      if (deep_ || chance(50)) text += std::string{"flow isolate "} + port + " 1\n";
      if (deep_) text += std::string{"flow create "} + port + " ingress pattern eth / end actions jump group 1 / end\n";
      if (deep_ && chance(30)) {
        text += std::string{"flow create "} + port +
                " group 1 priority 9 ingress pattern eth / end actions jump group 2 / end\n";
      }
      auto const rules = 1 + pick(7);
      for (unsigned n = 0; n < rules; ++n) text += std::string{"flow create "} + port + " " + rule();
    }
    return read(text);
  }

  // The book after live commands, or another one.
  flow::rule_book changed(flow::rule_book const& from) {
    if (chance(15)) return book();
    auto made = from;
    for (auto left = 1 + pick(4); left > 0; --left) change(made, port_id{static_cast<std::uint16_t>(pick(2))});
    return made;
  }

  flow::rule_refusals refusals(flow::rule_book const& book) {
    flow::rule_refusals refused;
    auto const percent = pick(3) * (deep_ ? 8 : 20);
    for (auto const port : book.ports()) {
      for (auto const& one : book.rules_of(port)) {
        if (chance(percent)) refused[{port, one.number}] = "refused";
      }
    }
    return refused;
  }

  unsigned pick(unsigned of) { return static_cast<unsigned>(random_() % of); }
  bool chance(unsigned percent) { return pick(100) < percent; }

  flow::site_port::hairpin queues() { return static_cast<flow::site_port::hairpin>(pick(3)); }

  bytes packet() {
    packet_builder made;
    made.eth();
    if (chance(80)) {
      made.ipv4(address(), address());
      made.ttl(2 + pick(3));
    } else {
      made.ipv6();
    }
    chance(70) ? made.udp(1 + pick(3), 1 + pick(3)) : made.tcp(1 + pick(3), 1 + pick(3));
    return made.payload(8).build();
  }

 private:
  void change(flow::rule_book& book, port_id port) {
    auto const rules = book.rules_of(port);
    if (chance(3)) return book.flush(port);
    if (chance(10)) return book.isolate(port, book.is_isolated(port) ? flow::set_state::off : flow::set_state::on);
    if (!rules.empty() && chance(50)) {
      auto const number = rules[pick(static_cast<unsigned>(rules.size()))].number;
      book.destroy(port, std::span{&number, 1});
      // Another one may get its number.
      if (chance(50)) return;
    }
    auto const text = "flow create " + std::to_string(port.value()) + " " + rule();
    (void)book.apply(flow::parse_command(text));
  }

  std::string address() { return "10.0.0." + std::to_string(1 + pick(3)); }

  std::string rule() {
    auto const direction = deep_ ? "ingress" : chance(15) ? "transfer" : chance(15) ? "egress" : "ingress";
    std::string text;
    group_ = 0;
    if (deep_) group_ = chance(80) ? 1 : 2;
    if (!deep_ && chance(30)) group_ = 1 + pick(2);
    if (group_ != 0) text += "group " + std::to_string(group_) + " ";
    if (chance(60)) text += "priority " + std::to_string(pick(4)) + " ";
    text += std::string{direction} + " pattern eth / ";
    if (bool const has_ipv4 = chance(70); has_ipv4) {
      text +=
          "ipv4 " + (chance(50) ? "src is " + address() + " " : "") + (chance(20) ? "dst is " + address() + " " : "");
      return text + "/ " + transport(direction, " set_ipv4_src ipv4_addr " + address() + " / dec_ttl /");
    }
    return text + transport(direction, " set_mac_dst mac_addr 02:00:00:00:00:0" + std::to_string(pick(3)) + " /");
  }

  std::string transport(std::string const& direction, std::string const& change) {
    std::string text;
    auto const kind = pick(10);
    if (kind < 5) text += "udp " + (chance(70) ? "src is " + std::to_string(1 + pick(3)) + " / " : "/ ");
    if (kind == 9) text += "tcp / ";
    text += "end actions";
    if (!deep_ && chance(20)) text += change;
    if (!deep_ && kind < 5 && chance(20)) text += " set_tp_src port " + std::to_string(1 + pick(3)) + " /";
    return text + (direction == "egress" ? egress_fate() : fate(direction)) + " / end\n";
  }

  std::string egress_fate() { return chance(20) ? " drop" : " count"; }
  std::string fate(std::string const& direction) {
    if (deep_) return chance(50) ? " drop" : " port_id id " + std::to_string(pick(2));
    switch (pick(direction == "transfer" ? 4 : 8)) {
      case 0:
        return " jump group " + std::to_string((group_ + 1 + pick(2)) % 3);
      case 1:
        return " port_id id " + std::to_string(pick(2));
      case 2:
        return " passthru";
      case 3:
        return " count";
      case 4:
        return " queue index 0";
      case 5:
      case 6:
        return " queue index " + std::to_string(1 + pick(2));
      default:
        return " drop";
    }
  }

  std::mt19937 random_;
  unsigned group_{};  // of the rule that is written
  bool deep_;         // rules after a jump, so plain that a NIC may have all of them
};

}  // namespace packetwarp::test
