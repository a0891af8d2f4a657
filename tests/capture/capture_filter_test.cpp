// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_filter.h"

#include <gtest/gtest.h>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"

namespace packetwarp {
namespace {

using test::packet_builder;

[[nodiscard]] std::vector<test::bytes> some_frames() {
  return {packet_builder{}.eth().ipv4().udp(53, 4000).payload(20).build(),
          packet_builder{}.eth().ipv4("10.0.0.9", "10.1.0.1").udp(4000, 53).payload(900).build(),
          packet_builder{}.eth().ipv4().options(test::bytes(8, std::byte{1})).tcp(80, 4000).payload(5).build(),
          packet_builder{}.eth().ipv4("192.0.2.1").tcp(4000, 80).payload(1400).build(),
          packet_builder{}.eth().vlan(7).ipv4().udp(1, 53).payload(3).build(),
          packet_builder{}.eth().ipv6().udp(53, 2).payload(3).build(),
          packet_builder{}.eth().ipv6("2001:db8::9").icmp_echo(1, 2).build(),
          packet_builder{}.eth().ipv4().icmp_echo(1, 2).payload(40).build(),
          packet_builder{}.eth().ipv4().protocol(17).fragment(800, 1).payload(64).build(),
          packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build(),
          test::bytes(14, std::byte{0xff}),
          test::bytes(5, std::byte{0x08}),
          test::bytes(3000, std::byte{0x45})};
}

constexpr std::array expressions{"",
                                 "udp",
                                 "udp port 53",
                                 "tcp dst port 80",
                                 "ip6",
                                 "arp or icmp",
                                 "host 192.0.2.1",
                                 "net 10.1.0.0/16 and not tcp",
                                 "vlan 7 and udp port 53",
                                 "greater 500",
                                 "less 60",
                                 "ip[6:2] & 0x1fff != 0",
                                 "tcp[tcpflags] & tcp-syn != 0",
                                 "ether[0] & 1 != 0",
                                 "udp[8:4] = 0x00010203",
                                 "ip[1000] = 0x45 or ether[2000] = 0x45",
                                 "ip6[40] = 128",
                                 "len % 3 = 1 or (len >> 1) * 2 = len"};

// libpcap's own answer for a frame in one piece.
[[nodiscard]] bool expected(filter_program const& program, test::bytes const& frame) {
  auto const size = static_cast<unsigned>(frame.size());
  return bpf_filter(program.data(), reinterpret_cast<unsigned char const*>(frame.data()), size, size) != 0;
}

class capture_filter_test : public testing::Test {
 protected:
  // Frames that do not fit a segment are chains.
  [[nodiscard]] static packet_pool make_pool(std::string const& name, std::uint32_t data_room) {
    return packet_pool{test::small_pool(name, 127, data_room)};
  }
};

TEST_F(capture_filter_test, wants_what_libpcap_wants) {
  unsigned wanted = 0;
  for (std::uint32_t const data_room : {4096u, 128u}) {
    auto const pool = make_pool("whole_" + std::to_string(data_room), data_room);
    for (auto const* expression : expressions) {
      auto const program = compile_filter(expression);
      capture_filter const filter{program, capture_reach::whole_packet};
      for (auto const& frame : some_frames()) {
        auto* const packet = test::make_packet(pool, frame);
        bool const is_expected = expected(program, frame);
        EXPECT_EQ(filter.wants(*packet), is_expected)
            << expression << ", " << frame.size() << " bytes in segments of " << data_room;
        wanted += is_expected ? 1 : 0;
        rte_pktmbuf_free(packet);
      }
    }
  }
  EXPECT_GT(wanted, 60u) << "both answers have come up";
}

TEST_F(capture_filter_test, where_only_the_first_segment_can_be_read_wants_what_that_shows) {
  auto const pool = make_pool("first", 128);
  auto const frame = packet_builder{}.eth().ipv4().udp(53, 4000).payload(900).build();
  auto* const packet = test::make_packet(pool, frame);
  ASSERT_GT(packet->nb_segs, 1);
  auto* const beyond = std::exchange(packet->next->buf_addr, nullptr);  // a read there crashes
  auto const wants = [&](char const* expression) {
    return capture_filter{compile_filter(expression), capture_reach::first_segment}.wants(*packet);
  };
  EXPECT_TRUE(wants("udp port 53"));
  EXPECT_TRUE(wants("greater 500")) << "lengths are the packet's";
  EXPECT_FALSE(wants("tcp"));
  EXPECT_FALSE(wants("ether[500] = ether[500]")) << "cannot be read";
  packet->next->buf_addr = beyond;
  rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace packetwarp
