// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "inspect/conversation.h"

namespace packetwarp::inspect {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr char secret_rule[] = "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n";

TEST(stream, a_content_across_segments_is_found_once) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client("the sec"), IsEmpty());
  EXPECT_THAT(all.client("ret wo"), IsEmpty());
  EXPECT_THAT(all.client("rd is"), ElementsAre(1));
  EXPECT_THAT(all.client(" out"), IsEmpty());
  EXPECT_THAT(all.client("secret word"), ElementsAre(1));
  EXPECT_THAT(all.server("secret "), IsEmpty());
  EXPECT_THAT(all.server("word"), ElementsAre(1));
}

TEST(stream, a_content_of_single_bytes_is_found) {
  conversation all{secret_rule};
  std::string const text = "a secret word";
  for (std::size_t at = 0; at + 1 < text.size(); ++at) EXPECT_THAT(all.client(text.substr(at, 1)), IsEmpty()) << at;
  EXPECT_THAT(all.client("d"), ElementsAre(1));
}

TEST(stream, contents_of_one_rule_may_lie_in_different_segments) {
  conversation all{"alert tcp any any -> any any (content:\"first\"; content:\"second\"; distance:0; sid:1;)\n"};
  EXPECT_THAT(all.client("first"), IsEmpty());
  EXPECT_THAT(all.client("and"), IsEmpty());
  EXPECT_THAT(all.client("second"), ElementsAre(1));
  EXPECT_THAT(all.client("first"), IsEmpty());
  EXPECT_THAT(all.client("second"), ElementsAre(1));
}

// The contents lie in the first segment, and what lets the rule match comes with the second one. It matches once.
TEST(stream, a_check_may_wait_for_bytes_after_the_contents) {
  for (auto const* const checks :
       {"content:\"first\"; isdataat:5,relative;", "content:\"first\"; isdataat:8;",
        "content:\"first\"; byte_test:2,=,0x6162,2,relative;", "content:\"first\"; byte_test:4,>,0,8;",
        "content:\"fi\"; byte_test:4,=,0,3,relative,string; content:!\"zz\";",
        "content:\"first\"; byte_jump:1,1,relative,post_offset -97;", "content:\"first\"; pcre:\"/st(?=..ab)/\";"}) {
    conversation all{std::string{"alert tcp any any -> any any ("} + checks + " sid:1;)\n"};
    EXPECT_THAT(all.client("first0"), IsEmpty()) << checks;
    EXPECT_THAT(all.client("0abcdef"), ElementsAre(1)) << checks;
    EXPECT_THAT(all.client("ab"), IsEmpty()) << checks;
    EXPECT_THAT(all.client("abcdef"), IsEmpty()) << checks;
  }
}

TEST(stream, bytes_are_carried_as_far_as_the_bound) {
  conversation all{"alert tcp any any -> any any (content:\"first\"; content:\"second\"; distance:0; sid:1;)\n"};
  EXPECT_THAT(all.client("first"), IsEmpty());
  EXPECT_THAT(all.client(std::string(1000, 'x')), IsEmpty());
  EXPECT_THAT(all.client("second"), ElementsAre(1));
  EXPECT_THAT(all.client(std::string(1400, 'x')), IsEmpty());
  EXPECT_THAT(all.client("second"), IsEmpty());
}

TEST(stream, segments_out_of_order_are_inspected_in_order) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(7, "word"), IsEmpty());
  EXPECT_THAT(all.client_at(11, " more"), IsEmpty());
  EXPECT_THAT(all.client_at(0, "secret "), ElementsAre(1));
  EXPECT_EQ(all.state().segments().out_of_order, 2U);
  EXPECT_EQ(all.state().streams().never_in_order(), 0U);
}

TEST(stream, a_repeated_segment_does_not_alert_again) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(0, "secret word"), ElementsAre(1));
  EXPECT_THAT(all.client_at(0, "secret word"), IsEmpty());
  EXPECT_THAT(all.client_at(7, "word"), IsEmpty());
  EXPECT_EQ(all.state().segments().repeated, 2U);
  EXPECT_EQ(all.state().segments().differing, 0U);
}

// Which of two versions a host takes depends on the host: both are inspected.
TEST(stream, bytes_that_differ_from_those_sent_before_are_inspected_too) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(0, "harmless...."), IsEmpty());
  EXPECT_THAT(all.client_at(0, "secret word"), ElementsAre(1));
  EXPECT_EQ(all.state().segments().differing, 1U);
  EXPECT_THAT(all.client_at(6, "secret word!"), ElementsAre(1));
}

TEST(stream, an_overlapping_segment_brings_the_bytes_that_are_new) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(0, "secret w"), IsEmpty());
  EXPECT_THAT(all.client_at(4, "et word"), ElementsAre(1));
  EXPECT_THAT(all.client_at(11, " secret word"), ElementsAre(1));
}

// Some hosts keep the bytes that wait, and others take those that come in order.
TEST(stream, waiting_bytes_are_inspected_if_others_come_in_their_place_in_order) {
  for (std::string const other : {"0123456789harmless...", "0123456789secret wxrd and more", "0123456789xxxxxx"}) {
    conversation all{secret_rule};
    EXPECT_THAT(all.client_at(10, "secret "), IsEmpty());
    EXPECT_THAT(all.client_at(17, "word"), IsEmpty());
    EXPECT_THAT(all.client_at(0, other), ElementsAre(1)) << other;
    EXPECT_GE(all.state().segments().differing, 1U);
    EXPECT_THAT(all.client_at(static_cast<std::uint32_t>(other.size()), "and so on"), IsEmpty());
  }
}

TEST(stream, waiting_bytes_are_inspected_with_the_bytes_around_them) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(0, "the secr"), IsEmpty());
  EXPECT_THAT(all.client_at(10, " w"), IsEmpty());
  EXPECT_THAT(all.client_at(8, "et..ord"), ElementsAre(1));
}

TEST(stream, waiting_bytes_do_not_alert_again_if_they_come_in_order_as_they_were) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(10, "secret word"), IsEmpty());
  EXPECT_THAT(all.client_at(10, "secret word"), IsEmpty());
  EXPECT_THAT(all.client_at(14, "et word, and"), IsEmpty());
  EXPECT_THAT(all.client_at(0, "0123456789secret word"), ElementsAre(1));
  EXPECT_THAT(all.client_at(10, "secret word"), IsEmpty());
  EXPECT_EQ(all.state().segments().differing, 0U);
  EXPECT_EQ(all.state().streams().never_in_order(), 0U);
}

TEST(stream, other_bytes_than_those_that_wait_are_inspected_as_a_packet) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(10, "harmless..."), IsEmpty());
  EXPECT_THAT(all.client_at(10, "secret word"), ElementsAre(1));
  EXPECT_THAT(all.client_at(0, "0123456789"), IsEmpty());
  EXPECT_EQ(all.state().segments().differing, 1U);
}

TEST(stream, a_longer_segment_does_not_take_the_place_of_one_that_waits) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(10, "secret word"), IsEmpty());
  EXPECT_THAT(all.client_at(10, "harmless...."), IsEmpty());
  EXPECT_THAT(all.client_at(0, "0123456789"), ElementsAre(1));
  EXPECT_EQ(all.state().segments().differing, 1U);
}

TEST(stream, a_segment_may_lie_across_several_that_wait) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(10, "xxxharmless"), IsEmpty());
  EXPECT_THAT(all.client_at(13, "secret word"), ElementsAre(1));
  EXPECT_THAT(all.client_at(0, "0123456789"), IsEmpty());
  EXPECT_THAT(all.client_at(30, "cre"), IsEmpty());
  EXPECT_THAT(all.client_at(34, " w"), IsEmpty());
  EXPECT_THAT(all.client_at(26, ". secret word."), IsEmpty());
  EXPECT_THAT(all.client_at(24, ".."), ElementsAre(1));
}

TEST(stream, bytes_that_never_came_and_are_acknowledged_are_skipped) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(0, "secret "), IsEmpty());
  EXPECT_THAT(all.client_at(20, "word"), IsEmpty());
  EXPECT_THAT(all.server_acknowledges(24), IsEmpty());
  EXPECT_THAT(all.client_at(24, " secret word"), ElementsAre(1));
  EXPECT_EQ(all.state().segments().gaps, 1U);
}

TEST(stream, too_many_waiting_segments_end_the_wait) {
  conversation all{secret_rule};
  for (std::uint32_t i = 0; i < stream_side::most_waiting; ++i) EXPECT_THAT(all.client_at(100 + 2 * i, "x"), IsEmpty());
  EXPECT_THAT(all.client_at(101, "secret word"), ElementsAre(1));
  EXPECT_EQ(all.state().segments().gaps, 1U);
}

TEST(stream, a_segment_far_ahead_is_inspected_alone) {
  conversation all{secret_rule};
  EXPECT_THAT(all.client_at(9'000'000, "secret word"), ElementsAre(1));
  EXPECT_THAT(all.client_at(0, "secret "), IsEmpty());
  EXPECT_THAT(all.client_at(7, "word"), ElementsAre(1));
  EXPECT_EQ(all.state().segments().too_far_ahead, 1U);
}

TEST(stream, a_depth_counts_from_the_begin_of_the_stream_and_of_a_packet) {
  conversation all{"alert tcp any any -> any any (content:\"GET /x\"; depth:6; sid:1;)\n"};
  EXPECT_THAT(all.client("GET"), IsEmpty());
  EXPECT_THAT(all.client(" /x"), ElementsAre(1));
  EXPECT_THAT(all.client("GET /x"), ElementsAre(1));
  EXPECT_THAT(all.client("GET"), IsEmpty());
  EXPECT_THAT(all.client(" /x"), IsEmpty());
}

TEST(stream, a_depth_counts_from_the_begin_also_if_the_first_segment_comes_last) {
  conversation all{"alert tcp any any -> any any (content:\"GET /x\"; depth:6; sid:1;)\n"};
  EXPECT_THAT(all.client_at(3, " /x GET /x"), IsEmpty());
  EXPECT_THAT(all.client_at(0, "GET"), ElementsAre(1));
}

TEST(stream, a_rule_for_packets_does_not_look_at_the_stream) {
  conversation all{
      "alert tcp-pkt any any -> any any (content:\"secret word\"; sid:1;)\n"
      "alert tcp any any -> any any (flow:no_stream; content:\"secret word\"; sid:2;)\n"
      "alert tcp any any -> any any (flow:only_stream; content:\"secret word\"; sid:3;)\n"};
  EXPECT_THAT(all.client("secret "), IsEmpty());
  EXPECT_THAT(all.client("word"), ElementsAre(3));
  EXPECT_THAT(all.client("secret word"), ElementsAre(1, 2, 3));
}

// A receiver drops a segment with a wrong checksum: its bytes are not those that the connection has.
TEST(stream, segments_with_wrong_checksums_are_of_no_connection_if_they_are_verified) {
  for (auto const how : {wire::checksum_handling::ignore, wire::checksum_handling::verify}) {
    conversation all{"alert tcp any any -> any 80 (content:\"a secret word\"; sid:1;)\n",
                     {.flows = 64, .rates = 64, .checksums = how}};
    bool const is_verified = how == wire::checksum_handling::verify;
    EXPECT_THAT(all.client("a secret"), IsEmpty());
    EXPECT_THAT(all.damaged(0, 8, " harmless"), IsEmpty());
    EXPECT_THAT(all.damaged(1, 0, {}, wire::tcp_flag::rst | wire::tcp_flag::ack), IsEmpty());
    if (is_verified) {
      EXPECT_THAT(all.client(" word"), ElementsAre(1));
      EXPECT_THAT(all.damaged(0, 100, "a secret word"), ElementsAre(1)) << "the segment is judged alone";
    } else {
      EXPECT_THAT(all.client(" word"), IsEmpty()) << "the bytes that came first are the connection's";
      EXPECT_THAT(all.damaged(0, 100, "a secret word"), IsEmpty()) << "it waits for the bytes before it";
    }
    EXPECT_EQ(all.state().counts().wrong_checksums, is_verified ? 3U : 0U);
  }
}

TEST(stream, data_of_a_reset_are_of_the_packet_alone) {
  conversation all{
      "alert tcp-pkt any any -> any any (content:\"secret word\"; sid:1;)\n"
      "alert tcp any any -> any any (flow:only_stream; content:\"secret word\"; sid:2;)\n"
      "alert tcp any any -> any any (content:\"secret word\"; sid:3;)\n"};
  EXPECT_THAT(all.client("secret "), IsEmpty());
  EXPECT_THAT(all.reset("word"), IsEmpty());
  EXPECT_THAT(all.reset("secret word"), ElementsAre(1, 3));
}

TEST(stream, a_connection_beyond_the_bound_replaces_the_one_that_was_idle_the_longest) {
  conversation all{secret_rule, {.flows = 1024, .rates = 8, .streams = 2}};
  EXPECT_THAT(all.client("secret "), IsEmpty());
  all.begin(4001);
  EXPECT_THAT(all.client("x"), IsEmpty());
  all.begin(4002);
  EXPECT_THAT(all.client("x"), IsEmpty());
  EXPECT_EQ(all.state().segments().given_up_for_places, 1U);
  EXPECT_THAT(all.client(" secret "), IsEmpty());
  EXPECT_THAT(all.client("word"), ElementsAre(1));
}

TEST(stream, connections_beyond_the_bound_of_bytes_are_given_up) {
  conversation all{secret_rule, {.flows = 1024, .rates = 8, .streams = 100, .stream_bytes = 30'000}};
  for (unsigned port = 1; port <= 50; ++port) {
    all.begin(port);
    EXPECT_THAT(all.client(std::string(1400, 'x')), IsEmpty());
  }
  EXPECT_GT(all.state().segments().given_up_for_bytes, 30U);
}

constexpr char sni_rule[] =
    "alert tls any any -> any any (tls.sni; content:\"example.net\"; sid:1;)\n"
    "alert tls any any -> any any (content:\"|16 03|\"; startswith; sid:2;)\n";

// A record of TLS's handshake (RFC 8446, 5.1).
[[nodiscard]] std::string record_of(std::string const& bytes) {
  return std::string{"\x16\x03\x01\x00", 4} + static_cast<char>(bytes.size()) + bytes;
}
// A ClientHello for example.net, without a record.
[[nodiscard]] std::string hello_message() {
  return std::string{"\x01\x00\x00\x43\x03\x03", 6} + std::string(32, 'r') +
         std::string{"\x00\x00\x02\x13\x01\x01\x00\x00\x18\x00\x15\x00\x00\x00\x00\x00\x10\x00\x0e\x00\x00\x0b", 22} +
         "example.net";
}

// The alerts of a new connection whose client sends these pieces.
[[nodiscard]] std::vector<std::uint32_t> alerts_of(conversation& all, unsigned port,
                                                   std::vector<std::string> const& pieces) {
  all.begin(port);
  std::vector<std::uint32_t> sids;
  for (auto const& piece : pieces) {
    for (auto const sid : all.client(piece)) sids.push_back(sid);
  }
  return sids;
}

TEST(stream, a_name_of_tls_across_records_is_found_once_at_every_cut) {
  conversation all{sni_rule, {.flows = 131'072, .rates = 8}};
  auto const message = hello_message();
  unsigned port = 0;
  for (std::size_t at = 1; at < message.size(); ++at) {
    auto const hello = record_of(message.substr(0, at)) + record_of(message.substr(at)) + "more";
    EXPECT_THAT(alerts_of(all, ++port, {hello}), UnorderedElementsAre(1, 2)) << at;
    for (std::size_t cut = 1; cut < hello.size(); ++cut) {
      auto const sids = alerts_of(all, ++port, {hello.substr(0, cut), hello.substr(cut)});
      EXPECT_EQ(std::count(sids.begin(), sids.end(), 1U), 1) << at << ' ' << cut;
      EXPECT_THAT(sids, Contains(2U)) << at << ' ' << cut;
    }
  }
}

TEST(stream, a_name_of_tls_is_found_where_each_byte_has_a_record_or_a_segment) {
  conversation all{sni_rule};
  std::string records;
  for (char const c : hello_message()) records += record_of({}) + record_of({c});
  EXPECT_THAT(alerts_of(all, 1, {records}), UnorderedElementsAre(1, 2));
  std::vector<std::string> bytes;
  for (char const c : record_of(hello_message())) bytes.push_back({c});
  EXPECT_THAT(alerts_of(all, 2, bytes), UnorderedElementsAre(1, 2));
}

TEST(stream, a_name_of_tls_is_not_read_from_records_of_other_kinds) {
  conversation all{sni_rule};
  auto const message = hello_message();
  auto rest = record_of(message.substr(60));
  rest.front() = '\x17';
  EXPECT_THAT(alerts_of(all, 1, {record_of(message.substr(0, 60)) + rest}), ElementsAre(2));
}

TEST(stream, a_name_of_tls_across_segments_is_found_once) {
  conversation all{sni_rule};
  auto const hello = record_of(hello_message());
  EXPECT_THAT(all.client(hello.substr(0, 50)), ElementsAre(2));
  EXPECT_THAT(all.client(hello.substr(50)), ElementsAre(1));
  EXPECT_THAT(all.client("more"), IsEmpty());
}

}  // namespace
}  // namespace packetwarp::inspect
