// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "inspect/conversation.h"

// Bytes that came before it was known what they are of: a request whose first line goes on, a host name of TLS.
namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr char line_rules[] =
    "alert http any any -> any any (flow:established,to_server; content:\"GET /evil.php\"; sid:1;)\n"
    "alert http any any -> any any (content:\"GET /evil\"; depth:9; sid:2;)\n"
    "alert http any any -> any any (content:\"/e\"; content:\"vil.php\"; distance:0; sid:3;)\n"
    "alert tcp any any -> any any (content:\"GET /evil.php\"; sid:4;)\n";

// The alerts of a new connection whose client sends the text in pieces of this size, after `first` bytes.
[[nodiscard]] std::vector<std::uint32_t> alerts_of(conversation& all, unsigned port, std::string const& text,
                                                   std::size_t first, std::size_t size) {
  all.begin(port);
  std::vector<std::uint32_t> sids;
  for (std::size_t at = 0; at < text.size(); at = at == 0 ? first : at + size) {
    for (auto const sid : all.client(text.substr(at, at == 0 ? first : size))) sids.push_back(sid);
  }
  return sids;
}

TEST(late_protocol, the_first_line_of_a_request_is_searched_once_at_every_cut) {
  conversation all{line_rules};
  std::string const text = "GET /evil.php HTTP/1.1\r\nHost: h\r\n\r\n";
  unsigned port = 0;
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_THAT(alerts_of(all, ++port, text, cut, text.size()), UnorderedElementsAre(1, 2, 3, 4)) << cut;
    EXPECT_THAT(alerts_of(all, ++port, text, cut, cut), UnorderedElementsAre(1, 2, 3, 4)) << cut;
  }
}

TEST(late_protocol, a_first_line_of_several_segments_is_searched_from_its_begin) {
  conversation all{line_rules};
  unsigned port = 0;
  for (std::size_t const size : {1500U, 2100U, 5000U, 15'000U}) {
    auto const text = "GET /evil.php?id=" + std::string(size, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n";
    for (std::size_t const piece : {536U, 1460U, 4000U})
      EXPECT_THAT(alerts_of(all, ++port, text, piece, piece), UnorderedElementsAre(1, 2, 3, 4)) << size << ' ' << piece;
  }
}

TEST(late_protocol, other_first_lines_match_nothing) {
  conversation all{line_rules};
  for (unsigned port = 1; port < 40; ++port)
    EXPECT_THAT(alerts_of(all, port, "GET /good.php HTTP/1.1\r\nX: /e\r\n\r\n", port, 3), IsEmpty());
  EXPECT_THAT(alerts_of(all, 100, "a GET /evil.php is no request\r\n", 20, 20), ElementsAre(4));
}

// The server's answer says sooner that the connection is one of HTTP.
TEST(late_protocol, each_direction_is_searched_from_its_begin) {
  conversation all{line_rules};
  EXPECT_THAT(all.client("GET /evil.php HT"), ElementsAre(4));
  EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client("TP/1.1\r\n\r\n"), UnorderedElementsAre(1, 2, 3));
  EXPECT_THAT(all.client("GET /good HTTP/1.1\r\n\r\n"), IsEmpty());
}

TEST(late_protocol, a_response_is_searched_from_its_begin) {
  conversation all{"alert http any any -> any any (flow:to_client; content:\"HTTP/1\"; content:\"evil\"; sid:1;)\n"};
  std::string const text = "HTTP/1.1 404 evil\r\n\r\n";
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    all.begin(static_cast<unsigned>(cut));
    auto sids = all.server(text.substr(0, cut));
    for (auto const sid : all.server(text.substr(cut))) sids.push_back(sid);
    EXPECT_THAT(sids, ElementsAre(1)) << cut;
  }
}

constexpr char name_rules[] =
    "alert tls any any -> any any (content:\"|16 03 01|\"; depth:3; tls.sni; content:\"example\"; sid:1;)\n"
    "alert tls any any -> any any (tls.sni; content:\"example\"; sid:2;)\n"
    "alert tcp any any -> any any (content:\"|16 03 01|\"; tls.sni; dotprefix; content:\".example.net\"; sid:3;)\n"
    "alert tls any any -> any any (content:\"rrrr\"; tls.sni; content:\"other\"; sid:4;)\n"
    "alert tls any any -> any any (content:\"later\"; tls.sni; content:\"example\"; sid:5;)\n";

// A ClientHello for example.net (RFC 8446, 4.1.2), in a record.
[[nodiscard]] std::string hello() {
  return std::string{"\x16\x03\x01\x00\x47\x01\x00\x00\x43\x03\x03", 11} + std::string(32, 'r') +
         std::string{"\x00\x00\x02\x13\x01\x01\x00\x00\x18\x00\x15\x00\x00\x00\x00\x00\x10\x00\x0e\x00\x00\x0b", 22} +
         "example.net";
}

TEST(late_protocol, contents_beside_a_name_are_searched_from_the_begin_at_every_cut) {
  conversation all{name_rules};
  auto const text = hello();
  unsigned port = 0;
  for (std::size_t cut = 1; cut <= text.size(); ++cut) {
    EXPECT_THAT(alerts_of(all, ++port, text + "more", cut, text.size()), UnorderedElementsAre(1, 2, 3)) << cut;
    EXPECT_THAT(alerts_of(all, ++port, text + "more", cut, cut), UnorderedElementsAre(1, 2, 3)) << cut;
  }
}

TEST(late_protocol, contents_after_the_segment_with_a_name_are_not_searched) {
  conversation all{name_rules};
  EXPECT_THAT(all.client(hello()), UnorderedElementsAre(1, 2, 3));
  EXPECT_THAT(all.client("later"), IsEmpty());
}

constexpr char later_rules[] =
    "alert tls any any -> any any (tls.sni; content:\"example.net\"; sid:1;)\n"
    "alert tcp any any -> any any (tls.sni; content:\"example.net\"; sid:2;)\n";

// After CONNECT to a proxy, and after STARTTLS.
TEST(late_protocol, a_name_after_other_bytes_is_found_once_at_every_cut) {
  conversation all{later_rules};
  auto const text = hello();
  unsigned port = 0;
  for (auto const* const before : {"CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", "EHLO me\r\nSTARTTLS\r\n"}) {
    for (std::size_t cut = 6; cut <= text.size(); ++cut) {
      all.begin(++port);
      EXPECT_THAT(all.client(before), IsEmpty());
      EXPECT_THAT(all.server("200 go on\r\n"), IsEmpty());
      auto sids = all.client(text.substr(0, cut));
      for (auto const sid : all.client(text.substr(cut) + "more")) sids.push_back(sid);
      EXPECT_THAT(sids, UnorderedElementsAre(1, 2)) << before << cut;
      EXPECT_THAT(all.client("even more"), IsEmpty());
    }
  }
}

TEST(late_protocol, a_name_after_more_bytes_than_are_kept_is_found) {
  conversation all{later_rules};
  auto const text = hello();
  for (unsigned n = 0; n < 5; ++n) EXPECT_THAT(all.client(std::string(1400, 'x')), IsEmpty());
  EXPECT_THAT(all.client(text.substr(0, 60)), IsEmpty());
  EXPECT_THAT(all.client(text.substr(60)), UnorderedElementsAre(1, 2));
}

TEST(late_protocol, segments_that_only_look_like_a_handshake_hide_no_name) {
  conversation all{later_rules};
  auto const text = hello();
  auto const decoy = text.substr(0, 20);
  EXPECT_THAT(all.client("STARTTLS\r\n"), IsEmpty());
  for (unsigned n = 0; n < 3; ++n) EXPECT_THAT(all.client(decoy), IsEmpty());
  EXPECT_THAT(all.client(text.substr(0, 70)), IsEmpty());
  EXPECT_THAT(all.client(text.substr(70)), UnorderedElementsAre(1, 2));
}

TEST(late_protocol, a_handshake_out_of_order_after_other_bytes_has_its_name) {
  conversation all{later_rules};
  auto const text = hello();
  EXPECT_THAT(all.client("STARTTLS\r\n"), IsEmpty());
  EXPECT_THAT(all.client_at(10 + 50, text.substr(50)), IsEmpty());
  EXPECT_THAT(all.client_at(10, text.substr(0, 50)), UnorderedElementsAre(1, 2));
}

}  // namespace
}  // namespace packetwarp::inspect
