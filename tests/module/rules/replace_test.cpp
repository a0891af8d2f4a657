// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "module/rules/rules_bed.h"

namespace packetwarp::test {
namespace {

constexpr std::string_view send_1000 =
    "flow create 0 ingress pattern eth / ipv4 / udp src is 1000 / end actions count / queue index 1 / end\n";
constexpr std::string_view drop_2000 =
    "flow create 0 ingress pattern eth / ipv4 / udp src is 2000 / end actions count / drop / end\n";

[[nodiscard]] packet_builder from_port(unsigned port) {
  return packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:00:02").ipv4("1.1.1.2", "2.2.2.2").udp(port, 53);
}
[[nodiscard]] std::string both() { return std::string{send_1000} + std::string{drop_2000}; }

TEST(replaced_rules, apply_from_the_next_packet_on) {
  rules_bed bed{send_1000};
  EXPECT_EQ(bed.pass(0, from_port(1000)).said, rules_bed::leaves_by(1));
  EXPECT_EQ(bed.pass(0, from_port(2000)).said, verdict::punt());
  bed.replace(both());
  EXPECT_EQ(bed.pass(0, from_port(1000)).said, rules_bed::leaves_by(1));
  EXPECT_EQ(bed.pass(0, from_port(2000)).said, rules_bed::dropped(rules::rule_drop));
  bed.replace("");
  EXPECT_EQ(bed.pass(0, from_port(1000)).said, verdict::punt());
  EXPECT_EQ(bed.pass(0, from_port(2000)).said, verdict::punt());
}

TEST(replaced_rules, that_are_prepared_do_not_apply_yet) {
  rules_bed bed{send_1000};
  auto const none = flow::compile_rules(flow::rule_book{}, rules_bed::queues());
  rules_table table{bed.compiled().all, bed.compiled().ports, {}};
  rules_egress const egresses[] = {{port_id{0}, egress_index{10}}, {port_id{1}, egress_index{11}}};
  auto const tables = table.ref(port_id{0}, egresses);
  auto const process = [&] {
    auto frame = from_port(1000).build();
    auto const size = static_cast<std::uint32_t>(frame.size());
    return rules::process({frame.data(), size, size}, tables);
  };
  table.prepare({none.all, none.ports});
  EXPECT_EQ(process(), rules_bed::leaves_by(1));
  table.publish();
  EXPECT_EQ(process(), verdict::punt()) << "by a view that was made before";
}

TEST(replaced_rules, that_stay_go_on_counting_and_new_ones_begin_at_zero) {
  rules_bed bed{both()};
  for (int i = 0; i < 3; ++i) (void)bed.pass(0, from_port(1000));
  for (int i = 0; i < 5; ++i) (void)bed.pass(0, from_port(2000));
  bed.replace(both() + "flow create 1 ingress pattern eth / end actions count / drop / end\n");
  (void)bed.pass(0, from_port(1000));
  (void)bed.pass(1, from_port(1000));
  EXPECT_EQ(bed.counted(0, 0).hits, 4u);
  EXPECT_EQ(bed.counted(0, 1).hits, 5u);
  EXPECT_EQ(bed.counted(1, 0).hits, 1u);
  bed.replace(send_1000);
  bed.replace(both());
  EXPECT_EQ(bed.counted(0, 0).hits, 4u);
  EXPECT_EQ(bed.counted(0, 1).hits, 0u) << "it is another rule than the one that was there before";
}

TEST(replaced_rules, may_be_many_more_than_there_were_at_first) {
  rules_bed bed{send_1000};
  std::string many;
  constexpr unsigned count = 30000;
  for (unsigned port = 1; port <= count; ++port) {
    many += fmt::format("flow create 0 ingress pattern eth / ipv4 / udp src is {} / end actions count / drop / end\n",
                        port);
  }
  bed.replace(many);
  for (unsigned const port : {1U, 1000U, count}) {
    EXPECT_EQ(bed.pass(0, from_port(port)).said, rules_bed::dropped(rules::rule_drop));
    EXPECT_EQ(bed.counted(0, port - 1).hits, 1u);
  }
  EXPECT_EQ(bed.pass(0, from_port(count + 1)).said, verdict::punt());
}

TEST(replaced_rules, that_count_more_than_there_is_room_for_are_refused_and_nothing_is_changed) {
  rules_bed const bed{send_1000};
  rules_table table{bed.compiled().all, bed.compiled().ports, {}};
  auto too_high = bed.compiled().all;
  too_high[0].counter = 1U << 20;
  EXPECT_THROW(table.prepare({too_high, bed.compiled().ports}), failure);
  EXPECT_EQ(table.counters()[0], 0u);
}

}  // namespace
}  // namespace packetwarp::test
