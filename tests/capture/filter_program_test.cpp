// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/filter_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;

TEST(filter_program, passes_as_text_and_is_the_same) {
  for (auto const* expression :
       {"", "udp port 53", "ip6 and tcp", "tcp[tcpflags] & tcp-syn != 0", "vlan 7 and host 10.0.0.1"}) {
    auto const program = compile_filter(expression);
    ASSERT_FALSE(program.empty());
    auto const again = parse_filter_program(to_text(program));
    ASSERT_EQ(again.size(), program.size());
    for (std::size_t i = 0; i < program.size(); ++i) {
      EXPECT_EQ(again[i].code, program[i].code);
      EXPECT_EQ(again[i].jt, program[i].jt);
      EXPECT_EQ(again[i].jf, program[i].jf);
      EXPECT_EQ(again[i].k, program[i].k);
    }
  }
}

TEST(filter_program, says_what_libpcap_says_of_a_wrong_expression) {
  try {
    (void)compile_filter("udp prot 53");
    FAIL();
  } catch (usage_error const& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("--filter 'udp prot 53': "));
    EXPECT_THAT(wrong.what(), HasSubstr("syntax error"));
    EXPECT_THAT(wrong.what(), testing::Not(HasSubstr("\n")));
  }
}

// A worker would never leave the loop.
TEST(filter_program, that_jumps_back_is_refused) {
  for (auto const* text :
       {"5 0 0 4294967295,6 0 0 1", "0 0 0 0,5 0 0 4294967294,6 0 0 1", "5 0 0 2147483648,6 0 0 1"}) {
    EXPECT_THROW((void)parse_filter_program(text), usage_error) << text;
  }
  EXPECT_EQ(parse_filter_program("5 0 0 0,6 0 0 1").size(), 2u) << "a jump forward";
  try {
    (void)compile_filter("ip6 protochain 17");
    FAIL();
  } catch (usage_error const& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("--filter 'ip6 protochain 17': protochain loops"));
  }
}

// The interpreter has only the packet's bytes: the program would match no packet.
TEST(filter_program, that_reads_what_linux_keeps_beside_a_packet_is_refused) {
  for (auto const* expression : {"inbound", "outbound", "udp and inbound", "not outbound", "ifindex 3"}) {
    try {
      (void)compile_filter(expression);
      ADD_FAILURE() << expression;
    } catch (usage_error const& wrong) {
      EXPECT_THAT(wrong.what(), HasSubstr("--filter '" + std::string{expression} + "': it reads a packet's direction"));
      EXPECT_THAT(wrong.what(), HasSubstr("the direction is chosen by --stage rx or --stage tx"));
      EXPECT_THAT(wrong.what(), testing::Not(HasSubstr("\n")));
    }
  }
  // Words, halves and bytes of SKF_AD_OFF, SKF_NET_OFF and SKF_LL_OFF.
  for (auto const* text : {"40 0 0 4294963204,6 0 0 1", "32 0 0 4294963200,6 0 0 1", "48 0 0 4293918720,6 0 0 1",
                           "48 0 0 4292870144,6 0 0 1", "0 0 0 0,40 0 0 4294967295,6 0 0 1"}) {
    try {
      (void)parse_filter_program(text);
      ADD_FAILURE() << text;
    } catch (usage_error const& wrong) {
      EXPECT_THAT(wrong.what(), HasSubstr("--stage rx or --stage tx")) << text;
    }
  }
  EXPECT_EQ(parse_filter_program("40 0 0 65535,6 0 0 1").size(), 2u) << "beyond most packets, and no more";
}

TEST(filter_program, is_refused_where_it_is_none) {
  // Nonsense; numbers out of range or missing; no end; a jump and a load beyond the end; a division by zero.
  for (auto const* text : {"", ",", "x", "6 0 0", "6 0 0 65535,", "65536 0 0 0", "6 256 0 0", "6 0 0 -1", "40 0 0 12",
                           "21 9 9 1,6 0 0 0", "96 0 0 99,6 0 0 0", "52 0 0 0,6 0 0 0", "6 0 0 0 0"}) {
    EXPECT_THROW((void)parse_filter_program(text), usage_error) << text;
  }
}

}  // namespace
}  // namespace packetwarp
