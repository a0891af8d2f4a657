// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/program.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "traffic/stl/packet_maker.h"
#include "traffic/stl/programs.h"

namespace packetwarp::traffic::stl {
namespace {

using testing::HasSubstr;

constexpr std::string_view good = R"({"profile": "p.py", "notices": ["n"], "streams": [{
  "name": "s", "self_start": true, "isg_us": 2.5, "next": 0, "action_count": 4, "seed": 9, "is_dummy": false,
  "packet": "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff0011223344556677",
  "mode": {"kind": "bursts", "packets": 3, "bursts": 2, "gap_us": 7.0}, "rate": {"unit": "bps_l1", "value": 5e6},
  "variables": [{"name": "v", "op": "dec", "min": 1, "max": 9, "init": 9, "step": 2}],
  "steps": [{"do": "write", "variable": "v", "size": 2, "add": -1, "at": 4, "order": "little"},
            {"do": "write", "variable": "v", "size": 1, "add": 0, "at": 8, "order": "big", "mask": 15, "shift": -1}]}]})";

std::string error_of(std::string const& text) {
  try {
    (void)parse_program(text);
  } catch (failure const& wrong) {
    return wrong.what();
  }
  return {};
}

TEST(stl_program, is_read_as_it_is_written) {
  auto const read = parse_program(good);
  EXPECT_EQ(read.name, "p.py");
  ASSERT_EQ(read.streams.size(), 1U);
  auto const& one = read.streams[0];
  EXPECT_EQ(one.packet.size(), 40U);
  EXPECT_EQ(one.packet[1], std::byte{0x11});
  EXPECT_EQ(one.when.packets * one.when.bursts, 6U);
  EXPECT_EQ(one.how_fast, (rate{5e6, rate::unit::l1_bits_per_second}));
  EXPECT_EQ(one.next, 0U);
  EXPECT_FALSE(one.has_fixed_rate);
  EXPECT_EQ(one.most_rounds, 4U);
  ASSERT_EQ(one.steps.size(), 2U);
  EXPECT_EQ(one.steps[0].what, action::write);
  EXPECT_EQ(one.steps[1].what, action::write_masked);
}

TEST(stl_program, has_streams_whose_rate_is_fixed) {
  std::string text{good};
  text.replace(text.find("\"seed\""), 0, "\"fixed_rate\": true, ");
  EXPECT_TRUE(parse_program(text).streams[0].has_fixed_rate);
}

TEST(stl_program, its_packets_are_written) {
  packet_maker const maker{parse_program(good).streams[0]};
  std::vector<std::byte> frame(maker.largest_length());
  maker.write(1, 0, frame.data());  // 9, 7
  EXPECT_EQ(frame[4], std::byte{6});
  EXPECT_EQ(frame[5], std::byte{0});
  EXPECT_EQ(frame[8], std::byte{0x83});  // the low half of 0x88 by 7 >> 1
}

TEST(stl_program, no_frame_is_cut_to_less_than_ethernets_least) {
  auto sent = udp_stream();  // 64 bytes
  sent.steps = {{.what = action::trim, .variable = "v"}};
  auto const with = [&](std::uint64_t min, std::uint64_t max) {
    sent.variables = {{.name = "v", .min = min, .max = max, .first = min}};
    return sent;
  };
  EXPECT_EQ(packet_maker{with(60, 64)}.length(1), 61U);
  EXPECT_THROW(packet_maker{with(59, 64)}, failure);
  EXPECT_THROW(packet_maker{with(60, 65)}, failure);
}

TEST(stl_program, what_makes_no_sense_is_one_line) {
  auto const in = [](std::string text, std::string_view what, std::string_view with) {
    text.replace(text.find(what), what.size(), with);
    return text;
  };
  EXPECT_THAT(error_of("{"), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of("[]"), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of(in(std::string{good}, "\"at\": 4", "\"at\": 39")), HasSubstr("beyond the packet's end"));
  EXPECT_THAT(error_of(in(std::string{good}, "\"size\": 2", "\"size\": 3")), HasSubstr("odd size"));
  EXPECT_THAT(error_of(in(std::string{good}, "\"next\": 0", "\"next\": 1")), HasSubstr("comes next is not there"));
  EXPECT_THAT(error_of(in(std::string{good}, "\"max\": 9", "\"max\": 0")), HasSubstr("no order"));
  EXPECT_THAT(error_of(in(std::string{good}, "5e6", "0")), HasSubstr("not above 0"));
  EXPECT_THAT(error_of(in(std::string{good}, "\"do\": \"write\"", "\"do\": \"dance\"")),
              HasSubstr("'dance' is unknown"));
  EXPECT_THAT(error_of(in(std::string{good}, "001122", "00112x")), HasSubstr("hexadecimal"));
  EXPECT_THAT(error_of(in(std::string{good}, "001122", "00112")), HasSubstr("hexadecimal"));
  EXPECT_THAT(error_of(R"({"profile": "p", "notices": [], "streams": []})"), HasSubstr("there is no stream"));
  EXPECT_THROW(
      packet_maker{parse_program(in(std::string{good}, "\"variable\": \"v\"", "\"variable\": \"w\"")).streams[0]},
      failure);
}

}  // namespace
}  // namespace packetwarp::traffic::stl
