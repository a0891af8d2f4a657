// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/capture/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "traffic/capture/capture_reader.h"
#include "traffic/pcap_file.h"

namespace packetwarp::traffic {
namespace {

using test::pcap_file;
using testing::HasSubstr;

TEST(capture, holds_the_packets_as_they_were_recorded) {
  capture const read = pcap_file{}.packet(60, 3, 4).packet(1514, 3, 999'999).read();
  ASSERT_EQ(read.packets().size(), 2U);
  EXPECT_EQ(read.packets()[0].time, 3'000'004'000U);
  EXPECT_EQ(read.packets()[1].time, 3'999'999'000U);
  auto const bytes = read.bytes(read.packets()[1]);
  ASSERT_EQ(bytes.size(), 1514U);
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], static_cast<std::byte>(i + 1514));
  EXPECT_EQ(read.smallest(), 60U);
  EXPECT_EQ(read.largest(), 1514U);
  EXPECT_EQ(read.total_bytes(), 1574U);
  EXPECT_EQ(read.skipped(), 0U);
  EXPECT_EQ(read.problem(), "");
}

TEST(capture, keeps_nanoseconds) {
  EXPECT_EQ(pcap_file{0xa1b23c4d}.packet(60, 3, 123'456'789).read().packets()[0].time, 3'123'456'789U);
}

TEST(capture, reads_a_recording_of_real_stacks) {
  capture const read = capture::read(PACKETWARP_CAPTURES "/mixed.pcap");
  EXPECT_EQ(read.packets().size(), 1354U);
  EXPECT_EQ(read.smallest(), 35U);
  EXPECT_EQ(read.largest(), 1514U);
  EXPECT_EQ(read.skipped(), 0U);
}

TEST(capture, leaves_out_packets_that_are_cut_short_too_short_or_too_long) {
  capture const read = pcap_file{}.packet(60, 1, 1, 40).packet(13).packet(1515).packet(60).read({.packet_bytes = 1514});
  EXPECT_EQ(read.packets().size(), 1U);
  EXPECT_EQ(read.skipped(), 3U);
}

TEST(capture_reader, has_all_packets_one_after_the_other) {
  auto file = pcap_file{}.packet(60, 3, 4).packet(13).packet(64, 1, 1, 1450);
  capture_reader reader{file.open(), "test.pcap"};
  capture_reader::packet one;
  ASSERT_TRUE(reader.next(one));
  EXPECT_EQ(one.time, 3'000'004'000U);
  EXPECT_EQ(one.length, 60U);
  for (std::size_t i = 0; i < 60; ++i) ASSERT_EQ(one.bytes[i], static_cast<std::byte>(i + 60));
  ASSERT_TRUE(reader.next(one));
  EXPECT_EQ(one.bytes.size(), 13U);
  ASSERT_TRUE(reader.next(one));
  EXPECT_EQ(one.bytes.size(), 64U);
  EXPECT_EQ(one.length, 1514U);
  EXPECT_FALSE(reader.next(one));
  EXPECT_EQ(reader.problem(), "");
}

TEST(capture_reader, says_where_a_file_is_cut) {
  auto file = pcap_file{}.packet(60).packet(60).cut(7);
  capture_reader reader{file.open(), "test.pcap"};
  capture_reader::packet one;
  EXPECT_TRUE(reader.next(one));
  EXPECT_FALSE(reader.next(one));
  EXPECT_THAT(reader.problem(), HasSubstr("test.pcap: after packet 1: "));
}

TEST(capture_reader, ends_at_the_first_damaged_record) {
  auto file = pcap_file{}.packet(64).header(0xffff'ffff).packet(64).packet(64);
  capture_reader reader{file.open(), "test.pcap"};
  capture_reader::packet one;
  EXPECT_TRUE(reader.next(one));
  EXPECT_FALSE(reader.next(one));
  auto const problem = reader.problem();
  EXPECT_THAT(problem, HasSubstr("test.pcap: after packet 1: "));
  EXPECT_THAT(problem, HasSubstr("4294967295"));
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(reader.next(one));
  EXPECT_EQ(reader.problem(), problem);
}

TEST(capture, gives_the_packets_before_the_place_where_a_file_ends_early) {
  capture const read = pcap_file{}.packet(60).packet(60).cut(7).read();
  EXPECT_EQ(read.packets().size(), 1U);
  EXPECT_THAT(read.problem(), HasSubstr("test.pcap: after packet 1"));
}

TEST(capture, fails_with_one_line_for_what_is_no_usable_capture) {
  EXPECT_THAT(pcap_file{0x12345678}.failure_text(), HasSubstr("test.pcap: not a pcap or pcapng capture"));
  EXPECT_THAT((pcap_file{0xa1b2c3d4, 113}.packet(60).failure_text()), HasSubstr("link type is LINUX_SLL"));
  EXPECT_THAT(pcap_file{}.failure_text(), HasSubstr("no whole Ethernet packet"));
  EXPECT_THAT(pcap_file{}.packet(13).failure_text(), HasSubstr("(1 left out)"));
  EXPECT_THAT(pcap_file{}.packet(60).cut(1).failure_text(), HasSubstr("after packet 0"));
  EXPECT_THAT(pcap_file{}.packet(60).packet(60).failure_text({.total_bytes = 100}), HasSubstr("more than 100 bytes"));
}

TEST(capture, of_an_option_is_wrong_usage_whatever_is_wrong_with_it) {
  EXPECT_THROW((void)capture::read("/dev/null"), usage_error);
  EXPECT_THROW((void)capture::read("/no/such.pcap"), usage_error);
}

TEST(capture, names_a_file_that_is_missing) {
  EXPECT_THROW(
      try { (void)capture::read("/no/such.pcap"); } catch (usage_error const& failed) {
        EXPECT_STREQ(failed.what(), "/no/such.pcap: cannot be read: No such file or directory");
        throw;
      },
      usage_error);
}

TEST(capture, reads_pcapng) {
  test::bytes file;  // a section header, an interface of microseconds, and a packet on it
  auto const put = [&](std::initializer_list<unsigned> values) {
    for (unsigned const value : values) {
      for (unsigned shift = 0; shift < 32; shift += 8) file.push_back(static_cast<std::byte>(value >> shift & 0xff));
    }
  };
  put({0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0xffffffff, 0xffffffff, 28});
  put({1, 20, 1, 65535, 20});
  put({6, 32 + 16, 0, 0, 7'000'000, 16, 16, 1, 2, 3, 4, 32 + 16});
  capture const read = capture::read(::fmemopen(file.data(), file.size(), "rb"), "test.pcapng", {});
  ASSERT_EQ(read.packets().size(), 1U);
  EXPECT_EQ(read.packets()[0].length, 16U);
  EXPECT_EQ(read.packets()[0].time, 7'000'000'000U);
}

}  // namespace
}  // namespace packetwarp::traffic
