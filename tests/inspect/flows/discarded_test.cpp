// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <utility>

#include "inspect/conversation.h"

// A sender puts other bytes into segments that the receiver discards, before its own ones or after them.
namespace packetwarp::inspect {
namespace {

using namespace wire::tcp_flag;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char rules[] =
    "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n"
    "alert http any any -> any any (http.uri; content:\"/evil\"; sid:2;)\n"
    "alert tls any any -> any any (tls.sni; content:\"bad.example\"; sid:3;)\n";
constexpr unsigned data = psh | ack;
constexpr std::uint32_t begin_time = 100'000;

enum class decoy_kind : std::uint8_t { acknowledges_too_much, acknowledges_too_old, comes_from_the_past };
constexpr decoy_kind kinds[] = {decoy_kind::acknowledges_too_much, decoy_kind::acknowledges_too_old,
                                decoy_kind::comes_from_the_past};

// A TLS client's first message.
std::string hello(std::string const& name) {
  auto const number = [](std::size_t value) {
    return std::string{static_cast<char>(value >> 8), static_cast<char>(value)};
  };
  auto const names = number(name.size() + 3) + '\0' + number(name.size()) + name;
  auto const extensions = number(0) + number(names.size()) + names;
  auto const body = "\3\3" + std::string(32, 'r') + '\0' + number(2) + "\x13\1" + "\1" + '\0' +
                    number(extensions.size()) + extensions;
  auto const message = std::string{"\1"} + '\0' + number(body.size()) + body;
  return "\x16\3\1" + number(message.size()) + message;
}

// Segments of a client whose server has sent nothing.
class sender {
 public:
  sender(conversation& all, decoy_kind kind) : all_{all}, kind_{kind} {
    all_.stamp(begin_time, begin_time);
    all_.begin();
  }
  std::vector<std::uint32_t> true_one(std::uint32_t position, std::string const& text) {
    all_.stamp(time_ += 10, begin_time);
    return all_.see(0, position, text, data);
  }
  std::vector<std::uint32_t> decoy(std::uint32_t position, std::string const& text) {
    auto const time = kind_ == decoy_kind::comes_from_the_past ? begin_time - 2 : time_;
    auto const acknowledged = kind_ == decoy_kind::acknowledges_too_much  ? 1U
                              : kind_ == decoy_kind::acknowledges_too_old ? ~0U
                                                                          : 0U;
    all_.stamp(time, begin_time);
    // Linux takes an old acknowledgment with the window that it expects.
    all_.offer_window(8000);
    auto sids = all_.see(0, position, std::string(text.size(), 'D'), data, acknowledged);
    all_.offer_window(0);
    return sids;
  }

 private:
  conversation& all_;
  decoy_kind kind_;
  std::uint32_t time_{begin_time};
};

enum class order : std::uint8_t { decoy_first, true_first, all_decoys_first, one_of_each, next_decoy_first };
constexpr order orders[] = {order::decoy_first, order::true_first, order::all_decoys_first, order::one_of_each,
                            order::next_decoy_first};

// The alerts of the text in segments of three bytes, with decoys in this order.
std::vector<std::uint32_t> alerts_of(std::string const& text, decoy_kind kind, order in) {
  conversation all{rules};
  sender from{all, kind};
  std::vector<std::uint32_t> sids;
  auto const see = [&](bool is_true, std::size_t part) {
    if (part * 3 >= text.size()) return;
    auto const position = static_cast<std::uint32_t>(part * 3);
    auto const piece = text.substr(part * 3, 3);
    for (auto const sid : is_true ? from.true_one(position, piece) : from.decoy(position, piece)) sids.push_back(sid);
  };
  auto const parts = (text.size() + 2) / 3;
  for (std::size_t part = 0; part < parts && in == order::all_decoys_first; ++part) see(false, part);
  for (std::size_t part = 0; part < parts; ++part) {
    if (in == order::decoy_first || (in == order::one_of_each && part % 2 == 1)) see(false, part);
    if (in == order::next_decoy_first) see(false, part + 1);
    see(true, part);
    if (in == order::true_first || (in == order::one_of_each && part % 2 == 0)) see(false, part);
  }
  EXPECT_GE(all.state().segments().discarded, parts / 2);
  return sids;
}

TEST(discarded, decoys_hide_nothing) {
  std::pair<std::string, std::uint32_t> const texts[] = {
      {"a secret word, here", 1}, {"GET /evil HTTP/1.1\r\nHost: a\r\n\r\n", 2}, {hello("www.bad.example"), 3}};
  for (auto const& [text, sid] : texts)
    for (auto const kind : kinds)
      for (auto const in : orders)
        EXPECT_THAT(alerts_of(text, kind, in), ElementsAre(sid))
            << "kind " << static_cast<int>(kind) << " order " << static_cast<int>(in);
}

TEST(discarded, a_decoy_is_judged_alone) {
  for (auto const kind : kinds) {
    conversation all{"alert tcp any any -> any any (content:\"DDDD\"; sid:1;)\n"};
    sender from{all, kind};
    EXPECT_THAT(from.decoy(0, "four"), ElementsAre(1));
    EXPECT_THAT(from.true_one(0, "DD"), IsEmpty());
    EXPECT_THAT(from.true_one(2, "xx"), IsEmpty());
  }
}

// Directions that come out of step, as in a capture.
TEST(discarded, bytes_that_the_receiver_acknowledges_are_of_the_stream) {
  conversation all{rules};
  EXPECT_THAT(all.see(0, 0, "secret ", data, 5), IsEmpty()) << "the server's answer comes late";
  EXPECT_THAT(all.see(0, 7, "word", data, 5), IsEmpty());
  EXPECT_THAT(all.see(1, 0, "hello", data, 0), IsEmpty());
  EXPECT_THAT(all.see(1, 5, {}, ack, 11), ElementsAre(1)) << "with the acknowledgment";
  EXPECT_THAT(all.see(0, 11, {}, ack, 5), IsEmpty());
  EXPECT_EQ(all.state().segments().discarded, 2U);
  EXPECT_THAT(all.see(0, 11, "GET /evil HTTP/1.1\r\n\r\n", data, 9), IsEmpty());
  EXPECT_THAT(all.see(1, 5, "1234", data, 11), IsEmpty());
}

TEST(discarded, acknowledged_requests_and_names_are_read) {
  std::pair<std::string, std::uint32_t> const texts[] = {{"GET /evil HTTP/1.1\r\nHost: a\r\n\r\n", 2},
                                                         {hello("www.bad.example"), 3}};
  for (auto const& [text, sid] : texts) {
    conversation all{rules};
    EXPECT_THAT(all.see(0, 0, text.substr(0, 8), data, 5), IsEmpty());
    EXPECT_THAT(all.see(0, 8, text.substr(8), data, 5), IsEmpty());
    EXPECT_THAT(all.see(1, 5, {}, ack, static_cast<std::uint32_t>(text.size())), ElementsAre(sid));
  }
}

TEST(discarded, bytes_after_others_that_were_never_seen_are_of_the_stream) {
  conversation all{rules};
  EXPECT_THAT(all.client("begin"), IsEmpty());
  EXPECT_THAT(all.see(0, 9, "secret ", data, 5), IsEmpty());
  EXPECT_THAT(all.see(0, 16, "word", data, 5), IsEmpty());
  EXPECT_THAT(all.see(1, 5, {}, ack, 20), ElementsAre(1));
  EXPECT_EQ(all.state().segments().gaps, 1U);
}

TEST(discarded, what_is_held_is_judged_at_the_end) {
  conversation all{rules};
  EXPECT_THAT(all.see(0, 0, "secret ", data, 5), IsEmpty());
  EXPECT_THAT(all.see(1, 0, "hello", data, 0), IsEmpty());
  EXPECT_THAT(all.see(0, 7, "word", data, 5), IsEmpty()) << "waits";
  EXPECT_THAT(all.finish(), ElementsAre(1));
  EXPECT_THAT(all.finish(), IsEmpty());
}

TEST(discarded, an_acknowledgment_that_is_discarded_itself_proves_nothing) {
  conversation all{rules};
  EXPECT_THAT(all.see(0, 0, "secret ", data, 5), IsEmpty());
  EXPECT_THAT(all.see(1, 0, {}, ack, 100), IsEmpty());
  EXPECT_THAT(all.see(0, 0, "SECRET ", data, 0), IsEmpty());
  EXPECT_THAT(all.see(0, 7, "word", data, 0), IsEmpty());
}

TEST(discarded, a_rule_does_not_match_held_bytes_twice) {
  for (bool const is_end : {false, true}) {
    conversation all{rules};
    EXPECT_THAT(all.see(0, 0, "a secret word", data, 5), ElementsAre(1)) << "alone";
    EXPECT_THAT(all.see(0, 13, ", GET", data, 5), IsEmpty());
    EXPECT_THAT(is_end ? all.finish() : all.see(1, 5, {}, ack, 18), IsEmpty());
    EXPECT_THAT(all.see(0, 18, "a secret word", data, 5), ElementsAre(1)) << "another one";
  }
}

TEST(discarded, rules_for_packets_are_not_judged_by_acknowledged_bytes) {
  conversation all{
      "alert tcp any any -> any any (flags:A; dsize:0; sid:1;)\nalert tcp any any -> any any (content:\"bc\"; "
      "sid:2;)\n"};
  EXPECT_THAT(all.see(0, 0, "ab", data, 5), IsEmpty());
  EXPECT_THAT(all.see(0, 2, "cd", data, 5), IsEmpty());
  EXPECT_THAT(all.see(1, 5, {}, ack, 4), ElementsAre(1, 2));
}

TEST(discarded, a_discarded_fin_ends_no_message) {
  constexpr char text[] =
      "alert http any any -> any any (http.response_body; content:\"ab\"; content:!\"x\"; sid:1;)\n";
  conversation all{text};
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), IsEmpty());
  std::string const head = "HTTP/1.1 200 OK\r\n\r\nab";
  auto const size = static_cast<std::uint32_t>(head.size());
  EXPECT_THAT(all.server(head), IsEmpty());
  EXPECT_THAT(all.see(1, size, {}, fin | ack, 1000), IsEmpty());
  EXPECT_THAT(all.see(1, size, "x", data, 0), IsEmpty());
  EXPECT_THAT(all.see(1, size + 1, {}, fin | ack, 0), IsEmpty());
}

TEST(discarded, a_fin_that_the_receiver_acknowledges_ends_the_message) {
  constexpr char text[] =
      "alert http any any -> any any (http.response_body; content:\"ab\"; content:!\"x\"; sid:1;)\n";
  conversation all{text};
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), IsEmpty());
  std::string const head = "HTTP/1.1 200 OK\r\n\r\nab";
  auto const size = static_cast<std::uint32_t>(head.size());
  EXPECT_THAT(all.server(head), IsEmpty());
  EXPECT_THAT(all.see(1, size, {}, fin | ack, 1000), IsEmpty());
  EXPECT_THAT(all.see(0, 1000, {}, ack, size + 1), ElementsAre(1));
  EXPECT_THAT(all.see(1, size + 1, {}, ack, 1000), IsEmpty());
}

TEST(discarded, thousands_of_decoys_take_a_bounded_memory_and_push_nothing_out) {
  conversation all{rules};
  conversation calm{rules};
  sender from{all, decoy_kind::acknowledges_too_much};
  EXPECT_THAT(from.true_one(8, "et word"), IsEmpty()) << "waits";
  for (std::uint32_t n = 0; n < 3000; ++n) EXPECT_THAT(from.decoy(n % 1000, std::string(1400, 'x')), IsEmpty());
  EXPECT_LE(all.state().streams().bytes(), sizeof(tracked_stream) + 2 * held_segments::most_bytes);
  EXPECT_EQ(all.state().segments().discarded, 3000U);
  EXPECT_THAT(from.true_one(0, "a "), IsEmpty());
  EXPECT_THAT(from.true_one(2, "secr"), IsEmpty());
  EXPECT_THAT(from.true_one(6, "##"), IsEmpty());
  EXPECT_THAT(from.true_one(15, " secret word"), ElementsAre(1));
}

TEST(discarded, another_connection_is_followed_as_before) {
  conversation all{rules};
  sender from{all, decoy_kind::comes_from_the_past};
  EXPECT_THAT(from.decoy(0, "secret "), IsEmpty());
  all.begin(4001);
  EXPECT_THAT(all.client("secret "), IsEmpty());
  EXPECT_THAT(all.client("word"), ElementsAre(1));
}

TEST(discarded, a_forged_reset_or_syn_changes_no_time) {
  conversation all{rules};
  sender from{all, decoy_kind::comes_from_the_past};
  EXPECT_THAT(from.true_one(0, "secret"), IsEmpty());
  for (unsigned const flags : {unsigned{syn}, unsigned{rst}, unsigned{rst | ack}, unsigned{syn | rst}}) {
    all.stamp(begin_time + 1'000'000, 7);
    EXPECT_THAT(all.see(0, 5000, {}, flags), IsEmpty());
    all.stamp(1, 7);
    EXPECT_THAT(all.see(0, 5000, {}, flags), IsEmpty());
  }
  EXPECT_THAT(from.decoy(6, "XXXXX"), IsEmpty());
  EXPECT_THAT(from.true_one(6, " word"), ElementsAre(1));
  EXPECT_EQ(all.state().segments().discarded, 1U);
}

}  // namespace
}  // namespace packetwarp::inspect
