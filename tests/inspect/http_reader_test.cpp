// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/http/http_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

[[nodiscard]] std::string text_of(text_view text) { return {reinterpret_cast<char const*>(text.bytes), text.size}; }

// The bodies of the messages in a text that is given in pieces of this size.
class reading {
 public:
  explicit reading(http_kind kind = http_kind::request) : reader_{kind} {}

  reading& read(std::string const& text, std::size_t piece) {
    auto const body = kind_of_body();
    for (std::size_t at = 0; at < text.size(); at += piece) {
      auto const part = text.substr(at, piece);
      std::span<std::byte const> bytes{reinterpret_cast<std::byte const*>(part.data()), part.size()};
      while (!bytes.empty()) {
        bool const has_news = reader_.take(bytes, counts);
        if (reader_.has_begun()) bodies.emplace_back("none");
        if (has_news && reader_.message().buffer(body).bytes != nullptr)
          bodies.back() = text_of(reader_.message().buffer(body));
      }
    }
    return *this;
  }
  http_reader& reader() { return reader_; }

  std::vector<std::string> bodies{};
  http_counts counts{};

 private:
  [[nodiscard]] rule_buffer kind_of_body() const {
    return is_response ? rule_buffer::http_response_body : rule_buffer::http_request_body;
  }

  http_reader reader_;

 public:
  bool is_response{};
};

class pieces : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(http, pieces, testing::Values(1, 2, 3, 7, 1000));

TEST_P(pieces, messages_one_after_the_other_have_their_own_bodies) {
  reading one;
  one.read(
      "POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nfirstGET /b HTTP/1.1\r\n\r\n"
      "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nsec\r\n3\r\nond\r\n0\r\nT: u\r\n\r\n"
      "PUT /d HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
      GetParam());
  EXPECT_THAT(one.bodies, ElementsAre("first", "none", "second", "none"));
  EXPECT_EQ(one.counts, (http_counts{.messages = 4}));
}

TEST_P(pieces, a_response_without_a_length_goes_on_to_the_end) {
  reading one{http_kind::response};
  one.is_response = true;
  one.read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nHTTP/1.0 200 OK\r\n\r\nall of it", GetParam());
  EXPECT_THAT(one.bodies, ElementsAre("none", "none", "all of it"));
}

TEST_P(pieces, a_response_without_a_body_has_one_if_it_says_its_length) {
  for (auto const* code : {"101", "102", "204"}) {
    reading one{http_kind::response};
    one.is_response = true;
    one.read(std::string{"HTTP/1.1 "} + code + " x\r\nContent-Length: 4\r\n\r\nabcdHTTP/1.1 200 OK\r\n\r\nend",
             GetParam());
    EXPECT_THAT(one.bodies, ElementsAre("abcd", "end")) << code;
  }
  reading other{http_kind::response};
  other.is_response = true;
  other.read("HTTP/1.1 304 x\r\nContent-Length: 4\r\n\r\nHTTP/1.1 101 Upgrade\r\n\r\nabcd", GetParam());
  EXPECT_THAT(other.bodies, ElementsAre("none", "none"));
  EXPECT_FALSE(other.reader().is_reading()) << "another protocol";
}

TEST_P(pieces, careless_responses_have_their_bodies) {
  for (auto const* text :
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n \r\nX: y\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\rTransfer-Encoding: chunked\r\rX: y\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\n\rTransfer-Encoding: chunked\n\r\r\n2\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n \n\x0b\x0c 2\r\nab\r\n0\r\n\r\n",
        "\t \rfoobar\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"}) {
    reading one{http_kind::response};
    one.is_response = true;
    one.read(text, GetParam());
    EXPECT_THAT(one.bodies, ElementsAre("ab")) << text;
  }
}

TEST(http_reader, a_response_to_a_head_request_has_no_body) {
  reading one{http_kind::response};
  one.is_response = true;
  one.reader().expect_answer_to(request_kind::head);
  one.read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n", 1000);
  EXPECT_THAT(one.bodies, ElementsAre("none", "none"));
}

TEST_P(pieces, bytes_that_begin_no_response_are_a_body_if_a_request_was_there) {
  reading one{http_kind::response};
  one.is_response = true;
  one.reader().expect_bare_body(true);
  one.read("X5O!P%@AP[4\\PZX54(P^)7CC)7}$ and the rest of it", GetParam());
  EXPECT_THAT(one.bodies, ElementsAre("X5O!P%@AP[4\\PZX54(P^)7CC)7}$ and the rest of it"));
  reading other{http_kind::response};
  other.is_response = true;
  other.reader().expect_bare_body(true);
  other.read("HTTP/1.1 304 ok\r\nContent-Length: 44\r\n\r\nclients take the bytes that follow, it seems", GetParam());
  EXPECT_EQ(other.bodies.back(), "clients take the bytes that follow, it seems");
  EXPECT_EQ(other.counts, (http_counts{.messages = 2}));
}

TEST(http_reader, a_short_body_without_a_head_is_known_at_the_end) {
  reading one{http_kind::response};
  one.reader().expect_bare_body(true);
  one.read("short", 2);
  EXPECT_TRUE(one.reader().has_news_put_off()) << "a line before the status line may be as short";
  EXPECT_TRUE(one.reader().take_end(one.counts));
  EXPECT_EQ(text_of(one.reader().message().body()), "short");
  EXPECT_FALSE(one.reader().has_news_put_off());
}

TEST(http_reader, an_encoded_body_of_a_request_is_counted_and_shown_as_it_was_sent) {
  reading one;
  one.read("POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcdGET / HTTP/1.1\r\n\r\n", 1000);
  EXPECT_THAT(one.bodies, ElementsAre("abcd", "none"));
  EXPECT_EQ(one.counts, (http_counts{.messages = 2, .bodies_encoded = 1}));
}

TEST(http_reader, a_body_beyond_the_bound_is_cut_short_and_counted) {
  reading one;
  one.read("POST / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n" + std::string(70'000, 'x') + "GET / HTTP/1.1\r\n\r\n",
           5000);
  ASSERT_EQ(one.bodies.size(), 2U);
  EXPECT_EQ(one.bodies[0].size(), http_reader::longest_body);
  EXPECT_EQ(one.counts, (http_counts{.messages = 2, .bodies_cut_short = 1}));
}

TEST_P(pieces, a_request_is_read_after_a_head_beyond_the_bound) {
  reading one;
  one.read("GET / HTTP/1.1\r\nX: " + std::string(40'000, 'x') +
               "\r\nY: z\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nabGET / HTTP/1.1\r\n\r\n",
           GetParam() * 100);
  EXPECT_THAT(one.bodies, ElementsAre("none", "ab", "none"));
  EXPECT_EQ(one.counts, (http_counts{.messages = 2, .heads_too_long = 1}));
}

TEST(http_reader, a_head_beyond_the_bound_ends_the_reading_of_responses) {
  reading one{http_kind::response};
  one.read("HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", 4000);
  EXPECT_FALSE(one.reader().is_reading());
  EXPECT_EQ(one.counts, (http_counts{.heads_too_long = 1}));
}

TEST_P(pieces, a_request_is_read_after_lines_that_begin_none) {
  reading one;
  one.read(
      "GET / HTTP/1.1\r\n\r\n\x01\x02 GET / HTTP/1.1\r\n\r\n\n(X) /x HTTP/1.1\nHost: a\r\nno request\r\n"
      "POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nfirst\x01\r\nPOST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nend",
      GetParam());
  EXPECT_THAT(one.bodies, ElementsAre("none", "first", "end"));
  EXPECT_EQ(one.counts, (http_counts{.messages = 3, .unreadable = 2}));
  EXPECT_TRUE(one.reader().is_reading());
}

TEST_P(pieces, a_method_may_be_of_any_length_once_the_connection_is_of_http) {
  reading one;
  one.read("GET / HTTP/1.1\r\n\r\n" + std::string(300, 'M') + " / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
           GetParam());
  EXPECT_THAT(one.bodies, ElementsAre("none", "abc"));
  EXPECT_EQ(one.counts, (http_counts{.messages = 2}));
}

TEST_P(pieces, a_direction_that_begins_with_other_bytes_is_read_if_the_other_one_carries_http) {
  reading one;
  one.read(std::string(300, 'M') + " / HTTP", GetParam());
  EXPECT_FALSE(one.reader().is_reading());
  one.reader().look_for_request();
  one.read("/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", GetParam());
  EXPECT_EQ(one.bodies.back(), "abc");
  EXPECT_EQ(one.counts, (http_counts{.messages = 1}));
}

TEST(http_reader, what_is_no_http_ends_the_reading) {
  reading other;
  other.read("EHLO example\r\n", 1000);
  EXPECT_THAT(other.bodies, ElementsAre("none"));
  EXPECT_EQ(other.counts, http_counts{});
  EXPECT_FALSE(other.reader().is_http());
}

TEST(http_reader, a_chunk_without_a_size_begins_a_body_without_chunks) {
  for (auto const* chunk : {"xyz", "-1", "\x01"}) {
    reading one;
    one.read(std::string{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"} + chunk + "\r\n", 3);
    EXPECT_THAT(one.bodies, ElementsAre(std::string{"ab"} + chunk + "\r\n"));
  }
}

TEST(http_reader, a_chunk_beyond_every_size_ends_the_reading) {
  reading one;
  one.read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 1000);
  EXPECT_FALSE(one.reader().is_reading());
}

TEST(http_reader, empty_lines_and_blanks_before_a_chunk_are_skipped) {
  reading one;
  one.read("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\r\n\n 2 \r\nab\r\n\r\n1,\r\nc\r\n0\r\n\r\n", 1000);
  EXPECT_THAT(one.bodies, ElementsAre("abc"));
}

TEST(http_reader, of_several_lengths_the_longest_counts) {
  reading one;
  one.read("POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 4\r\nContent-Length: 3\r\n\r\nabcd", 1000);
  EXPECT_THAT(one.bodies, ElementsAre("abcd"));
}

TEST(http_reader, a_length_that_is_no_number_is_none) {
  reading one{http_kind::response};
  one.is_response = true;
  one.read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n 4\r\nContent-Encoding: odd\r\n\r\nabcd", 1000);
  EXPECT_THAT(one.bodies, ElementsAre("abcd"));
}

}  // namespace
}  // namespace packetwarp::inspect
