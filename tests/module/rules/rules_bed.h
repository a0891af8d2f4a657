// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "fixtures/packet_builder.h"
#include "flow/parser.h"
#include "function/rules/rules.h"
#include "function/rules/rules_build.h"
#include "module/rules/compile/table.h"

namespace packetwarp::test {

// The flow rules of a text on two ports that are hairpin peers of each other, each with receive queue 0 and hairpin
// queues 1 and 2, as for testpmd's --rxq=1 --hairpinq=2 --hairpin-mode=0x12. Packets that leave by port n go to egress
// 10 + n.
class rules_bed {
 public:
  static constexpr std::uint32_t headroom = 8;  // for two tags

  explicit rules_bed(std::string_view text)
      : book_{read(text)},
        compiled_{flow::compile_rules(book_, queues())},
        table_{compiled_.all, compiled_.ports, {}} {}

  struct result {
    verdict said;
    bytes packet;
  };

  // The packet after its verdict's front move. It lies in an allocation of its own, after headroom.
  [[nodiscard]] result pass(std::uint16_t port, packet_builder const& builder) const {
    return pass(port, builder.build());
  }
  [[nodiscard]] result pass(std::uint16_t port, bytes const& frame) const {
    return pass(port, frame, static_cast<std::uint32_t>(frame.size()));
  }
  // The same for a packet of which only the first `contiguous` bytes can be read.
  [[nodiscard]] result pass(std::uint16_t port, bytes const& frame, std::uint32_t contiguous) const {
    return pass(tables_of(port), frame, contiguous);
  }
  [[nodiscard]] rules_ref tables_of(std::uint16_t port) const {
    rules_egress const egresses[] = {{port_id{0}, egress_index{10}}, {port_id{1}, egress_index{11}}};
    return table_.ref(port_id{port}, egresses);
  }
  [[nodiscard]] static result pass(rules_ref const& tables, bytes const& frame, std::uint32_t contiguous) {
    bytes memory(headroom + contiguous);
    std::copy_n(frame.begin(), contiguous, memory.begin() + headroom);
    auto const said =
        rules::process({memory.data() + headroom, contiguous, static_cast<std::uint32_t>(frame.size())}, tables);
    bytes after{memory.begin() + (static_cast<int>(headroom) - bytes_pushed(said.move())), memory.end()};
    after.insert(after.end(), frame.begin() + contiguous, frame.end());
    return {said, std::move(after)};
  }

  // Replaces the rules. Rules that stay, by their number, keep their counters.
  void replace(std::string_view text) {
    auto const before = compiled_;
    book_ = read(text);
    compiled_ = flow::compile_rules(book_, queues());
    for (auto const& [name, n] : compiled_.position) {
      auto const there = before.position.find(name);
      if (there != before.position.end()) compiled_.all[n].counter = table_.counters()[there->second];
    }
    table_.prepare({compiled_.all, compiled_.ports, table_.counters()});
    table_.publish();
  }

  [[nodiscard]] rules_counter counted(std::uint16_t port, std::uint32_t rule) const {
    return table_.counted(compiled_.position.at({port_id{port}, rule})).value();
  }
  [[nodiscard]] flow::compiled_rules const& compiled() const { return compiled_; }
  [[nodiscard]] rules_table const& table() const { return table_; }

  [[nodiscard]] static verdict leaves_by(unsigned port, front_move move = front_move::none) {
    return verdict::forward(egress_index{static_cast<std::uint16_t>(10 + port)}, move);
  }
  [[nodiscard]] static verdict dropped(std::uint16_t why, front_move move = front_move::none) {
    return verdict::drop(function_drop(why), move);
  }

  [[nodiscard]] static std::vector<flow::port_queues> queues() {
    return {{.port = port_id{0}, .receive = 1, .hairpin = 2, .hairpin_peer = port_id{1}},
            {.port = port_id{1}, .receive = 1, .hairpin = 2, .hairpin_peer = port_id{0}}};
  }

 private:
  [[nodiscard]] static flow::rule_book read(std::string_view text) {
    flow::rule_book book;
    for (auto const& one : flow::parse_text(text, "test")) (void)book.apply(one.what, one.line);
    return book;
  }

  flow::rule_book book_;
  flow::compiled_rules compiled_;
  rules_table table_;
};

}  // namespace packetwarp::test
