// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/grace_period.h"

#include <optional>

#include "master/forwarding_fixture.h"

namespace packetwarp::test {
namespace {

class grace : public forwarding_fixture {};

TEST_F(grace, lasts_until_all_that_came_before_has_left) {
  constexpr unsigned looks_at_a_full_port = 200;
  send(depth_in);  // more than the room of the far wire
  std::optional<grace_period> period;
  unsigned looks = 0;
  bool is_over = false;
  run([&](data_plane& plane, supervisor& inner) {
    if (!period) {
      if (plane.totals().rx_packets <= depth_out) return;
      period.emplace(plane);
      EXPECT_TRUE(period->is_over()) << "none was begun";
      period->begin();
    }
    if (looks++ < looks_at_a_full_port) {
      EXPECT_FALSE(period->is_over());
      return;
    }
    collect();
    is_over = is_over || period->is_over();
    if (is_over && arrived_.size() == sent_) inner.finish();
  });
  EXPECT_TRUE(is_over);
  EXPECT_EQ(arrived_, numbers(sent_));
}

TEST_F(grace, ends_without_packets_and_may_begin_again) {
  std::optional<grace_period> period;
  unsigned times = 0;
  run([&](data_plane& plane, supervisor& inner) {
    if (!period) period.emplace(plane);
    if (!period->is_over()) return;
    if (times == 10 || ++times == 10) return inner.finish();
    period->begin();  // workers may have iterated before the first question
  });
  EXPECT_EQ(times, 10u);
}

}  // namespace
}  // namespace packetwarp::test
