// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "fixtures/repetitions.h"
#include "module/rules/rules_bed.h"

namespace packetwarp {
namespace {

constexpr auto unsaid = verdict::forward(egress_index{77});  // the fate of packets that match no rule

// Access lists and packets of few values, so that they meet often.
class access_list {
 public:
  explicit access_list(std::uint32_t seed) : random_{seed} {}

  std::string rules() {
    std::string text;
    for (auto left = 1 + pick(6); left > 0; --left) {
      text += "flow create 0 " + std::string{chance(20) ? "transfer" : "ingress"} + " pattern eth" + link() + layers() +
              " / end actions drop / end\n";
    }
    return text;
  }
  test::bytes packet() {
    test::packet_builder made;
    made.eth();
    if (chance(10)) made.vlan(1 + pick(2));
    if (chance(10)) {
      made.ipv6().udp(1 + pick(4), 1 + pick(4));
    } else {
      made.ipv4(address(), address());
      if (chance(8)) made.options(test::to_bytes({1, 1, 1, 0}));
      if (chance(8)) made.fragment(8 * pick(2), 1);
      if (chance(10)) {
        made.icmp_echo(1 + pick(4), 1 + pick(4));
      } else {
        chance(50) ? made.udp(1 + pick(4), 1 + pick(4)) : made.tcp(1 + pick(4), 1 + pick(4));
      }
    }
    auto frame = made.payload(pick(30)).build();
    frame[5] ^= static_cast<std::byte>(pick(4));  // of the destination's MAC address
    // Lengths and versions that are wrong, and frames that are cut.
    auto const headers = std::min(static_cast<unsigned>(frame.size()) - 14, 34U);
    if (chance(15)) frame[14 + pick(headers)] ^= std::byte{static_cast<unsigned char>(1 + pick(255))};
    if (chance(10)) frame.resize(14 + pick(static_cast<unsigned>(frame.size()) - 14));
    return frame;
  }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool chance(unsigned percent) { return pick(100) < percent; }

 private:
  std::string address() { return "10.0." + std::to_string(pick(3)) + "." + std::to_string(1 + pick(3)); }
  std::string link() {
    if (chance(5)) return " has_vlan is 0";
    auto const address = chance(10) ? " dst is 02:00:00:00:00:0" + std::to_string(1 + pick(3)) : "";
    return address + (chance(10) ? " / vlan" : "");
  }
  std::string layers() {
    if (chance(5)) return "";
    if (chance(8)) return " / ipv6 / udp dst is " + std::to_string(1 + pick(4));
    if (chance(5)) return " / any / udp dst is " + std::to_string(1 + pick(4));
    if (chance(5)) return " / ipv4 / icmp type is 8";
    std::string text = " / ipv4";
    if (chance(30)) text += " src is " + address();
    if (chance(30)) text += " dst spec " + address() + " dst mask 255.255.255.0";
    if (chance(50)) {
      text += chance(50) ? " / udp" : " / tcp";
      if (chance(40)) text += " src is " + std::to_string(1 + pick(4));
      if (chance(60)) text += " dst is " + std::to_string(1 + pick(4));
    }
    return text;
  }

  std::mt19937 random_;
};

TEST(rules_screens, hold_back_no_packet_that_a_rule_is_for_and_let_few_others_by) {
  auto const seeds = test::repetitions(400U, 100);
  unsigned passed = 0, without_rule = 0, met_a_rule = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    access_list made{seed};
    test::rules_bed const bed{made.rules()};
    auto const tables = bed.tables_of(0);
    auto const in_force = rules::hold(tables);
    for (int n = 0; n < 100; ++n) {
      auto frame = made.packet();
      packet_view const view{frame.data(), static_cast<std::uint32_t>(frame.size()),
                             static_cast<std::uint32_t>(frame.size())};
      bool const pass = rules::passes(view, in_force);
      auto const said = rules::process_or(view, tables, in_force.set, [](rules_packet const&) { return unsaid; });
      ASSERT_TRUE(!pass || said == unsaid) << "seed " << seed << ", packet " << n;
      passed += pass ? 1U : 0U;
      without_rule += said == unsaid ? 1U : 0U;
      met_a_rule += said == unsaid ? 0U : 1U;
    }
  }
  EXPECT_GT(passed, seeds * 15 / 2) << "of " << without_rule;
  EXPECT_GT(met_a_rule, seeds * 15 / 2);
}

// A wrong header only takes facts away, so for a packet that looks plain a read of its type suffices.
TEST(rules_screens, let_by_a_plain_header_that_is_wrong_as_no_rule_is_for_it) {
  test::rules_bed const bed{"flow create 0 ingress pattern eth / ipv4 / udp dst is 7 / end actions drop / end\n"};
  auto const tables = bed.tables_of(0);
  auto const in_force = rules::hold(tables);
  auto frame = test::packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").udp(1, 8).payload(4).build();
  frame[38] = std::byte{0xff};  // UDP's length
  packet_view const view{frame.data(), static_cast<std::uint32_t>(frame.size()),
                         static_cast<std::uint32_t>(frame.size())};
  EXPECT_EQ(rules_packet::plain_facts(view), 0u);
  EXPECT_TRUE(rules::passes(view, in_force));
  frame[37] = std::byte{7};  // its port
  EXPECT_FALSE(rules::passes(view, in_force));
  auto const said = rules::process_or(view, tables, in_force.set, [](rules_packet const&) { return unsaid; });
  EXPECT_EQ(said, unsaid);
}

// With a list of 200 addresses, of 2,048 values each, one in 10 matches some rule.
TEST(rules_screens, of_a_long_list_let_most_strangers_by) {
  std::string text;
  for (unsigned n = 0; n < 200; ++n)
    text +=
        "flow create 0 ingress pattern eth / ipv4 src is 192.0.2." + std::to_string(n) + " / end actions drop / end\n";
  test::rules_bed const bed{text};
  auto const tables = bed.tables_of(0);
  unsigned passed = 0;
  for (unsigned n = 0; n < 1000; ++n) {
    auto const source = "10.0." + std::to_string(n / 250) + "." + std::to_string(n % 250);
    auto frame = test::packet_builder{}.eth().ipv4(source, "10.1.0.1").udp(1, 2).build();
    packet_view const view{frame.data(), static_cast<std::uint32_t>(frame.size()),
                           static_cast<std::uint32_t>(frame.size())};
    passed += rules::passes(view, rules::hold(tables)) ? 1U : 0U;
  }
  EXPECT_GT(passed, 800u);
}

TEST(rules_screens, let_an_access_lists_strangers_by_and_nothing_of_an_isolated_port) {
  std::string text;
  for (unsigned n = 0; n < 20; ++n)
    text +=
        "flow create 0 ingress pattern eth / ipv4 dst is 192.0.2." + std::to_string(n) + " / end actions drop / end\n";
  auto frame = test::packet_builder{}.eth().ipv4("10.0.0.1", "10.0.0.2").udp(1, 2).build();
  packet_view const view{frame.data(), static_cast<std::uint32_t>(frame.size()),
                         static_cast<std::uint32_t>(frame.size())};
  auto const pass = [&](std::string_view rules_text, std::uint16_t port) {
    test::rules_bed const bed{rules_text};
    auto const tables = bed.tables_of(port);
    return rules::passes(view, rules::hold(tables));
  };
  EXPECT_TRUE(pass(text, 0));
  EXPECT_TRUE(pass(text, 1)) << "a port without rules";
  EXPECT_FALSE(pass("flow isolate 0 1\n" + text, 0));
  EXPECT_FALSE(pass(text + "flow create 0 ingress pattern eth / end actions count / end\n", 0)) << "no word of it";
}

}  // namespace
}  // namespace packetwarp
