// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "wire/address_text.h"

namespace packetwarp::wire {
namespace {

TEST(address, mac_addresses_round_trip_through_text_and_number) {
  auto const mac = parse_mac("02:aB:00:00:fe:01");
  ASSERT_TRUE(mac);
  EXPECT_EQ(mac->number(), 0x02ab0000fe01U);
  EXPECT_EQ(to_text(mac_address::from_number(0x02ab0000fe01)), "02:ab:00:00:fe:01");
}

TEST(address, the_first_octets_lowest_bit_makes_a_group) {
  EXPECT_TRUE(parse_mac("ff:ff:ff:ff:ff:ff")->is_group());
  EXPECT_TRUE(parse_mac("01:00:5e:00:00:01")->is_group());
  EXPECT_FALSE(parse_mac("02:00:00:00:00:01")->is_group());
}

TEST(address, malformed_text_is_no_address) {
  for (auto text : {"", "02:00:00:00:00", "02:00:00:00:00:0g", "02-00-00-00-00-01", "02:00:00:00:00:01:"}) {
    EXPECT_FALSE(parse_mac(text)) << text;
  }
  for (auto text : {"", "10.0.0", "10.0.0.256", "10.0.0.1 ", "::1"}) EXPECT_FALSE(parse_ipv4(text)) << text;
  for (auto text : {"", "10.0.0.1", "2001:::1", "2001:db8::g"}) EXPECT_FALSE(parse_ipv6(text)) << text;
}

TEST(address, ipv4_numbers_are_in_the_machines_order) {
  EXPECT_EQ(parse_ipv4("10.0.0.1")->number, 0x0a000001U);
  EXPECT_EQ(to_text(ipv4_address{0xc0a80164}), "192.168.1.100");
}

TEST(address, ipv6_halves_are_in_the_machines_order) {
  auto const address = parse_ipv6("2001:db8:0:1::abcd");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->high, 0x20010db800000001U);
  EXPECT_EQ(address->low, 0xabcdU);
  EXPECT_EQ(to_text(*address), "2001:db8:0:1::abcd");
}

}  // namespace
}  // namespace packetwarp::wire
