// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "function/chain/chain_bed.h"
#include "function/switched.h"

namespace packetwarp::test {
namespace {

using short_way = last_byte_fixture;

TEST_F(short_way, is_open_to_packets_that_pass_other_stages_hooks) {
  using F = chain<last_byte, short_cut, router>;
  static_assert(looks_ahead_jointly<F>);
  std::vector<bytes> packets;
  std::vector<verdict> wanted;
  for (unsigned n = 0; n < 70; ++n) {
    bool const is_ipv6 = n % 5 == 0;
    packets.push_back(ending_with(n % 4, is_ipv6 ? ipv6() : ipv4()));
    wanted.push_back(n % 4 == 1   ? drop<F>(0)
                     : n % 4 == 2 ? drop<F>(1)
                     : is_ipv6    ? by_gateway
                                  : verdict::forward(short_cut::way_out));
  }
  EXPECT_EQ(said_of<F>({{}, {}, {routes()}}, packets), wanted);
}

// A stage that does not say of which packets it has nothing to say has to see them all.
TEST_F(short_way, is_closed_where_another_stage_does_not_say_what_passes_it) {
  static_assert(!chain<witness<'a'>, short_cut, router>::has_a_short_way);
  static_assert(chain<short_cut, router>::has_a_short_way);
  using F = chain<switched<witness<'a'>>, short_cut, router>;
  static_assert(F::has_a_short_way, "off, it has nothing to say of any");
  std::string met;
  EXPECT_EQ(said_of<F>({{{{&met}, 0}}, {}, {routes()}}, {ipv4()}).front(), verdict::forward(short_cut::way_out));
  EXPECT_EQ(said_of<F>({{{{&met}, 1}}, {}, {routes()}}, {ipv4()}).front(), by_gateway);
  EXPECT_EQ(met, " a.pre_route0 a.routed1 a.post_route2");
}

// Looking ahead serves no packet if the stage is off.
TEST_F(short_way, is_not_looked_for_where_its_stage_is_off) {
  using F = chain<switched<short_cut>, router>;
  for (std::uint32_t const is_on : {0U, 1U}) {
    F::ref const tables{{{{}, is_on}}, {routes()}};
    EXPECT_EQ(gains_by_looking_ahead<F>(F::hold(tables)), is_on != 0);
    EXPECT_EQ(said_of<F>(tables, {ipv4()}).front(), is_on != 0 ? verdict::forward(short_cut::way_out) : by_gateway);
  }
  EXPECT_TRUE((gains_by_looking_ahead<chain<short_cut, router>>(chain<short_cut, router>::hold({{}, {routes()}}))));
}

}  // namespace
}  // namespace packetwarp::test
