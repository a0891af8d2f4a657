// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/http/body_decoder.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "inspect/conversation.h"
#include "inspect/http/http_reader.h"

namespace packetwarp::inspect {
namespace {

// Written by Python's gzip and zlib.
constexpr char plain[] = "the body that its receiver sees";
constexpr unsigned char as_gzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0xc9, 0x48,
                                     0x55, 0x48, 0xca, 0x4f, 0xa9, 0x54, 0x28, 0xc9, 0x48, 0x2c, 0x51, 0xc8, 0x2c,
                                     0x29, 0x56, 0x28, 0x4a, 0x4d, 0x4e, 0xcd, 0x2c, 0x4b, 0x2d, 0x52, 0x28, 0x4e,
                                     0x4d, 0x2d, 0x06, 0x00, 0x5c, 0xde, 0x44, 0xd6, 0x1f, 0x00, 0x00, 0x00};
constexpr unsigned char as_zlib[] = {0x78, 0xda, 0x2b, 0xc9, 0x48, 0x55, 0x48, 0xca, 0x4f, 0xa9, 0x54, 0x28, 0xc9,
                                     0x48, 0x2c, 0x51, 0xc8, 0x2c, 0x29, 0x56, 0x28, 0x4a, 0x4d, 0x4e, 0xcd, 0x2c,
                                     0x4b, 0x2d, 0x52, 0x28, 0x4e, 0x4d, 0x2d, 0x06, 0x00, 0xb6, 0xeb, 0x0b, 0x96};
constexpr unsigned char as_deflate[] = {0x2b, 0xc9, 0x48, 0x55, 0x48, 0xca, 0x4f, 0xa9, 0x54, 0x28, 0xc9,
                                        0x48, 0x2c, 0x51, 0xc8, 0x2c, 0x29, 0x56, 0x28, 0x4a, 0x4d, 0x4e,
                                        0xcd, 0x2c, 0x4b, 0x2d, 0x52, 0x28, 0x4e, 0x4d, 0x2d, 0x06, 0x00};
constexpr unsigned char as_gzip_twice[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x93, 0xef, 0xe6, 0x60, 0x00, 0x01, 0x26,
    0x66, 0xed, 0x93, 0x1e, 0xa1, 0x1e, 0xa7, 0xfc, 0x57, 0x86, 0x68, 0x9c, 0xf4, 0xd0, 0x09, 0x3c, 0xa1,
    0xa3, 0x19, 0xa6, 0xe1, 0xe5, 0xeb, 0x77, 0x56, 0xc7, 0x5b, 0x37, 0x48, 0xc3, 0xcf, 0x57, 0x97, 0x8d,
    0x21, 0xe6, 0x9e, 0xcb, 0x35, 0x79, 0xa0, 0x52, 0x00, 0xe8, 0xb7, 0xe8, 0x60, 0x33, 0x00, 0x00, 0x00};

template <std::size_t Size>
[[nodiscard]] std::string text_of(unsigned char const (&bytes)[Size]) {
  return {reinterpret_cast<char const*>(bytes), Size};
}

struct seen_body {
  std::string text;
  http_counts counts;
};

// The body of a response that comes in pieces of this size.
[[nodiscard]] seen_body body_of(std::string const& fields, std::string const& body, std::size_t piece) {
  auto const response =
      "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  http_reader reader{http_kind::response};
  seen_body made;
  for (std::size_t at = 0; at < response.size(); at += piece) {
    auto const part = response.substr(at, piece);
    std::span<std::byte const> bytes{reinterpret_cast<std::byte const*>(part.data()), part.size()};
    while (!bytes.empty()) {
      if (!reader.take(bytes, made.counts)) continue;
      auto const text = reader.message().body();
      made.text.assign(reinterpret_cast<char const*>(text.bytes), text.size);
    }
  }
  return made;
}

class decoded_bodies : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(pieces, decoded_bodies, testing::Values(1, 2, 7, 4000));

TEST_P(decoded_bodies, have_the_forms_that_servers_send) {
  for (std::string const coding :
       {"gzip", "x-gzip", "Deflate", " deflate ", ": gzip", "x gzip", "gzip;", "\xa0gzip\x0b"}) {
    auto const field = "Content-Encoding: " + coding + "\r\n";
    for (auto const& body : {text_of(as_gzip), text_of(as_zlib), text_of(as_deflate)}) {
      auto const seen = body_of(field, body, GetParam());
      EXPECT_EQ(seen.text, plain) << coding;
      EXPECT_EQ(seen.counts.bodies_decoded, 1U);
    }
  }
}

TEST_P(decoded_bodies, are_encoded_twice_in_one_field_or_in_two) {
  EXPECT_EQ(body_of("Content-Encoding: gzip, gzip\r\n", text_of(as_gzip_twice), GetParam()).text, plain);
  EXPECT_EQ(body_of("Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", text_of(as_gzip_twice), GetParam()).text,
            plain);
}

// zlib itself refuses flags that are reserved, and a wrong checksum of the header.
TEST_P(decoded_bodies, may_have_any_header_of_gzip) {
  auto const body = text_of(as_gzip);
  auto const rest = body.substr(10);
  auto const with = [&](char flags, std::string const& fields) {
    auto head = body.substr(0, 10);
    head[3] = flags;
    return body_of("Content-Encoding: gzip\r\n", head + fields + rest, GetParam()).text;
  };
  EXPECT_EQ(with('\x20', ""), plain);
  EXPECT_EQ(with('\x40', ""), plain);
  EXPECT_EQ(with('\x02', std::string(2, '\0')), plain);
  EXPECT_EQ(with('\x08', std::string{"a name\0", 7}), plain);
  EXPECT_EQ(with('\x10', std::string{"a comment\0", 10}), plain);
  EXPECT_EQ(with('\x04', std::string{"\x03\0abc", 5}), plain);
  EXPECT_EQ(with('\x1e', std::string{"\x01\0an\0c\0zz", 9}), plain);
}

TEST(decoded_bodies, whose_header_has_no_end_are_bounded) {
  auto const seen = body_of("Content-Encoding: gzip\r\n",
                            std::string{"\x1f\x8b\x08\x08\0\0\0\0\0\0", 10} + std::string(100'000, 'n'), 1400);
  EXPECT_EQ(seen.text, "");
  EXPECT_EQ(seen.counts.bodies_decoded, 1U);
}

TEST_P(decoded_bodies, are_what_was_sent_if_they_are_none_of_their_coding) {
  std::string const none = "\x1f\x8b\xff no gzip, although it begins as such";
  EXPECT_EQ(body_of("Content-Encoding: gzip\r\n", none, GetParam()).text, none);
}

TEST_P(decoded_bodies, end_at_a_damaged_place_and_keep_what_was_before) {
  auto damaged = text_of(as_gzip) + "more";
  damaged[damaged.size() - 4 - 8] = '\x55';  // the checksum's first byte
  EXPECT_EQ(body_of("Content-Encoding: gzip\r\n", damaged, GetParam()).text, plain);
}

TEST(decoded_bodies, of_other_codings_and_of_more_layers_are_counted_and_not_shown) {
  for (std::string const coding : {"br", "gzip, br", "gzip, gzip, gzip, gzip"}) {
    auto const seen = body_of("Content-Encoding: " + coding + "\r\n", text_of(as_gzip), 4000);
    EXPECT_EQ(seen.text, "") << coding;
    EXPECT_EQ(seen.counts.bodies_encoded, 1U) << coding;
    EXPECT_EQ(seen.counts.bodies_decoded, 0U) << coding;
  }
}

[[nodiscard]] std::string compressed(std::string const& text) {
  auto size = compressBound(static_cast<uLong>(text.size()));
  std::string made(size, '\0');
  EXPECT_EQ(compress2(reinterpret_cast<Bytef*>(made.data()), &size, reinterpret_cast<Bytef const*>(text.data()),
                      static_cast<uLong>(text.size()), Z_BEST_COMPRESSION),
            Z_OK);
  made.resize(size);
  return made;
}

TEST(decoded_bodies, that_are_bombs_end_at_their_bounds) {
  auto const bomb = compressed(std::string(8'000'000, 'x'));
  ASSERT_LT(bomb.size(), 10'000U);
  auto const seen = body_of("Content-Encoding: deflate\r\n", bomb, 1400);
  EXPECT_EQ(seen.text, std::string(http_reader::longest_body, 'x'));
  EXPECT_EQ(seen.counts.bodies_cut_short, 1U);
  // The outer layer makes the inner one's zeroes, which decode to nothing for long.
  auto const between = compressed(std::string{"\x1f\x8b\x08\x08\0\0\0\0\0\0", 10} + std::string(8'000'000, 'n'));
  auto const inner = body_of("Content-Encoding: gzip, deflate\r\n", between, 1400);
  EXPECT_LE(inner.text.size(), http_reader::longest_body);
}

TEST(decoded_bodies, match_rules) {
  conversation talk{
      "alert http any any -> any any (http.response_body; content:\"its receiver\"; sid:1;)\n"
      "alert http any any -> any any (file.data; content:\"the body\"; startswith; sid:2;)\n"};
  (void)talk.client("GET / HTTP/1.1\r\n\r\n");
  auto const body = text_of(as_gzip);
  auto const sids =
      talk.server("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(body.size()) +
                  "\r\n\r\n" + body);
  EXPECT_EQ(sids, (std::vector<std::uint32_t>{1, 2}));
}

}  // namespace
}  // namespace packetwarp::inspect
