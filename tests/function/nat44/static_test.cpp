// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "base/error.h"
#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_static_tests {
namespace {

nat44_config with_forward(std::string_view outside_address) {
  auto config = small_nat();
  config.port_forwards = {{nat::transport::tcp, at("10.0.0.2", 8080), at(outside_address, 80)}};
  return config;
}

class nat44_port_forward : public testing::TestWithParam<std::string> {};

TEST_P(nat44_port_forward, lets_anyone_in_and_the_answer_out_and_never_ages) {
  auto config = with_forward(GetParam());
  config.filtering = nat::filtering::address_and_port_dependent;
  nat44_bed bed{config};
  for (std::uint32_t now : {0u, 100'000u}) {
    bed.nat().tick(now);
    bed.nat().maintain();
    expect_translation(bed, outside, coming(outside, "192.0.2.9", GetParam()).tcp(1234, 80).build(), inside,
                       leaving(inside, "192.0.2.9", "10.0.0.2").tcp(1234, 8080).build());
    expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").tcp(8080, 1234, 0x12).build(), outside,
                       leaving(outside, GetParam(), "192.0.2.9").tcp(80, 1234, 0x12).build());
  }
  EXPECT_EQ(bed.sessions().size(), 1u);
}
// An address of the pool, the router's own, and one of the forward's own.
INSTANTIATE_TEST_SUITE_P(at, nat44_port_forward, testing::Values("203.0.113.1", "198.51.100.1", "203.0.113.50"),
                         [](auto const& one) {
                           std::string name = one.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

[[nodiscard]] bytes as_bytes(std::initializer_list<unsigned> numbers) {
  bytes made;
  for (auto const one : numbers) made.push_back(static_cast<std::byte>(one));
  return made;
}
// The checksum of the payload and the pseudo header: 0 if the one within is right.
[[nodiscard]] std::uint16_t sum_with_addresses(bytes const& frame) {
  auto const number = [&](std::size_t at) { return at < frame.size() ? std::to_integer<std::uint32_t>(frame[at]) : 0; };
  auto sum = number(23) + static_cast<std::uint32_t>(frame.size()) - 34;
  for (std::size_t at = 26; at < frame.size(); at += 2) sum += number(at) << 8 | number(at + 1);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

TEST(nat44_static, the_checksums_of_dccp_and_udp_lite_follow_the_address) {
  auto config = small_nat();
  config.static_addresses = {{ipv4("10.0.0.4"), ipv4("203.0.113.4")}};
  nat44_bed bed{config};
  constexpr unsigned dccp = 33, udp_lite = 136, sctp = 132;
  for (auto const protocol : {dccp, udp_lite, sctp}) {
    auto payload = as_bytes({0x0f, 0xa0, 0x00, 0x35, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8});
    auto const right =
        sum_with_addresses(coming(inside, "10.0.0.4", "192.0.2.9").protocol(protocol).payload(payload).build());
    payload[6] = static_cast<std::byte>(right >> 8);
    payload[7] = static_cast<std::byte>(right);
    auto packet = coming(inside, "10.0.0.4", "192.0.2.9").protocol(protocol).payload(payload).build();
    ASSERT_EQ(sum_with_addresses(packet), 0);
    ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
    EXPECT_EQ(sum_with_addresses(packet) == 0, protocol != sctp) << protocol << ": SCTP's covers no address";
    EXPECT_EQ(std::equal(payload.begin(), payload.end(), packet.begin() + 34), protocol == sctp);
  }
  auto const short_header = as_bytes({1, 2, 3, 4, 5, 6, 7});
  auto cut = coming(inside, "10.0.0.4", "192.0.2.9").protocol(udp_lite).payload(short_header).build();
  ASSERT_EQ(bed.process(cut, inside), forwarded(outside));
  EXPECT_TRUE(std::equal(short_header.begin(), short_header.end(), cut.begin() + 34)) << "it has no checksum";
}

TEST(nat44_static, a_port_that_is_forwarded_is_given_to_no_session) {
  auto config = small_nat();
  config.port_forwards = {{nat::transport::udp, at("10.0.0.2", 53), at("203.0.113.1", 5300)}};
  nat44_bed bed{config};
  auto packet = coming(inside, "10.0.0.3", "192.0.2.9").udp(5300, 9).build();
  ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  EXPECT_NE(static_cast<unsigned>(packet[34]) << 8 | static_cast<unsigned>(packet[35]), 5300u);
}

TEST(nat44_static, ports_in_use_of_each_outside_address_are_those_of_sessions_and_forwards) {
  auto config = small_nat();
  config.first_port = 1000;  // some below 1024, which are a set of their own
  config.pool = {{ipv4("203.0.113.1"), ipv4("203.0.113.2"), static_cast<std::uint32_t>(outside)}};
  config.pooling = nat::pooling::arbitrary;
  config.port_forwards = {{nat::transport::tcp, at("10.0.0.2", 80), at("203.0.113.1", 8080)},
                          {nat::transport::udp, at("10.0.0.2", 53), at("203.0.113.50", 5300)}};
  nat44_bed bed{config};
  for (std::uint16_t port = 1010; port < 1030; ++port) {
    auto packet = coming(inside, "10.0.0.3", "192.0.2.9").udp(port, 9).build();
    ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  }
  std::uint32_t of_udp = 0;
  std::vector<std::string> seen;
  for (std::uint32_t n = 0; n < bed.nat().outside_positions(); ++n) {
    auto const one = bed.nat().outside_use(n);
    if (!one) continue;
    seen.push_back(wire::to_text(one->address));
    EXPECT_TRUE(one->is_configured);
    bool const is_pool = one->gift == nat::gift_to(static_cast<std::uint32_t>(outside));
    EXPECT_EQ(is_pool, seen.back() != "203.0.113.50");
    if (is_pool) of_udp += one->ports[0];
    EXPECT_EQ(one->ports[1], seen.back() == "203.0.113.1" ? 1u : 0u);
    EXPECT_EQ(one->ports[2], 0u);
  }
  EXPECT_EQ(of_udp, 20u);
  EXPECT_EQ(seen, (std::vector<std::string>{"203.0.113.1", "203.0.113.2", "203.0.113.50"}));
}

TEST(nat44_static, an_address_of_its_own_is_translated_with_all_ports_and_protocols) {
  auto config = small_nat();
  config.static_addresses = {{ipv4("10.0.0.3"), ipv4("203.0.113.33")}};
  nat44_bed bed{config};
  expect_translation(bed, inside, coming(inside, "10.0.0.3", "192.0.2.9").udp(99, 53).build(), outside,
                     leaving(outside, "203.0.113.33", "192.0.2.9").udp(99, 53).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.33").tcp(1, 22).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").tcp(1, 22).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.33").icmp_echo(7, 1).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").icmp_echo(7, 1).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.33").protocol(47).payload(16).build(),
                     inside, leaving(inside, "192.0.2.9", "10.0.0.3").protocol(47).payload(16).build());
  auto const as_outside = packet_builder{}.eth().ipv4("203.0.113.33", "192.0.2.9").protocol(47).payload(16).build();
  auto const as_inside = packet_builder{}.eth().ipv4("10.0.0.3", "192.0.2.9").protocol(47).payload(16).build();
  expect_translation(
      bed, outside,
      coming(outside, "192.0.2.77", "203.0.113.33").protocol(1).payload(error_message(3, 2, as_outside, 28)).build(),
      inside,
      leaving(inside, "192.0.2.77", "10.0.0.3").protocol(1).payload(error_message(3, 2, as_inside, 28)).build());
  EXPECT_TRUE(bed.sessions().empty());
}

void expect_refused(nat44_config const& config, std::string_view part) {
  try {
    nat44_table const table{config};
    FAIL() << part;
  } catch (usage_error const& error) {
    EXPECT_NE(std::string_view{error.what()}.find(part), std::string_view::npos) << error.what();
  }
}

TEST(nat44_static, a_config_that_makes_no_sense_is_refused_with_what_to_do) {
  auto config = small_nat();
  config.pool = {{ipv4("203.0.113.9"), ipv4("203.0.113.1")}};
  expect_refused(config, "the first address is above the last");
  config.pool = {{ipv4("203.0.0.0"), ipv4("203.0.255.255")}};
  expect_refused(config, "more than 4096");
  config = small_nat();
  config.first_port = 2000;
  config.last_port = 1000;
  expect_refused(config, "no range of ports");
  config = small_nat();
  config.sessions = 0;
  expect_refused(config, "0 is not one of 1 to 16777216");
  config = small_nat();
  config.journal = 1000;
  expect_refused(config, "no power of two");
  config = small_nat();
  config.timeouts.udp = 0;
  expect_refused(config, "timeout udp");
  config = small_nat();
  config.static_addresses = {{ipv4("10.0.0.3"), ipv4("203.0.113.1")}};
  expect_refused(config, "in the pool");
  config.static_addresses = {{ipv4("10.0.0.3"), ipv4("203.0.113.7")}, {ipv4("10.0.0.3"), ipv4("203.0.113.8")}};
  expect_refused(config, "given twice");
  config = with_forward("203.0.113.1");
  config.port_forwards.push_back(config.port_forwards.front());
  expect_refused(config, "given twice");
  config.port_forwards = {{nat::transport::none, at("10.0.0.2", 1), at("203.0.113.1", 1)}};
  expect_refused(config, "needs udp, tcp or icmp");
}

}  // namespace
}  // namespace packetwarp::test::nat44_static_tests
