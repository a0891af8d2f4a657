// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "inspect/conversation.h"

// A receiver drops some segments, and a client may send these to hide others.
namespace packetwarp::inspect {
namespace {

using namespace wire::tcp_flag;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t before_first = 0xffff'ffff;  // position of a SYN
constexpr char text_rule[] = "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n";
constexpr char uri_rule[] = "alert http any any -> any any (http.uri; content:\"/evil\"; sid:2;)\n";
std::string const evil_request = "GET /evil HTTP/1.1\r\nHost: a\r\n\r\n";

void expect_followed(conversation& all, std::uint32_t position = 0, std::uint32_t acknowledged = 0) {
  EXPECT_THAT(all.see(0, position, "secret ", psh | ack, acknowledged), IsEmpty());
  EXPECT_THAT(all.see(0, position + 7, "word", psh | ack, acknowledged), ElementsAre(1));
}

TEST(handshake, data_without_an_acknowledgment_are_judged_alone) {
  conversation all{std::string{text_rule} + uri_rule};
  EXPECT_THAT(all.see(0, 0, "xxxxxxx", psh), IsEmpty());
  EXPECT_THAT(all.see(0, 7, "secret word", 0), ElementsAre(1));
  expect_followed(all);
  all.begin(4001);
  EXPECT_THAT(all.see(0, 0, "\n", 0), IsEmpty());
  EXPECT_THAT(all.client(evil_request), ElementsAre(2));
}

TEST(handshake, data_of_a_syn_that_the_server_does_not_take_are_of_no_stream) {
  for (std::string const text : {"GET /good HTTP/1.1\r\n\r\n", "secret word"}) {
    conversation all{std::string{text_rule} + uri_rule};
    all.use_port(4001);
    auto const alone = all.see(0, before_first, text, syn);
    EXPECT_EQ(alone.size(), text == "secret word" ? 1U : 0U);
    EXPECT_THAT(all.see(1, before_first, {}, syn | ack), IsEmpty());
    EXPECT_THAT(all.see(0, 0, {}, ack), IsEmpty());
    EXPECT_THAT(all.client(evil_request), ElementsAre(2));
    EXPECT_THAT(all.client("secret "), IsEmpty());
    EXPECT_THAT(all.client("word"), ElementsAre(1));
    EXPECT_EQ(all.state().segments().differing + all.state().segments().repeated, 0U);
  }
}

// TCP Fast Open (RFC 7413).
TEST(handshake, data_of_a_syn_that_the_server_takes_begin_the_stream) {
  conversation all{std::string{text_rule} + uri_rule};
  all.use_port(4001);
  EXPECT_THAT(all.see(0, before_first, "GET /ev", syn), IsEmpty());
  EXPECT_THAT(all.see(1, before_first, {}, syn | ack, 7), IsEmpty());
  EXPECT_THAT(all.see(1, before_first, {}, syn | ack, 7), IsEmpty()) << "it is sent again";
  EXPECT_THAT(all.see(0, 7, {}, ack), IsEmpty());
  EXPECT_THAT(all.client_at(7, "il HTTP/1.1\r\nHost: a\r\n\r\nsecret "), ElementsAre(2));
  EXPECT_THAT(all.client_at(38, "word"), ElementsAre(1));
}

TEST(handshake, data_of_a_syn_alert_once) {
  conversation all{std::string{text_rule} + uri_rule};
  all.use_port(4001);
  EXPECT_THAT(all.see(0, before_first, "GET /evil secret word\r\n\r\nsecret ", syn), ElementsAre(1, 2));
  EXPECT_THAT(all.see(1, before_first, {}, syn | ack, 32), IsEmpty());
  EXPECT_THAT(all.see(0, 32, {}, ack), IsEmpty());
  EXPECT_THAT(all.client_at(32, "word"), ElementsAre(1));
}

TEST(handshake, data_of_a_further_syn_begin_the_stream_if_the_server_takes_them) {
  for (bool const is_again : {false, true}) {
    conversation all{std::string{text_rule} + uri_rule};
    all.use_port(4001);
    EXPECT_THAT(all.see(0, before_first, "GET /go", syn), IsEmpty());
    EXPECT_THAT(all.see(0, before_first, "GET /ev", syn), IsEmpty());
    if (is_again) {
      EXPECT_THAT(all.see(0, before_first, "GET /ev", syn), IsEmpty());
    }
    EXPECT_THAT(all.see(1, before_first, {}, syn | ack, 7), IsEmpty());
    EXPECT_THAT(all.see(0, before_first, "GET /no", syn), IsEmpty()) << "it comes too late";
    EXPECT_THAT(all.client_at(7, "il HTTP/1.1\r\n\r\n"), ElementsAre(2));
  }
}

TEST(handshake, a_server_may_take_the_first_data_of_a_syn) {
  conversation all{text_rule};
  all.use_port(4001);
  EXPECT_THAT(all.see(0, before_first, "secret wxxx", syn), IsEmpty());
  EXPECT_THAT(all.see(1, before_first, {}, syn | ack, 8), IsEmpty());
  EXPECT_THAT(all.client_at(8, "ord"), ElementsAre(1));
}

TEST(handshake, data_of_the_answer_count_if_the_client_takes_them) {
  for (std::uint32_t const taken : {0U, 7U}) {
    conversation all{text_rule};
    all.use_port(4001);
    EXPECT_THAT(all.see(0, before_first, {}, syn), IsEmpty());
    EXPECT_THAT(all.see(1, before_first, "secret ", syn | ack), IsEmpty());
    EXPECT_THAT(all.see(0, 0, {}, ack, taken), IsEmpty());
    if (taken == 0) {
      EXPECT_THAT(all.server_at(0, "secret "), IsEmpty());
    }
    EXPECT_THAT(all.server_at(7, "word"), ElementsAre(1)) << taken;
    EXPECT_EQ(all.state().segments().repeated, 0U);
  }
}

TEST(handshake, the_servers_answer_says_which_syn_counts) {
  conversation all{text_rule};
  all.use_port(4001);
  EXPECT_THAT(all.see(0, 900'000'000, "junk", syn), IsEmpty());
  EXPECT_THAT(all.see(0, before_first, {}, syn), IsEmpty());
  EXPECT_THAT(all.see(1, before_first, {}, syn | ack), IsEmpty());
  EXPECT_THAT(all.see(0, 0, {}, ack), IsEmpty());
  expect_followed(all);
}

TEST(handshake, a_forged_reset_and_a_forged_syn_end_nothing) {
  conversation all{
      "alert tcp any any -> any any (flow:established,to_server; content:\"secret word\"; flowbits:isset,seen; "
      "sid:1;)\n"
      "alert tcp any any -> any any (content:\"begin\"; flowbits:set,seen; noalert; sid:2;)\n"};
  EXPECT_THAT(all.client("begin"), IsEmpty());
  EXPECT_THAT(all.see(0, 77'777, {}, rst), IsEmpty());
  EXPECT_THAT(all.see(0, 99'999, "data", syn), IsEmpty());
  EXPECT_THAT(all.see(0, 99'999, {}, syn | ack), IsEmpty()) << "the server has asked for nothing";
  expect_followed(all, 5);
}

TEST(handshake, an_answer_that_comes_late_again_ends_nothing) {
  for (bool const has_reset : {false, true}) {
    conversation all{text_rule};
    if (has_reset) {
      EXPECT_THAT(all.see(0, 77'777, {}, rst), IsEmpty());
    }
    EXPECT_THAT(all.see(0, before_first, {}, syn), IsEmpty());
    EXPECT_THAT(all.client_at(0, "secret "), IsEmpty());
    EXPECT_THAT(all.see(1, before_first, {}, syn | ack), IsEmpty());
    EXPECT_THAT(all.client_at(7, "word"), ElementsAre(1));
  }
}

TEST(handshake, another_connection_of_the_same_ports_is_followed) {
  constexpr std::uint32_t first = 500'000'000;
  for (bool const is_ended : {false, true}) {
    conversation all{
        "alert tcp any any -> any any (content:\"secret word\"; flowbits:isnotset,seen; sid:1;)\n"
        "alert tcp any any -> any any (content:\"begin\"; flowbits:set,seen; noalert; sid:2;)\n"};
    EXPECT_THAT(all.client("begin"), IsEmpty());
    if (is_ended) {
      EXPECT_THAT(all.reset(), IsEmpty());
    }
    EXPECT_THAT(all.see(0, first - 1, {}, syn), IsEmpty());
    EXPECT_THAT(all.see(0, 5, {}, ack), IsEmpty()) << "of the connection before";
    EXPECT_THAT(all.see(1, 2 * first - 1, {}, syn | ack, first), IsEmpty());
    EXPECT_THAT(all.see(0, first, {}, ack, 2 * first), IsEmpty());
    expect_followed(all, first, 2 * first);
  }
}

TEST(handshake, data_of_a_syn_on_ports_that_had_a_connection_begin_the_next_one) {
  constexpr std::uint32_t first = 500'000'000;
  conversation all{text_rule};
  EXPECT_THAT(all.client("begin"), IsEmpty());
  EXPECT_THAT(all.see(0, first - 1, "secret ", syn), IsEmpty());
  EXPECT_THAT(all.see(1, 2 * first - 1, {}, syn | ack, first + 7), IsEmpty());
  EXPECT_THAT(all.see(0, first + 7, "word", psh | ack, 2 * first), ElementsAre(1));
}

}  // namespace
}  // namespace packetwarp::inspect
