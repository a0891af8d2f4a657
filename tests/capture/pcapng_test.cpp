// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/pcapng.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "capture/pcapng_scanner.h"
#include "wire/address_text.h"

namespace packetwarp::pcapng {
namespace {

[[nodiscard]] std::string text_of(std::vector<unsigned> const& octets) {
  std::string text;
  for (auto const octet : octets) text.push_back(static_cast<char>(octet));
  return text;
}

void append(std::string& to, packet_facts const& facts, std::string_view bytes) {
  packet_block block{to, facts};
  // In two pieces, as from two chunks.
  auto const all = std::as_bytes(std::span{bytes});
  block.append_bytes(all.first(all.size() / 2));
  block.append_bytes(all.subspan(all.size() / 2));
  block.end();
}

TEST(pcapng, begins_with_a_section_that_names_who_writes) {
  std::string file;
  append_section(file, "me");
  EXPECT_EQ(file,
            text_of({0x0a, 0x0d, 0x0d, 0x0a, 40, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
                     0xff, 0xff, 0xff, 0xff, 4,  0, 2, 0, 'm',  'e',  0,    0,    0, 0, 0, 0, 40,   0,    0,    0}));
}

TEST(pcapng, describes_an_interface) {
  std::string file;
  append_interface(file, {.name = "p0",
                          .description = "",
                          .mac = wire::parse_mac("02:00:00:00:00:01"),
                          .bits_per_second = 1000000000,
                          .snap = 96,
                          .filter = "udp"});
  EXPECT_EQ(file, text_of({1,  0, 0, 0, 72,  0,    0,    0,                 // an interface's description
                           1,  0, 0, 0, 96,  0,    0,    0,                 // of Ethernet; the snap length
                           2,  0, 2, 0, 'p', '0',  0,    0,                 // its name
                           6,  0, 6, 0, 2,   0,    0,    0,    0, 1, 0, 0,  // its MAC address
                           8,  0, 8, 0, 0,   0xca, 0x9a, 0x3b, 0, 0, 0, 0,  // its speed
                           9,  0, 1, 0, 9,   0,    0,    0,                 // nanoseconds
                           11, 0, 4, 0, 0,   'u',  'd',  'p',               // the filter: libpcap's
                           0,  0, 0, 0, 72,  0,    0,    0}));
}

TEST(pcapng, has_a_packet_with_its_time_its_lengths_its_way_and_a_comment) {
  std::string file;
  append(file,
         {.interface = 1,
          .time = 0x1122334455667788,
          .length = 1000,
          .captured = 5,
          .way = direction::outbound,
          .comment = "tx"},
         "abcde");
  EXPECT_EQ(file, text_of({6,    0,    0,    0,    60,   0,    0,    0,     // an enhanced packet
                           1,    0,    0,    0,                             // its interface
                           0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55,  // the time, its upper half first
                           5,    0,    0,    0,    0xe8, 3,    0,    0,     // the lengths
                           'a',  'b',  'c',  'd',  'e',  0,    0,    0,     // and bytes
                           1,    0,    2,    0,    't',  'x',  0,    0,
                           2,    0,    4,    0,    2,    0,    0,    0,  // the comment, and the direction
                           0,    0,    0,    0,    60,   0,    0,    0}));
}

TEST(pcapng, is_counted_as_it_passes_in_pieces_of_any_size) {
  std::string file;
  append_section(file, "me");
  append_interface(file, {.name = "p0", .description = "", .mac = {}, .bits_per_second = 0, .snap = 0, .filter = ""});
  for (std::uint32_t n = 0; n < 7; ++n)
    append(file, {.interface = 0, .time = n, .length = n, .captured = n, .way = {}, .comment = ""},
           std::string(n, 'x'));
  for (std::size_t piece = 1; piece < 70; ++piece) {
    auto whole = file;
    scanner counts;
    for (std::size_t at = 0; at < whole.size(); at += piece)
      counts.take(std::span{whole}.subspan(at).first(std::min(piece, whole.size() - at)));
    EXPECT_EQ(counts.packets(), 7u) << piece;
    EXPECT_FALSE(counts.is_whole()) << "no statistics yet";
    std::string end;
    append_statistics(end, 0, 1, {.seen = 12, .accepted = 9, .missed = 2, .written = 7});
    append_statistics(end, 1, 1, {.seen = 100, .accepted = 90, .missed = 20, .written = 70});
    counts.take(std::span{end}.first(end.size() - 1));
    EXPECT_FALSE(counts.is_whole()) << "a byte is missing";
    counts.take(std::span{end}.last(1));
    EXPECT_TRUE(counts.is_whole());
    EXPECT_EQ(counts.counts().seen, 112u);
    EXPECT_EQ(counts.counts().accepted, 99u);
    EXPECT_EQ(counts.counts().missed, 22u);
    EXPECT_EQ(counts.counts().written, 77u);
  }
}

}  // namespace
}  // namespace packetwarp::pcapng
