// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/load.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.h"
#include "traffic/stl/programs.h"
#include "traffic/usage_text.h"

namespace packetwarp::traffic::stl {
namespace {

using unit = rate::unit;

stream stream_with(rate how_fast, shape when = {}) {
  auto made = udp_stream();
  made.how_fast = how_fast;
  made.when = when;
  return made;
}

TEST(stl_load, every_unit_comes_to_packets) {
  program const sent{
      .name = "p",
      .streams = {stream_with({7, unit::packets_per_second}), stream_with({68 * 8 * 3, unit::l2_bits_per_second}),
                  stream_with({88 * 8 * 5, unit::l1_bits_per_second}), stream_with({50, unit::line_percent})}};
  auto const loads = loads_of(sent, 88 * 8 * 4);
  EXPECT_DOUBLE_EQ(loads[0].packets, 7);
  EXPECT_DOUBLE_EQ(loads[1].packets, 3);
  EXPECT_DOUBLE_EQ(loads[2].packets, 5);
  EXPECT_DOUBLE_EQ(loads[3].packets, 2);
  EXPECT_DOUBLE_EQ(loads[0].l2_bits, 7 * 68 * 8);
  EXPECT_DOUBLE_EQ(loads[0].l1_bits, 7 * 88 * 8);
  EXPECT_THROW((void)loads_of(sent, 0), usage_error);
}

TEST(stl_load, bits_are_of_the_mean_size) {
  auto one = stream_with({1000, unit::packets_per_second});
  one.packet.resize(1500);
  one.steps = {{.what = action::trim, .variable = "v"}};
  auto const bits_with = [&](variable const& sizes) {
    one.variables = {sizes};
    return loads_of({.name = "p", .streams = {one}}, 0)[0].l2_bits;
  };
  EXPECT_DOUBLE_EQ(bits_with({.name = "v", .max = 3, .list = {60, 60, 60, 1500}}), 1000 * (420 + 4) * 8);
  EXPECT_DOUBLE_EQ(bits_with({.name = "v", .min = 60, .max = 1500, .first = 60}), 1000 * (780 + 4) * 8);
}

TEST(stl_load, the_peak_is_of_streams_that_send_at_one_time) {
  program sent{.name = "p",
               .streams = {stream_with({10, unit::packets_per_second}), stream_with({5, unit::packets_per_second})}};
  auto const peak = [&] { return peak_of(sent, loads_of(sent, 0)).packets; };
  EXPECT_DOUBLE_EQ(peak(), 15);
  // They come one after the other: never together.
  sent.streams[0].when = bursts(10);
  sent.streams[0].next = 1;
  sent.streams[1].starts_itself = false;
  EXPECT_DOUBLE_EQ(peak(), 10);
  // A chain that goes in circles is followed once.
  sent.streams[1].when = bursts(1);
  sent.streams[1].next = 0;
  EXPECT_DOUBLE_EQ(peak(), 10);
  sent.streams[0].is_dummy = true;
  EXPECT_DOUBLE_EQ(peak(), 5);
}

TEST(stl_load, a_multiplier_is_a_factor_or_the_rate_of_all) {
  load const peak{.packets = 2000, .l1_bits = 1e6, .l2_bits = 8e5};
  auto const factor = [&](std::string_view text) { return factor_of(parse_multiplier(text), peak, {}, 1e8); };
  EXPECT_DOUBLE_EQ(factor("1.5"), 1.5);
  EXPECT_DOUBLE_EQ(factor("74mpps"), 37'000);
  EXPECT_DOUBLE_EQ(factor("8mbps"), 10);
  EXPECT_DOUBLE_EQ(factor("8mbpsl1"), 8);
  EXPECT_DOUBLE_EQ(factor("50%"), 50);
  EXPECT_TRUE(std::isinf(factor("max")));
  EXPECT_THROW((void)factor_of(parse_multiplier("50%"), peak, {}, 0), usage_error);
  for (auto const* wrong : {"", "0", "2x", "-1", "101%", "."}) EXPECT_THROW((void)parse_multiplier(wrong), usage_error);
}

TEST(stl_load, a_multiplier_leaves_fixed_rates_alone) {
  program sent{
      .name = "p",
      .streams = {stream_with({1000, unit::packets_per_second}), stream_with({200, unit::packets_per_second})}};
  sent.streams[1].has_fixed_rate = true;
  auto const loads = loads_of(sent, 0);
  auto const peak = peak_of(sent, loads), fixed = fixed_of(sent, loads);
  EXPECT_DOUBLE_EQ(peak.packets, 1000);
  EXPECT_DOUBLE_EQ(fixed.packets, 200);
  EXPECT_DOUBLE_EQ(fixed.l2_bits, 200 * 68 * 8);
  EXPECT_DOUBLE_EQ(fixed.l1_bits, 200 * 88 * 8);
  auto const factor = [&](multiplier const& wanted) { return factor_of(wanted, peak, fixed, 88 * 8 * 10'000); };
  EXPECT_DOUBLE_EQ(factor(parse_multiplier("2200pps")), 2);
  EXPECT_DOUBLE_EQ(factor(parse_multiplier("12%")), 1);
  EXPECT_DOUBLE_EQ(factor({.to = rate{68 * 8 * 3200, unit::l2_bits_per_second}}), 3);
  EXPECT_DOUBLE_EQ(factor(parse_multiplier("3")), 3);
  EXPECT_THAT(test::usage_text([&] { (void)factor(parse_multiplier("200pps")); }),
              testing::HasSubstr("-m: 200 pps for all streams, of which the profile's latency streams have 200"));
  EXPECT_DOUBLE_EQ(factor_of(parse_multiplier("5pps"), {}, fixed, 0), 1) << "no stream has another rate";
}

}  // namespace
}  // namespace packetwarp::traffic::stl
