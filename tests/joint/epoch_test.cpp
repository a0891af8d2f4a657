// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "joint/epoch_oracle.h"
#include "parity/parity.h"

namespace packetwarp::test {

// Sizes around the room of a group and of a ring with few slots.
constexpr std::array bursts_of_epochs{1u, 7u, 33u, 257u};

// The cpu executor, with and without time that it spends on packets: each packet gets the epoch of its burst.
INSTANTIATE_TEST_SUITE_P(epochs_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(epoch_functions), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(bursts_of_epochs),
                                          testing::ValuesIn(tested_packet_times)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(epochs_apart_on_cpu, parity,
                         testing::Combine(testing::ValuesIn(epoch_functions_apart), testing::Values(on_cpu),
                                          testing::Values(placement::host), testing::ValuesIn(bursts_of_epochs),
                                          testing::ValuesIn(no_packet_time)),
                         name_of);

TEST(epoch_chain, hands_the_epoch_to_each_stage_that_follows_epochs) {
  auto const& tables = oracle<marked_apart>::tables_in({}).cpu;
  auto const in_force = marked_apart::hold(tables, 77);
  EXPECT_EQ(in_force.of<epoch_mark>().epoch, 77u);
  EXPECT_EQ(in_force.of<epoch_mark>().egress, joint_egress);
  EXPECT_EQ(&in_force.of<forward>(), &tables.of<forward>()) << "the other stages have their tables as they are";
}

TEST(epoch_chain, hands_no_epoch_to_a_stage_that_is_off) {
  auto const& tables = switched_marks_oracle<stage_switch::off, stage_switch::on>::tables;
  auto const in_force = switched_marks::hold(tables, 77);
  EXPECT_FALSE(in_force.of<switched<epoch_stamp>>().is_there());
  ASSERT_TRUE(in_force.of<switched<epoch_mark>>().is_there());
  EXPECT_EQ(in_force.of<switched<epoch_mark>>().value().epoch, 77u);
}

}  // namespace packetwarp::test
