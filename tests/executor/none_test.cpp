// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/none.h"

#include <gtest/gtest.h>

#include "executor/executor_fixture.h"

namespace packetwarp {
namespace {

using none_executor_test = test::executor_fixture;

TEST_F(none_executor_test, forwards_every_packet_unchanged_by_one_egress) {
  none_executor none{ring_, egress_index{3}};
  std::vector<test::bytes> frames;
  for (std::size_t n = 0; n < 100; ++n) {
    frames.push_back(test::packet_builder{}.eth().ipv4().udp(1, 2).payload(n).build());
  }
  publish(frames);
  EXPECT_EQ(none.poll(), 100u);
  auto const done = take_done();
  ASSERT_EQ(done.packets.size(), 100u);
  EXPECT_TRUE(done.is_uniform);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(done.verdicts[i], verdict::forward(egress_index{3})) << i;
    EXPECT_EQ(test::bytes_of(*done.packets[i]), frames[i]) << i;
  }
  free(done);
}

TEST_F(none_executor_test, lets_runts_pass_as_they_are) {
  none_executor none{ring_, egress_index{0}};
  publish({test::to_bytes({1, 2, 3})});
  EXPECT_EQ(none.poll(), 1u);
  auto const done = take_done();
  ASSERT_EQ(done.packets.size(), 1u);
  EXPECT_EQ(done.verdicts[0], verdict::forward(egress_index{0}));
  free(done);
}

TEST_F(none_executor_test, says_0_when_nothing_is_ready) {
  none_executor none{ring_, egress_index{0}};
  EXPECT_EQ(none.poll(), 0u);
  EXPECT_EQ(ring_.next_done(), nullptr);
}

TEST_F(none_executor_test, knows_the_data_path_s_drops_only) {
  none_executor const none{ring_, egress_index{0}};
  EXPECT_EQ(none.name_of(drop_reason::tx_full), "tx_full");
  EXPECT_EQ(none.name_of(function_drop(0)), "");
}

}  // namespace
}  // namespace packetwarp
