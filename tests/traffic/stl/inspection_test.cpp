// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/inspection.h"

#include <gmock/gmock.h>

#include "traffic/stl/packet_maker.h"
#include "traffic/stl/programs.h"

namespace packetwarp::traffic::stl {
namespace {

constexpr std::uint16_t l3 = 14, source_address = 26, udp = 34, source_port = 34, total_length = 16, payload = 42;

step write_at(std::uint16_t at, std::uint8_t size) {
  return {.what = action::write, .variable = "v", .at = at, .size = size};
}

program with(std::vector<step> steps) {
  program made{.name = "p", .streams = {udp_stream()}};
  made.streams[0].variables = {{.name = "v", .how = progress::inc, .min = 64, .max = 255, .first = 64}};
  made.streams[0].steps = std::move(steps);
  return made;
}

inspection depth_with(std::vector<step> steps) { return deepest_inspection(with(std::move(steps))); }

step const fixes_header{.what = action::fix_ipv4, .at = l3};
step const fixes_both{.what = action::fix_udp, .at = udp, .l3_at = l3};

TEST(stl_inspection, goes_as_deep_as_what_the_steps_keep_right) {
  EXPECT_EQ(depth_with({}), inspection::checksums);
  EXPECT_EQ(depth_with({write_at(source_port, 2)}), inspection::headers);
  EXPECT_EQ(depth_with({write_at(payload, 1)}), inspection::headers);
  EXPECT_EQ(depth_with({write_at(0, 4)}), inspection::checksums);
  EXPECT_EQ(depth_with({write_at(source_port, 2), fixes_both}), inspection::checksums);
  EXPECT_EQ(depth_with({fixes_both, write_at(source_port, 2)}), inspection::headers);
  EXPECT_EQ(depth_with({write_at(source_address, 4)}), inspection::number);
  EXPECT_EQ(depth_with({write_at(source_address, 4), fixes_header}), inspection::headers);
  EXPECT_EQ(depth_with({write_at(source_address, 4), fixes_both}), inspection::checksums);
  EXPECT_EQ(depth_with({write_at(total_length, 2), fixes_both}), inspection::number);
  EXPECT_EQ(depth_with({{.what = action::trim, .variable = "v"}}), inspection::number);
}

// Two tags: EtherTypes at 12, 16 and 20, priorities and IDs at 14 and 18, and IPv4 from 22 on.
TEST(stl_inspection, the_id_of_a_vlan_tag_is_no_layout_and_its_type_is) {
  auto const depth = [](std::uint16_t at, std::uint8_t size, action what = action::write_masked) {
    auto sent = with({{.what = what, .variable = "v", .at = at, .size = size, .mask = 0xfff}});
    sent.streams[0].packet = build_frame(parse_template("vlan/vlan/ipv4/udp"), frame_size{68});
    return deepest_inspection(sent);
  };
  EXPECT_EQ(depth(14, 2), inspection::checksums);
  EXPECT_EQ(depth(18, 2, action::write), inspection::checksums);
  EXPECT_EQ(depth(12, 2), inspection::number);
  EXPECT_EQ(depth(14, 4), inspection::number);
  EXPECT_EQ(depth(17, 1), inspection::number);
  EXPECT_EQ(depth(19, 2), inspection::number);
  EXPECT_EQ(depth(20, 1), inspection::number);
  EXPECT_EQ(depth(22, 1), inspection::number);
}

// The packets are judged by the claim about all packets, so it must not be made too easily.
TEST(stl_inspection, what_it_says_holds_for_the_packets) {
  for (auto const at : {0, 6, 15, 19, 22, 26, 30, 34, 36, 42}) {
    for (auto const& fix : {fixes_header, fixes_both}) {
      auto const sent = with({write_at(static_cast<std::uint16_t>(at), 1), fix});
      packet_maker const maker{sent.streams[0]};
      std::vector<std::byte> frame(maker.largest_length());
      for (std::uint64_t i = 0; i < 50; ++i) {
        maker.write(i, 0, frame.data());
        EXPECT_TRUE(passes(frame, deepest_inspection(sent))) << at << ", packet " << i;
      }
    }
  }
}

TEST(stl_inspection, a_packet_with_a_wrong_byte_does_not_pass) {
  auto frame = udp_stream().packet;
  EXPECT_TRUE(passes(frame, inspection::checksums));
  frame[payload] ^= std::byte{1};
  EXPECT_TRUE(passes(frame, inspection::headers));
  EXPECT_FALSE(passes(frame, inspection::checksums));
  frame[source_address] ^= std::byte{1};
  EXPECT_FALSE(passes(frame, inspection::headers));
  EXPECT_TRUE(passes(frame, inspection::number));
  EXPECT_FALSE(passes(std::span{frame}.first(20), inspection::headers));
}

TEST(stl_inspection, the_least_of_all_streams_counts) {
  auto sent = with({});
  sent.streams.push_back(with({write_at(source_port, 2)}).streams[0]);
  EXPECT_EQ(deepest_inspection(sent), inspection::headers);
}

}  // namespace
}  // namespace packetwarp::traffic::stl
