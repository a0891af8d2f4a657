// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/checksum.h"

#include <gtest/gtest.h>

#include <random>

#include "fixtures/packet_builder.h"
#include "wire/ipv4.h"

namespace packetwarp::wire {
namespace {

TEST(checksum, of_the_example_in_rfc_1071_is_the_one_it_gives) {
  auto const example = test::to_bytes({0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7});
  internet_sum const sum = internet_sum{}.add(example.data(), example.size());
  EXPECT_EQ(sum.folded(), 0xddf2);  // RFC 1071, 3
  EXPECT_EQ(sum.checksum(), 0x220d);
}

TEST(checksum, pads_an_odd_last_byte_with_zero) {
  auto const odd = test::to_bytes({0x12, 0x34, 0x56});
  EXPECT_EQ(internet_sum{}.add(odd.data(), odd.size()).folded(), 0x1234 + 0x5600);
}

TEST(checksum, is_the_same_at_compile_time) {
  static constexpr std::byte bytes[]{std::byte{0x00}, std::byte{0x01}, std::byte{0xf2}, std::byte{0x03},
                                     std::byte{0xf4}, std::byte{0xf5}, std::byte{0xf6}};
  constexpr std::uint16_t at_compile_time = internet_sum{}.add(bytes, sizeof bytes).folded();
  EXPECT_EQ(internet_sum{}.add(bytes, sizeof bytes).folded(), at_compile_time);
}

TEST(checksum, of_every_length_equals_the_sum_of_its_words) {
  std::mt19937 random{1};
  test::bytes data(9600);
  for (auto& one : data) one = static_cast<std::byte>(random());
  for (auto length : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 20U, 63U, 64U, 65U, 1500U, 1501U, 9599U, 9600U}) {
    std::uint64_t plain = 0;
    for (std::size_t i = 0; i < length; ++i) plain += static_cast<std::uint64_t>(data[i]) << (i % 2 == 0 ? 8 : 0);
    while (plain >> 16 != 0) plain = (plain & 0xffff) + (plain >> 16);
    EXPECT_EQ(internet_sum{}.add(data.data(), length).folded(), plain) << length;
  }
}

// Every addition carries.
TEST(checksum, of_all_ones_of_any_length_is_all_ones_and_intact) {
  test::bytes const ones(64, std::byte{0xff});
  for (std::size_t length = 2; length <= ones.size(); length += 2) {
    EXPECT_EQ(internet_sum{}.add(ones.data(), length).folded(), 0xffff) << length;
    EXPECT_TRUE(sum_is_intact(ones.data(), length)) << length;
  }
  EXPECT_FALSE(sum_is_intact(ones.data(), 0));
}

TEST(checksum, folds_with_every_carry_put_back_in) {
  EXPECT_EQ(fold_sum(0), 0);
  EXPECT_EQ(fold_sum(0xffff), 0xffff);
  EXPECT_EQ(fold_sum(0x1'0000), 1);
  EXPECT_EQ(fold_sum(0x1'ffff), 1);
  EXPECT_EQ(fold_sum(0xffff'ffff), 0xffff);
  EXPECT_EQ(fold_sum(0x1'0000'0000), 1);
  EXPECT_EQ(fold_sum(0xffff'ffff'0000'0001), 1);
  EXPECT_EQ(fold_sum(0xffff'ffff'ffff'ffff), 0xffff);
}

TEST(checksum, update_of_the_example_in_rfc_1624_is_zero_and_not_all_ones) {
  // RFC 1624, 4: HC = 0xdd2f, m = 0x5555, m' = 0x3285; equation 3 gives 0x0000 where equation 2 gave 0xffff.
  EXPECT_EQ(checksum_update{}.replace16(0x5555, 0x3285).apply(0xdd2f), 0x0000);
}

TEST(checksum, updates_equal_a_new_sum_for_random_changes) {
  std::mt19937_64 random{2};
  test::bytes header = test::packet_builder{}.ipv4().payload(0).build();
  ipv4_view ip{header.data()};
  for (int round = 0; round < 20000; ++round) {
    ip.fill_checksum();
    checksum_update update;
    ipv4_address const source{static_cast<std::uint32_t>(random())};
    auto const identification = static_cast<std::uint16_t>(random());
    update.replace32(ip.source().number, source.number).replace16(ip.identification(), identification);
    ip.set_checksum(update.apply(ip.checksum()));
    ip.set_source(source);
    ip.set_identification(identification);
    ASSERT_TRUE(ip.checksum_is_intact());
  }
}

TEST(checksum, updates_of_whole_ipv6_addresses_equal_a_new_sum) {
  ipv6_address const before{0x20010db800000000, 1};
  ipv6_address const after{0xfd00123456789abc, 0xfedcba9876543210};
  ipv6_address const other{0x20010db800000000, 2};
  std::uint16_t const was = pseudo_header_sum(before, other, ip_protocol::tcp, 20U).checksum();
  EXPECT_EQ(checksum_update{}.replace64(before.high, after.high).replace64(before.low, after.low).apply(was),
            pseudo_header_sum(after, other, ip_protocol::tcp, 20U).checksum());
}

TEST(checksum, an_absent_udp_checksum_stays_absent) { EXPECT_EQ(checksum_update{}.replace16(1, 2).apply_udp(0), 0); }

TEST(checksum, a_udp_checksum_that_becomes_zero_is_sent_as_all_ones) {
  EXPECT_EQ(checksum_update{}.replace16(0x5555, 0x3285).apply_udp(0xdd2f), 0xffff);
  EXPECT_EQ(udp_checksum_to_send(0), 0xffff);
  EXPECT_EQ(udp_checksum_to_send(0x1234), 0x1234);
}

TEST(checksum, the_udp_packet_scapy_gives_all_ones_computes_to_zero) {
  // IP(src="10.0.0.1", dst="10.0.0.2")/UDP(sport=1000, dport=2000)/b"\xe0\x1f" has checksum ffff in scapy.
  auto const udp = test::to_bytes({0x03, 0xe8, 0x07, 0xd0, 0x00, 0x0a, 0x00, 0x00, 0xe0, 0x1f});
  auto const computed = pseudo_header_sum(ipv4_address{0x0a000001}, ipv4_address{0x0a000002}, ip_protocol::udp, 10)
                            .add(udp.data(), udp.size())
                            .checksum();
  EXPECT_EQ(computed, 0);
}

}  // namespace
}  // namespace packetwarp::wire
