// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/foresee.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "feature/traffic.h"

namespace packetwarp::test::features {
namespace {

constexpr std::size_t group = 32;

TEST(feature_foresee, changes_no_row_and_no_count_for_known_new_replaced_and_untracked_packets_of_a_group) {
  constexpr feature::state_sizes few{.flows = 64, .hosts = 64};
  pipeline plain{few};
  feature::feature_state ahead{few, key};
  for (std::uint32_t begin = 0; begin < 5'024; begin += group) {
    auto const epoch = 1 + begin / 40;
    std::array<feature::packet_outlook, group> seen;
    for (std::uint32_t n = 0; n < group; ++n) {
      seen[n].facts = packet_number(begin + n);
      feature::foresee(seen[n], ahead.ref());
    }
    for (auto& one : seen) feature::foresee_further(one, ahead.ref());
    for (std::uint32_t n = 0; n < group; ++n) {
      row made{};
      feature::observe(seen[n], epoch, ahead.ref(), made.data());
      ASSERT_EQ(made, plain.see(packet_number(begin + n), epoch)) << begin + n;
    }
  }
  EXPECT_GT(ahead.ref().flows.counts->replaced, 0U);
  EXPECT_GT(ahead.ref().flows.counts->untracked, 0U);
  EXPECT_EQ(ahead.ref().flows.counts->inserted, plain.ref().flows.counts->inserted);
  EXPECT_EQ(ahead.ref().flows.counts->replaced, plain.ref().flows.counts->replaced);
  EXPECT_EQ(ahead.ref().flows.counts->untracked, plain.ref().flows.counts->untracked);
}

// Packets of an epoch per flow decide, not the flows that the table has.
TEST(feature_spread, is_there_while_most_packets_are_the_first_ones_of_their_flow_in_their_epoch) {
  pipeline one{{.flows = 65'536, .hosts = 1'024}};
  std::uint64_t epoch = 1;
  auto const send = [&](std::uint32_t flows, unsigned packets_per_epoch) {
    for (std::uint32_t n = 0; n < 60'000; ++n) {
      if (n % packets_per_epoch == 0) ++epoch;
      one.see(udp_facts(1, 2, static_cast<std::uint16_t>(n % flows), 53), epoch);
    }
  };
  EXPECT_FALSE(feature::are_spread(one.ref()));
  send(100, 3'000);
  EXPECT_FALSE(feature::are_spread(one.ref()));
  send(20'000, 3'000);
  EXPECT_TRUE(feature::are_spread(one.ref()));
  send(100, 3'000);
  EXPECT_FALSE(feature::are_spread(one.ref())) << "the table still has the records of 20,000 flows";
  send(100, 100);
  EXPECT_TRUE(feature::are_spread(one.ref()));
}

}  // namespace
}  // namespace packetwarp::test::features
