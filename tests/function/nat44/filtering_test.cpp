// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_filtering_tests {
namespace {

struct filter_case {
  std::string_view name;
  nat::filtering filtering;
  std::string_view same_address;  // the fate of a packet from another port of the remote address
  std::string_view another;       // the fate of a packet from another address
};

class nat44_filtering : public testing::TestWithParam<filter_case> {
 protected:
  static nat44_config config() {
    auto made = small_nat();
    made.filtering = GetParam().filtering;
    return made;
  }
  std::string_view come_in(std::string_view from, unsigned port) {
    auto packet = coming(outside, from, "203.0.113.1").udp(port, 4000).build();
    return name_of(bed_.process(packet, outside));
  }
  std::string_view go_out(std::string_view to, unsigned port) {
    auto packet = coming(inside, "10.0.0.2", to).udp(4000, port).build();
    return name_of(bed_.process(packet, inside));
  }
  nat44_bed bed_{config()};
};

TEST_P(nat44_filtering, lets_in_what_its_rule_says) {
  ASSERT_EQ(go_out("192.0.2.9", 53), "forward");
  EXPECT_EQ(come_in("192.0.2.9", 53), "forward");
  EXPECT_EQ(come_in("192.0.2.9", 54), GetParam().same_address);
  EXPECT_EQ(come_in("192.0.2.10", 53), GetParam().another);
  ASSERT_EQ(go_out("192.0.2.10", 53), "forward");
  EXPECT_EQ(come_in("192.0.2.10", 53), "forward");
  EXPECT_EQ(bed_.sessions().size(), 1u) << "the mapping is one whatever the filter";
}

TEST_P(nat44_filtering, forgets_where_nothing_is_sent_to_any_more) {
  ASSERT_EQ(go_out("192.0.2.9", 53), "forward");
  for (std::uint32_t now = 200; now <= 1000; now += 200) {
    bed_.nat().tick(now);
    ASSERT_EQ(go_out("192.0.2.10", 53), "forward");
    bed_.nat().maintain();
  }
  EXPECT_EQ(come_in("192.0.2.9", 53), GetParam().another);
  EXPECT_EQ(come_in("192.0.2.10", 53), "forward");
}

INSTANTIATE_TEST_SUITE_P(
    rule, nat44_filtering,
    testing::Values(filter_case{"endpoint_independent", nat::filtering::endpoint_independent, "forward", "forward"},
                    filter_case{"address_dependent", nat::filtering::address_dependent, "forward", "filtered"},
                    filter_case{"address_and_port_dependent", nat::filtering::address_and_port_dependent, "filtered",
                                "filtered"}),
    [](auto const& one) { return std::string{one.param.name}; });

TEST(nat44_filters, as_many_remotes_as_there_is_room_for_then_drops_by_name) {
  auto config = small_nat();
  config.filtering = nat::filtering::address_dependent;
  config.remotes = 4;
  nat44_bed bed{config};
  auto const to = [](unsigned n) {
    return coming(inside, "10.0.0.2", "192.0.2." + std::to_string(n)).udp(4000, 53).build();
  };
  for (unsigned n = 1; n <= 4; ++n) {
    auto packet = to(n);
    ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  }
  expect_refusal(bed, inside, to(5), "remotes_full");
  auto again = to(4);
  EXPECT_EQ(bed.process(again, inside), forwarded(outside));
}

}  // namespace
}  // namespace packetwarp::test::nat44_filtering_tests
