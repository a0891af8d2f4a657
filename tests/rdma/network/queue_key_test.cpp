// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/queue_key.h"

#include <gtest/gtest.h>

#include <string>

namespace packetwarp::rdma {
namespace {

// As an ib_write_bw 4.5 sends it.
std::string const recorded =
    "0000:0001:000011:51f361:00000279:0000559d10999000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:09:00:02:00000000:";

TEST(queue_key, is_read_from_perftests_text_and_written_as_the_same) {
  auto const key = parse_queue_key(recorded + '\0');
  ASSERT_TRUE(key);
  EXPECT_EQ(key->number, 0x11U);
  EXPECT_EQ(key->psn, 0x51f361U);
  EXPECT_EQ(key->rkey, 0x279U);
  EXPECT_EQ(key->address, 0x559d10999000U);
  ASSERT_TRUE(ipv4_of(key->gid));
  EXPECT_EQ(ipv4_of(key->gid)->number, 0x0a090002U);
  EXPECT_EQ(key->gid, gid_of({0x0a090002}));
  auto const text = to_text(*key);
  EXPECT_EQ(std::string(text.data()), recorded);
  EXPECT_EQ(recorded.size() + 1, text.size());
}

TEST(queue_key, other_texts_are_refused) {
  EXPECT_FALSE(parse_queue_key(""));
  EXPECT_FALSE(parse_queue_key(std::string_view{"\0", 1}));
  for (std::size_t n = 0; n < recorded.size(); ++n) EXPECT_FALSE(parse_queue_key(recorded.substr(0, n))) << n;
  // A number with more than its bits, no hexadecimal digit, and a sign.
  for (auto const& [at, with] : {std::pair{10, "1000011"}, {10, "00001g"}, {10, "-00001"}, {50, "1ff"}}) {
    auto text = recorded;
    text.replace(static_cast<std::size_t>(at), at == 50 ? 2 : 6, with);
    EXPECT_FALSE(parse_queue_key(text)) << text;
  }
}

TEST(queue_key, another_gid_is_no_ipv4_address) {
  auto gid = gid_of({0x0a090002});
  gid[0] = 0xfe;
  EXPECT_FALSE(ipv4_of(gid));
  EXPECT_EQ(to_text(gid), "fe00:0000:0000:0000:0000:ffff:0a09:0002");
}

TEST(queue_key, versions_and_mtu_codes) {
  EXPECT_EQ(parse_version("6.06"), 606U);
  EXPECT_EQ(parse_version(std::string_view{"5.70\0\0\0", 7}), 570U);
  for (auto const* text : {"", "6", "6.6", "6.066", "a.06", "6.0x", "-6.06"}) EXPECT_FALSE(parse_version(text)) << text;
  EXPECT_EQ(parse_mtu_code("1"), 256U);
  EXPECT_EQ(parse_mtu_code(std::string_view{"5\0", 2}), 4096U);
  for (auto const* text : {"", "0", "6", "33", "x"}) EXPECT_FALSE(parse_mtu_code(text)) << text;
}

}  // namespace
}  // namespace packetwarp::rdma
