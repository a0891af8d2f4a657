// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/repetitions.h"
#include "flow/reference_flows.h"
#include "module/rules/random_rules.h"
#include "module/rules/split_bed.h"

namespace packetwarp::flow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using hairpin = site_port::hairpin;
using test::read;

std::vector<sited_rule> shared(rule_book const& book, rule_refusals const& refused = {}, hairpin queues = hairpin::none,
                               rule_site tables = rule_site::cpu) {
  site_port const ports[] = {{port_id{0}, queues}, {port_id{1}, queues}};
  return share_out(book, compile_rules(book, test::rules_bed::queues()), ports, refused, tables);
}

std::vector<sited_rule> shared(std::string_view text, rule_refusals const& refused = {},
                               hairpin queues = hairpin::none) {
  return shared(read(text), refused, queues);
}

// "nic" or why not.
std::vector<std::string> told(std::vector<sited_rule> const& sited) {
  std::vector<std::string> all;
  for (auto const& one : sited) all.push_back(one.site == rule_site::nic ? "nic" : one.why);
  return all;
}

rule_refusals refusing(std::uint32_t number) { return {{{port_id{0}, number}, "no such item"}}; }

constexpr auto drop_two =
    "flow create 0 ingress pattern eth / ipv4 src is 10.0.0.1 / end actions drop / end\n"
    "flow create 0 ingress pattern eth / ipv4 src is 10.0.0.2 / end actions drop / end\n";

TEST(share_out, leaves_what_a_port_refuses_to_the_table) {
  auto const sited = shared(read(drop_two), refusing(0), hairpin::none, rule_site::gpu);
  ASSERT_EQ(sited.size(), 2u);
  EXPECT_EQ(sited[0].site, rule_site::gpu);
  EXPECT_EQ(sited[0].why, "no such item");
  EXPECT_EQ(sited[1].site, rule_site::nic) << sited[1].why;
  EXPECT_EQ(to_string(sited[0].site), "gpu");
}

TEST(share_out, keeps_a_rule_behind_an_earlier_one_that_may_match_its_packets) {
  EXPECT_THAT(
      told(shared("flow create 0 priority 0 ingress pattern eth / ipv4 / udp / end actions queue index 0 / end\n"
                  "flow create 0 priority 1 ingress pattern eth / ipv4 src is 10.0.0.1 / end actions drop / end\n"
                  "flow create 0 priority 1 ingress pattern eth / ipv6 / end actions drop / end\n"
                  "flow create 0 priority 1 ingress pattern eth / ipv4 / tcp / end actions drop / end\n",
                  refusing(0))),
      ElementsAre("no such item", HasSubstr("an earlier rule that is in the table"), "nic",
                  HasSubstr("an earlier rule that is in the table")));
}

TEST(share_out, leaves_rules_of_one_priority_to_a_nic_only_where_no_packet_is_both_s) {
  EXPECT_THAT(told(shared("flow create 0 ingress pattern eth / ipv4 / udp src is 1 / end actions drop / end\n"
                          "flow create 0 ingress pattern eth / ipv4 / udp src is 2 / end actions drop / end\n"
                          "flow create 0 ingress pattern eth / ipv4 / udp dst is 2 / end actions queue index 0 / end\n"
                          "flow create 0 priority 1 ingress pattern eth / end actions drop / end\n")),
              ElementsAre("nic", "nic", HasSubstr("rule 2 and an earlier one of its priority"),
                          HasSubstr("an earlier rule that is in the table")));
}

TEST(share_out, takes_a_range_as_any_value) {
  EXPECT_THAT(told(shared("flow create 0 ingress pattern udp src spec 5 src last 9 / end actions drop / end\n"
                          "flow create 0 ingress pattern udp src is 20 / end actions drop / end\n")),
              ElementsAre("nic", HasSubstr("same packet")));
}

TEST(share_out, has_the_host_see_packets_as_they_came) {
  EXPECT_THAT(
      told(shared(
          "flow create 0 ingress pattern eth / ipv4 / udp / end actions queue index 0 / end\n"
          "flow create 0 ingress pattern eth / ipv4 / tcp / end actions set_tp_src port 7 / queue index 0 / end\n"
          "flow create 0 ingress pattern eth / ipv6 / udp / end actions count / end\n"
          "flow create 0 ingress pattern eth / ipv6 / tcp / end actions passthru / end\n")),
      ElementsAre("nic", HasSubstr("changes packets"), "nic", HasSubstr("passes packets on")));
}

TEST(share_out, puts_transfer_rules_before_those_of_ingress) {
  EXPECT_THAT(told(shared("flow create 0 priority 9 transfer pattern eth / ipv4 / end actions drop / end\n"
                          "flow create 0 transfer pattern eth / ipv6 / end actions count / end\n"
                          "flow create 0 ingress pattern eth / ipv4 / udp / end actions drop / end\n"
                          "flow create 0 ingress pattern eth / ipv6 / end actions drop / end\n",
                          refusing(0))),
              ElementsAre("no such item", HasSubstr("of transfer and neither drops nor sends"),
                          HasSubstr("an earlier rule that is in the table"),
                          HasSubstr("an earlier rule that is in the table")));
}

constexpr auto to_other_port =
    "flow create 0 ingress pattern eth / ipv4 / udp / end actions queue index 1 / end\n"
    "flow create 0 ingress pattern eth / ipv4 / tcp / end actions port_id id 1 / end\n";
constexpr auto egress_of_other = "flow create 1 egress pattern eth / ipv4 / end actions dec_ttl / end\n";

TEST(share_out, sends_by_hairpin_queues_where_the_port_has_them) {
  EXPECT_THAT(told(shared(to_other_port)), ElementsAre(HasSubstr("no hairpin queues"), "nic"));
  EXPECT_THAT(told(shared(to_other_port, {}, hairpin::by_driver)), ElementsAre("nic", "nic"));
}

TEST(share_out, has_egress_rules_done_once_to_whatever_leaves) {
  auto const text = std::string{to_other_port} + egress_of_other;
  EXPECT_THAT(told(shared(text, {}, hairpin::by_rules)),
              ElementsAre("nic", HasSubstr("port 1 has egress rules"), "nic"));
  EXPECT_THAT(told(shared(text, {}, hairpin::by_driver)),
              ElementsAre(HasSubstr("hairpin mode"), HasSubstr("port 1 has egress rules"), "nic"));
  rule_refusals const refused{{{port_id{1}, 0}, "no such action"}};
  EXPECT_THAT(told(shared(text, refused, hairpin::by_rules)),
              ElementsAre(HasSubstr("egress rules of port 1 are in the table"), HasSubstr("port 1 has egress rules"),
                          "no such action"));
}

TEST(share_out, leaves_a_ports_egress_rules_together) {
  rule_refusals const refused{{{port_id{1}, 1}, "no such item"}};
  auto const told_both = told(
      shared(std::string{egress_of_other} + "flow create 1 priority 1 egress pattern udp / end actions drop / end\n",
             refused, hairpin::by_rules));
  EXPECT_THAT(told_both, ElementsAre("its port refuses egress rule 1", "no such item"));
}

TEST(share_out, jumps_in_a_nic_only_where_it_has_all_that_is_behind_and_the_port_is_isolated) {
  std::string const text =
      "flow create 0 ingress pattern eth / ipv4 / end actions jump group 1 / end\n"
      "flow create 0 group 1 ingress pattern eth / ipv4 / udp src is 1 / end actions drop / end\n"
      "flow create 0 group 1 ingress pattern eth / ipv4 / udp src is 2 / end actions drop / end\n"
      "flow create 0 group 2 ingress pattern eth / end actions drop / end\n";
  EXPECT_THAT(told(shared(text)), ElementsAre(HasSubstr("not isolated"), HasSubstr("no rule of the NIC leads"),
                                              HasSubstr("no rule of the NIC leads"), HasSubstr("no rule of the NIC")));
  auto const isolated = "flow isolate 0 1\n" + text;
  EXPECT_THAT(told(shared(isolated)), ElementsAre("nic", "nic", "nic", HasSubstr("no rule of the NIC leads")));
  EXPECT_THAT(told(shared(isolated, refusing(2))),
              ElementsAre("group 1: its port refuses rule 2", HasSubstr("no rule of the NIC leads"), "no such item",
                          HasSubstr("no rule of the NIC leads")));
}

TEST(share_out, finds_groups_that_lead_back) {
  EXPECT_THAT(told(shared("flow isolate 0 1\n"
                          "flow create 0 ingress pattern eth / end actions jump group 1 / end\n"
                          "flow create 0 group 1 ingress pattern eth / end actions jump group 2 / end\n"
                          "flow create 0 group 2 ingress pattern eth / end actions jump group 1 / end\n")),
              ElementsAre(HasSubstr("group 1 leads back to itself"), testing::_, testing::_));
}

TEST(share_out, lets_jumps_share_their_group) {
  auto const jump = [](unsigned from, unsigned source, unsigned to) {
    return "flow create 0 group " + std::to_string(from) + " priority " + std::to_string(source) +
           " ingress pattern eth / ipv4 / udp src is " + std::to_string(source) + " / end actions jump group " +
           std::to_string(to) + " / end\n";
  };
  std::string const isolated = "flow isolate 0 1\n";
  std::string const last = "flow create 0 group 9 ingress pattern eth / end actions drop / end\n";
  std::string const first = "flow create 0 ingress pattern eth / end actions jump group 1 / end\n";
  EXPECT_THAT(told(shared(isolated + first + jump(1, 1, 9) + jump(1, 2, 9) + jump(1, 3, 9) + last)),
              ElementsAre("nic", "nic", "nic", "nic", "nic"));
  EXPECT_THAT(told(shared(isolated + first + jump(1, 1, 9) + jump(1, 2, 9))), ElementsAre("nic", "nic", "nic"))
      << "a group without rules";
  EXPECT_THAT(told(shared(isolated + first + jump(1, 1, 2) + jump(1, 2, 3) + jump(2, 1, 9) + jump(3, 1, 9) +
                          jump(3, 2, 9) + last)),
              ElementsAre("nic", "nic", "nic", "nic", "nic", "nic", "nic"));
}

TEST(share_out, gives_all_of_the_reference_to_nics_that_take_it) {
  auto const book = read("flow isolate 0 1\nflow isolate 1 1\n" + test::reference_flows::text());
  for (auto const& one : shared(book, {}, hairpin::by_rules)) {
    ASSERT_EQ(one.site, rule_site::nic) << one.port.value() << " rule " << one.number << ": " << one.why;
  }
  // A rule that a NIC has no room for takes its group with it, and nothing of the other port.
  std::size_t in_table = 0;
  for (auto const& one : shared(book, {{{port_id{0}, 5002}, "no room"}}, hairpin::by_rules)) {
    in_table += one.site == rule_site::nic ? 0 : 1;
    EXPECT_TRUE(one.port == port_id{0} || one.site == rule_site::nic) << one.why;
  }
  EXPECT_EQ(in_table, 5002u);
}

TEST(share_out, changes_nothing_for_any_packet) {
  auto const seeds = test::repetitions(2000U, 300);
  std::size_t settled = 0, mixed = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    test::random_rules made{seed};
    auto const book = made.book();
    auto const refused = made.refusals(book);
    auto const queues = made.queues();
    test::split_bed const bed{book, refused, queues};
    auto const nics = std::count_if(bed.sited().begin(), bed.sited().end(),
                                    [](auto const& one) { return one.site == rule_site::nic; });
    if (nics == 0) continue;
    if (static_cast<std::size_t>(nics) != bed.sited().size()) ++mixed;
    for (int n = 0; n < 40; ++n) {
      auto const frame = made.packet();
      for (auto const port : {std::uint16_t{0}, std::uint16_t{1}}) {
        ASSERT_EQ(bed.split(port, frame), bed.whole(port, frame))
            << "seed " << seed << ", port " << port << ", hairpin " << static_cast<int>(queues) << ", packet "
            << test::to_hex(frame) << "\n"
            << book.list(port_id{0}) << book.list(port_id{1}) << testing::PrintToString(told(bed.sited()));
        settled += bed.is_settled_by_nic(port, frame) ? 1U : 0U;
      }
    }
  }
  // Otherwise the test would show nothing.
  EXPECT_GT(settled, seeds * 5 / 2);
  EXPECT_GT(mixed, seeds / 4);
}

}  // namespace
}  // namespace packetwarp::flow
