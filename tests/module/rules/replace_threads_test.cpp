// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "module/rules/rules_bed.h"

namespace packetwarp::test {
namespace {

constexpr std::string_view send_and_set =
    "flow create 0 ingress pattern eth / ipv4 / udp / end actions set_ttl ttl_value 7 / queue index 1 / end\n"
    "flow create 1 egress pattern eth / ipv4 ttl is 7 / end actions set_ttl ttl_value 70 / end\n";
constexpr std::string_view drop_all = "flow create 0 ingress pattern eth / end actions count / drop / end\n";

// A thread that has packets go through tables which another one changes under it: each packet meets one set of rules
// from its beginning to its end.
TEST(replaced_rules_threads, each_packet_meets_the_rules_of_before_or_those_of_after) {
  rules_bed bed{send_and_set};
  auto const frame = packet_builder{}
                         .eth("02:00:00:00:00:01", "02:00:00:00:00:02")
                         .ipv4("1.1.1.2", "2.2.2.2")
                         .ttl(64)
                         .udp(1, 2)
                         .build();
  auto const changed = packet_builder{}
                           .eth("02:00:00:00:00:01", "02:00:00:00:00:02")
                           .ipv4("1.1.1.2", "2.2.2.2")
                           .ttl(70)
                           .udp(1, 2)
                           .build();
  std::atomic<std::uint64_t> turns{0};
  std::atomic<bool> ends{false};
  std::uint64_t sent = 0, dropped = 0, other = 0;
  auto const tables = bed.tables_of(0);
  std::thread packets{[&] {
    while (!ends.load()) {
      auto const done = rules_bed::pass(tables, frame, static_cast<std::uint32_t>(frame.size()));
      if (done.said == rules_bed::leaves_by(1) && done.packet == changed) {
        ++sent;
      } else if (done.said == rules_bed::dropped(rules::rule_drop)) {
        ++dropped;
      } else {
        ++other;
      }
      turns.fetch_add(1);
    }
  }};
  // Replaced rules are only overwritten when no packet is left that may have met them.
  auto const pass_two = [&] {
    for (auto const begin = turns.load(); turns.load() < begin + 2;) std::this_thread::yield();
  };
  for (int i = 0; i < 400; ++i) {
    bed.replace(i % 2 == 0 ? drop_all : send_and_set);
    pass_two();
  }
  ends = true;
  packets.join();
  EXPECT_EQ(other, 0u);
  EXPECT_GE(sent, 100u);
  EXPECT_GE(dropped, 100u);
}

}  // namespace
}  // namespace packetwarp::test
