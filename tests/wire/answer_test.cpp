// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "fixtures/packet_builder.h"
#include "wire/parse.h"

namespace packetwarp::test {
namespace {

using wire::unanswerable;

[[nodiscard]] unanswerable why(bytes const& frame) {
  return wire::why_unanswerable(frame.data(), wire::parse(frame.data(), frame.size()));
}
[[nodiscard]] bytes answer_to(bytes frame, std::int32_t excess) {
  wire::make_answer(frame.data(), frame.size(), wire::parse(frame.data(), frame.size()), excess);
  return frame;
}
[[nodiscard]] packet_builder forth() { return packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:00:02"); }
[[nodiscard]] packet_builder back() { return packet_builder{}.eth("02:00:00:00:00:02", "02:00:00:00:00:01"); }
constexpr unsigned ack = wire::tcp_flag::ack;

TEST(answer, to_tcp_is_the_segment_back_with_the_class_as_its_dscp) {
  auto const asked = forth().ipv4("10.0.0.1", "10.0.0.2").tcp(1000, 80, ack).payload(40).build();
  for (auto const& [excess, dscp] : {std::pair{1, 7U}, std::pair{0, 3U}, std::pair{-5, 3U}}) {
    auto const wanted = back().ipv4("10.0.0.2", "10.0.0.1").tcp(80, 1000, ack).payload(40).build();
    auto got = answer_to(asked, excess);
    EXPECT_EQ(std::to_integer<unsigned>(got[15]), dscp << 2);
    EXPECT_TRUE((wire::ipv4_view<std::byte>{got.data() + 14}.checksum_is_intact()));
    for (auto const at : {15U, 24U, 25U}) got[at] = wanted[at];
    EXPECT_EQ(got, wanted) << "each other byte is that of a segment the other way round";
  }
}

TEST(answer, to_udp_has_the_excess_in_front_of_the_askers_own_bytes) {
  auto const asked = forth().ipv4("10.0.0.1", "10.0.0.2").udp(1000, 53).payload(24).build();
  auto const got = answer_to(asked, 0x01020304);
  EXPECT_EQ(to_hex(std::span{got}.subspan(42, 8)), "5077413101020304");
  EXPECT_EQ(to_hex(std::span{got}.subspan(50)), to_hex(std::span{asked}.subspan(50)));
  wire::internet_sum sum = wire::pseudo_header_sum(wire::ipv4_view<std::byte const>{got.data() + 14}.source(),
                                                   wire::ipv4_view<std::byte const>{got.data() + 14}.destination(),
                                                   wire::ip_protocol::udp, 32);
  EXPECT_TRUE(sum.add(got.data() + 34, 32).is_intact());
}

TEST(answer, to_udp_without_a_checksum_has_none) {
  auto asked = forth().ipv4().udp(1000, 53).payload(24).build();
  asked[40] = asked[41] = std::byte{0};
  auto const got = answer_to(asked, 9);
  EXPECT_EQ(to_hex(std::span{got}.subspan(40, 2)), "0000");
}

TEST(answer, has_no_record_where_it_has_no_room) {
  for (auto const& asked : {forth().ipv4().udp(1, 2).payload(23).build(), forth().ipv6().udp(1, 2).payload(90).build(),
                            forth().vlan(1).vlan(2).vlan(3).ipv4().udp(1, 2).payload(90).build()}) {
    auto const found = wire::parse(asked.data(), asked.size());
    EXPECT_EQ(wire::answer_record_at(found, asked.size()), 0U);
    auto const got = answer_to(asked, 9);
    EXPECT_EQ(to_hex(std::span{got}.subspan(found.payload_offset)),
              to_hex(std::span{asked}.subspan(found.payload_offset)));
  }
  auto const tagged = forth().vlan(1).vlan(2).ipv4().udp(1, 2).payload(24).build();
  EXPECT_EQ(wire::answer_record_at(wire::parse(tagged.data(), tagged.size()), tagged.size()), 50U);
  EXPECT_EQ(wire::answer_record_at(wire::parse(tagged.data(), tagged.size()), 57), 0U) << "the rest lies elsewhere";
}

TEST(answer, to_ipv6_changes_the_traffic_class_and_no_checksum) {
  auto const asked = forth().ipv6("2001:db8::1", "2001:db8::2").udp(1000, 53).payload(4).build();
  auto got = answer_to(asked, 1);
  EXPECT_EQ(wire::load_be<std::uint16_t>(&got[14]), 0x6000U | 7U << 6);
  auto const wanted = back().ipv6("2001:db8::2", "2001:db8::1").udp(53, 1000).payload(4).build();
  std::copy_n(wanted.begin() + 14, 2, got.begin() + 14);
  EXPECT_EQ(got, wanted);
}

TEST(answer, is_not_given_to_what_is_no_question_of_a_host) {
  EXPECT_EQ(why(forth().ipv4().udp(1, 2).payload(4).build()), unanswerable::none);
  EXPECT_EQ(why(forth().arp_request("10.0.0.1", "10.0.0.2").build()), unanswerable::other);
  EXPECT_EQ(why(forth().ipv4("10.0.0.1", "224.0.0.1").udp(1, 2).build()), unanswerable::address);
  EXPECT_EQ(why(forth().ipv4("0.0.0.0", "10.0.0.1").udp(1, 2).build()), unanswerable::address);
  EXPECT_EQ(why(forth().ipv6("2001:db8::1", "ff02::1").udp(1, 2).build()), unanswerable::address);
  EXPECT_EQ(why(packet_builder{}.eth("02:00:00:00:00:01", "ff:ff:ff:ff:ff:ff").ipv4().udp(1, 2).build()),
            unanswerable::address);
  auto cut = forth().ipv4().tcp(1, 2, ack).build();
  cut.resize(14 + 20 + 10);
  EXPECT_EQ(why(cut), unanswerable::header);
  auto piece = forth().ipv4().udp(1, 2).payload(40).build();
  piece[20] = std::byte{0x20};
  EXPECT_EQ(why(piece), unanswerable::fragment);
  EXPECT_EQ(why(answer_to(forth().ipv4().udp(1, 2).payload(4).build(), 1)), unanswerable::answer);
  EXPECT_EQ(why(answer_to(forth().ipv6().udp(1, 2).payload(4).build(), 0)), unanswerable::answer);
}

}  // namespace
}  // namespace packetwarp::test
