// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"
#include "function/nat44/session_checks.h"

namespace packetwarp::test::nat44_following_tests {
namespace {

// The host's tables follow the GPU's journal. The executor that ends a session and the one that makes the next session
// of the same endpoint tell of it independently, at the same time.
class nat44_following : public testing::Test {
 protected:
  static nat::journal_entry told(nat::event what, std::uint32_t number, unsigned outside_port) {
    return {what, number, nat::key_of(nat::transport::udp, {ipv4("10.0.0.2"), 4000}),
            nat::key_of(nat::transport::udp, {ipv4("203.0.113.1"), static_cast<std::uint16_t>(outside_port)}),
            nat44_table::clock_start};
  }
  void expect_only(std::string const& session) {
    EXPECT_EQ(bed_.sessions(), std::vector<std::string>{session});
    auto const tables = bed_.nat().cpu();
    EXPECT_EQ(check_tables(tables, tables.bucket_mask + 1).live, 1U);
    EXPECT_EQ(bed_.nat().counts_but_live().conflicts, 0U);
  }
  nat44_bed bed_;
};

TEST_F(nat44_following, an_end_and_a_beginning) {
  bed_.nat().follow(told(nat::event::made, 7, 4000));
  expect_only("udp 10.0.0.2:4000 203.0.113.1:4000");
  bed_.nat().follow(told(nat::event::ended, 7, 4000));
  EXPECT_TRUE(bed_.sessions().empty());
  bed_.nat().follow(told(nat::event::made, 9, 5000));
  expect_only("udp 10.0.0.2:4000 203.0.113.1:5000");
}

TEST_F(nat44_following, a_beginning_that_is_told_of_before_the_end) {
  bed_.nat().follow(told(nat::event::made, 7, 4000));
  bed_.nat().follow(told(nat::event::made, 9, 5000));
  expect_only("udp 10.0.0.2:4000 203.0.113.1:5000");
  bed_.nat().follow(told(nat::event::ended, 7, 4000));
  expect_only("udp 10.0.0.2:4000 203.0.113.1:5000");
}

TEST_F(nat44_following, the_end_of_what_is_not_there) {
  bed_.nat().follow(told(nat::event::ended, 7, 4000));
  EXPECT_TRUE(bed_.sessions().empty());
  bed_.nat().follow(told(nat::event::made, 7, 4000));
  bed_.nat().follow(told(nat::event::ended, 8, 4000));
  expect_only("udp 10.0.0.2:4000 203.0.113.1:4000");
}

}  // namespace
}  // namespace packetwarp::test::nat44_following_tests
