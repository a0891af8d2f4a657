// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_icmp_tests {
namespace {

constexpr std::size_t ip_and_8 = 28;

// The packet on the wire before or after the router, which an error is about.
packet_builder sent(std::string_view source, std::string_view destination) {
  return packet_builder{}.eth().ipv4(source, destination).ttl(50);
}

TEST(nat44_icmp, echo_leaves_with_an_outside_address_and_the_reply_comes_back_by_its_identifier) {
  nat44_bed bed;
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").icmp_echo(7000, 3).payload(20).build(),
                     outside, leaving(outside, "203.0.113.1", "192.0.2.9").icmp_echo(7000, 3).payload(20).build());
  auto taken = coming(inside, "10.0.0.3", "192.0.2.9").icmp_echo(7000, 4).payload(20).build();
  ASSERT_EQ(bed.process(taken, inside), forwarded(outside));
  unsigned const mapped = static_cast<unsigned>(taken[38]) << 8 | static_cast<unsigned>(taken[39]);
  EXPECT_NE(mapped, 7000u);
  EXPECT_EQ(to_hex(taken),
            to_hex(leaving(outside, "203.0.113.1", "192.0.2.9").icmp_echo(mapped, 4).payload(20).build()));
  auto reply = coming(outside, "192.0.2.9", "203.0.113.1").icmp_echo(mapped, 4).payload(20).build();
  auto wanted = leaving(inside, "192.0.2.9", "10.0.0.3").icmp_echo(7000, 4).payload(20).build();
  // A reply is a request with another type; the checksum's first word changes with it.
  for (auto* packet : {&reply, &wanted}) {
    (*packet)[34] = std::byte{0};
    unsigned sum = (static_cast<unsigned>((*packet)[36]) << 8 | static_cast<unsigned>((*packet)[37])) + 0x0800;
    sum = (sum & 0xffff) + (sum >> 16);
    (*packet)[36] = static_cast<std::byte>(sum >> 8);
    (*packet)[37] = static_cast<std::byte>(sum & 0xff);
  }
  expect_translation(bed, outside, reply, inside, wanted);
}

struct error_case {
  std::string_view name;
  unsigned type;
  unsigned code;
  std::size_t length;  // of the packet it holds
};

class nat44_icmp_error : public testing::TestWithParam<error_case> {
 protected:
  nat44_icmp_error() {
    for (auto const* host : {"10.0.0.3", "10.0.0.2"}) {
      auto udp = coming(inside, host, "192.0.2.9").udp(4000, 53).build();
      auto tcp = coming(inside, host, "192.0.2.9").tcp(4000, 80).build();
      auto icmp = coming(inside, host, "192.0.2.9").icmp_echo(4000, 1).build();
      for (auto* packet : {&udp, &tcp, &icmp}) EXPECT_EQ(bed_.process(*packet, inside), forwarded(outside));
      // The second host's ports differ from its own.
      udp_ = static_cast<unsigned>(udp[34]) << 8 | static_cast<unsigned>(udp[35]);
      tcp_ = static_cast<unsigned>(tcp[34]) << 8 | static_cast<unsigned>(tcp[35]);
      icmp_ = static_cast<unsigned>(icmp[38]) << 8 | static_cast<unsigned>(icmp[39]);
    }
  }
  // An error from a router on the way, about a packet that has left.
  void expect_error_comes_in(packet_builder as_outside, packet_builder as_inside) {
    auto const& of = GetParam();
    auto const message = [&](packet_builder const& of_packet) {
      return error_message(of.type, of.code, of_packet.build(), of.length);
    };
    expect_translation(
        bed_, outside, coming(outside, "192.0.2.77", "203.0.113.1").protocol(1).payload(message(as_outside)).build(),
        inside, leaving(inside, "192.0.2.77", "10.0.0.2").protocol(1).payload(message(as_inside)).build());
  }
  // An error from the inside host itself, about a packet that it received.
  void expect_error_goes_out(packet_builder as_inside, packet_builder as_outside) {
    auto const& of = GetParam();
    auto const message = [&](packet_builder const& of_packet) {
      return error_message(of.type, of.code, of_packet.build(), of.length);
    };
    expect_translation(bed_, inside,
                       coming(inside, "10.0.0.2", "192.0.2.9").protocol(1).payload(message(as_inside)).build(), outside,
                       leaving(outside, "203.0.113.1", "192.0.2.9").protocol(1).payload(message(as_outside)).build());
  }

  nat44_bed bed_;
  unsigned udp_{};
  unsigned tcp_{};
  unsigned icmp_{};
};

// RFC 5508, REQ-6.
TEST_P(nat44_icmp_error, keeps_no_session_alive) {
  auto const& of = GetParam();
  auto const has_session = testing::Contains(testing::HasSubstr("udp 10.0.0.2:4000"));
  EXPECT_THAT(bed_.sessions(), has_session);
  auto const message =
      error_message(of.type, of.code, sent("192.0.2.9", "10.0.0.2").udp(53, 4000).payload(40).build(), of.length);
  bed_.nat().tick(300);
  auto packet = coming(inside, "10.0.0.2", "192.0.2.9").protocol(1).payload(message).build();
  EXPECT_EQ(bed_.process(packet, inside), forwarded(outside));
  bed_.nat().tick(301);
  bed_.nat().maintain();
  EXPECT_THAT(bed_.sessions(), testing::Not(has_session));
}

TEST_P(nat44_icmp_error, about_udp_comes_in_with_the_packet_as_the_host_sent_it) {
  expect_error_comes_in(sent("203.0.113.1", "192.0.2.9").udp(udp_, 53).payload(40),
                        sent("10.0.0.2", "192.0.2.9").udp(4000, 53).payload(40));
}
TEST_P(nat44_icmp_error, about_udp_without_a_checksum_comes_in) {
  expect_error_comes_in(sent("203.0.113.1", "192.0.2.9").udp(udp_, 53).no_checksum().payload(40),
                        sent("10.0.0.2", "192.0.2.9").udp(4000, 53).no_checksum().payload(40));
}
TEST_P(nat44_icmp_error, about_tcp_comes_in) {
  expect_error_comes_in(sent("203.0.113.1", "192.0.2.9").tcp(tcp_, 80).payload(40),
                        sent("10.0.0.2", "192.0.2.9").tcp(4000, 80).payload(40));
}
TEST_P(nat44_icmp_error, about_an_echo_comes_in) {
  expect_error_comes_in(sent("203.0.113.1", "192.0.2.9").icmp_echo(icmp_, 9).payload(40),
                        sent("10.0.0.2", "192.0.2.9").icmp_echo(4000, 9).payload(40));
}
TEST_P(nat44_icmp_error, about_udp_goes_out_with_the_packet_as_it_was_outside) {
  expect_error_goes_out(sent("192.0.2.9", "10.0.0.2").udp(53, 4000).payload(40),
                        sent("192.0.2.9", "203.0.113.1").udp(53, udp_).payload(40));
}
TEST_P(nat44_icmp_error, about_tcp_goes_out) {
  expect_error_goes_out(sent("192.0.2.9", "10.0.0.2").tcp(80, 4000, 0x10).payload(40),
                        sent("192.0.2.9", "203.0.113.1").tcp(80, tcp_, 0x10).payload(40));
}

INSTANTIATE_TEST_SUITE_P(of, nat44_icmp_error,
                         testing::Values(error_case{"port_unreachable", 3, 3, ip_and_8},
                                         error_case{"fragmentation_needed", 3, 4, 60},
                                         error_case{"time_exceeded", 11, 0, 40},
                                         error_case{"parameter_problem", 12, 0, 68}),
                         [](auto const& one) { return std::string{one.param.name}; });

TEST(nat44_icmp, an_error_of_a_router_inside_leaves_with_the_outside_address) {
  nat44_bed bed;
  auto udp = coming(inside, "10.0.0.2", "192.0.2.9").udp(4000, 53).build();
  ASSERT_EQ(bed.process(udp, inside), forwarded(outside));
  auto const as_inside = error_message(11, 0, sent("192.0.2.9", "10.0.0.2").udp(53, 4000).build(), ip_and_8);
  auto const as_outside = error_message(11, 0, sent("192.0.2.9", "203.0.113.1").udp(53, 4000).build(), ip_and_8);
  expect_translation(bed, inside, coming(inside, "10.0.0.4", "192.0.2.9").protocol(1).payload(as_inside).build(),
                     outside, leaving(outside, "203.0.113.1", "192.0.2.9").protocol(1).payload(as_outside).build());
}

TEST(nat44_icmp, an_error_makes_no_session_and_one_that_belongs_to_none_is_dropped) {
  nat44_bed bed;
  auto const about = sent("192.0.2.9", "10.0.0.2").udp(53, 4000).build();
  expect_refusal(
      bed, inside,
      coming(inside, "10.0.0.2", "192.0.2.9").protocol(1).payload(error_message(3, 3, about, ip_and_8)).build(),
      "no_session");
  EXPECT_TRUE(bed.sessions().empty());
}

TEST(nat44_icmp, an_error_whose_content_cannot_be_true_is_dropped_as_it_is) {
  nat44_bed bed;
  auto const about = sent("203.0.113.1", "192.0.2.9").udp(4000, 53).payload(30).build();
  auto const error = [&](bytes const& held, std::size_t length) {
    return coming(outside, "192.0.2.77", "203.0.113.1").protocol(1).payload(error_message(3, 3, held, length)).build();
  };
  auto cut = error(about, 27);
  expect_refusal(bed, outside, cut, "bad_icmp_error");
  auto damaged = about;
  damaged[14 + 8] = std::byte{1};  // the time to live, which its header's checksum covers
  expect_refusal(bed, outside, error(damaged, ip_and_8), "bad_icmp_error");
  auto bad_sum = error(about, ip_and_8);
  bad_sum[37] ^= std::byte{1};
  expect_refusal(bed, outside, bad_sum, "bad_icmp_error");
  auto const of_another = sent("203.0.113.99", "192.0.2.9").udp(4000, 53).payload(30).build();
  expect_refusal(bed, outside, error(of_another, ip_and_8), "bad_icmp_error");
  auto const about_error =
      sent("203.0.113.1", "192.0.2.9").protocol(1).payload(error_message(3, 3, about, ip_and_8)).build();
  expect_refusal(bed, outside, error(about_error, 56), "bad_icmp_error");
  auto const later = sent("203.0.113.1", "192.0.2.9").fragment(64, 0).protocol(17).payload(30).build();
  expect_refusal(bed, outside, error(later, ip_and_8), "bad_icmp_error");
}

TEST(nat44_icmp, other_types_are_dropped_by_name) {
  nat44_bed bed;
  expect_refusal(
      bed, inside,
      coming(inside, "10.0.0.2", "192.0.2.9").protocol(1).payload(to_bytes({5, 0, 0, 0, 0, 0, 0, 0})).build(),
      "icmp_type");
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").protocol(1).payload(7).build(),
                 "transport_truncated");
}

}  // namespace
}  // namespace packetwarp::test::nat44_icmp_tests
