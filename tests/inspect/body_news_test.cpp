// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "inspect/conversation.h"

// Bodies of messages that come in many small segments: the work that they cost, and that nothing in them goes unseen.
namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t body_size = http_reader::longest_body;
// A body's bytes count once for each of the small news. Its sizes at the others are a geometric series, up to the size
// from which there are news for each most_put_off bytes.
constexpr std::uint64_t most_compared =
    (http_reader::most_small_news + http_reader::parts_of_body + 1 + body_size / http_reader::most_put_off) * body_size;

constexpr char two_ends[] =
    "alert http any any -> any any (http.request_body; content:\"password=\"; content:\"the end\"; distance:0; "
    "sid:1;)\n"
    "alert http any any -> any any (file.data; content:\"password=\"; content:\"the end\"; distance:0; sid:2;)\n";

[[nodiscard]] std::string request_head(std::size_t size) {
  return fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", size);
}

// The segments' alerts, by the number of the segment.
template <class Send>
[[nodiscard]] std::vector<std::size_t> alerting_segments(std::string const& text, std::size_t size, Send&& send) {
  std::vector<std::size_t> made;
  for (std::size_t at = 0; at < text.size(); at += size) {
    for ([[maybe_unused]] auto const sid : send(text.substr(at, size))) made.push_back(at / size);
  }
  return made;
}

TEST(body_news, small_segments_cost_a_bounded_multiple_of_the_body) {
  for (std::size_t const size : {4U, 16U, 100U}) {
    conversation all{two_ends};
    std::string body = "password=" + std::string(body_size - 16, 'x') + "the end";
    (void)all.client(request_head(body.size()));
    auto const alerts = alerting_segments(body, size, [&](auto const& part) { return all.client(part); });
    EXPECT_THAT(alerts, ElementsAre((body.size() - 1) / size)) << "by the segment that ends the body";
    EXPECT_LE(all.state().judged().body_bytes, most_compared) << size << " bytes per segment";
    EXPECT_EQ(all.state().judged().out_of_bytes, 0U);
  }
}

TEST(body_news, segments_of_usual_sizes_alert_at_once) {
  for (std::size_t const size : {1024U, 1460U, 4000U}) {
    conversation all{two_ends};
    std::string body = "password=" + std::string(body_size / 2, 'x') + "the end" + std::string(body_size / 3, 'y');
    (void)all.client(request_head(body.size()));
    auto const alerts = alerting_segments(body, size, [&](auto const& part) { return all.client(part); });
    EXPECT_THAT(alerts, ElementsAre((body.find("the end") + 6) / size)) << size;
  }
}

TEST(body_news, a_match_among_small_segments_alerts_before_the_body_has_grown_by_a_part) {
  conversation all{two_ends};
  auto const begin = "password=" + std::string(20'000, 'x');
  (void)all.client(request_head(body_size));
  EXPECT_THAT(alerting_segments(begin, 10, [&](auto const& part) { return all.client(part); }), IsEmpty());
  auto const rest = "the end" + std::string(begin.size() / http_reader::parts_of_body + 100, 'y');
  EXPECT_THAT(alerting_segments(rest, 10, [&](auto const& part) { return all.client(part); }), testing::SizeIs(1));
}

// The other contents of a rule may be in the payload of a segment whose news are put off.
TEST(body_news, what_was_found_in_segments_in_between_is_kept) {
  conversation all{
      "alert http any any -> any any (http.request_body; content:\"abc\"; pkt_data; content:\"literal\"; sid:1;)\n"
      "alert http any any -> any any (http.request_body; content:\"literal\"; content:\"begin\"; sid:2;)\n"};
  (void)all.client(request_head(body_size));
  (void)all.client("begin abc");
  for (unsigned n = 0; n < 2000; ++n) EXPECT_THAT(all.client("0123456789"), IsEmpty());
  EXPECT_THAT(all.client("literal"), IsEmpty()) << "put off";
  std::vector<std::uint32_t> later;
  for (unsigned n = 0; n < 200; ++n) {
    for (auto const sid : all.client("0123456789")) later.push_back(sid);
  }
  EXPECT_THAT(later, ElementsAre(1, 2));
}

TEST(body_news, the_end_of_the_direction_brings_what_was_put_off) {
  for (bool const is_gap : {false, true}) {
    conversation all{two_ends};
    std::string const text = "HTTP/1.1 200 OK\r\n\r\npassword=" + std::string(30'000, 'x');
    EXPECT_THAT(alerting_segments(text, 10, [&](auto const& part) { return all.server(part); }), IsEmpty());
    EXPECT_THAT(all.server("the end"), IsEmpty());
    if (is_gap) {
      auto const end = static_cast<std::uint32_t>(text.size() + 7);
      EXPECT_THAT(all.server_at(end + 10, "later"), IsEmpty());
      EXPECT_THAT(all.client_acknowledges(end + 15), IsEmpty());
      EXPECT_THAT(all.server_at(end + 15, "bytes"), ElementsAre(2)) << "before bytes that never came";
      EXPECT_EQ(all.state().segments().gaps, 1U);
    } else {
      EXPECT_THAT(all.server_ends(), ElementsAre(2));
      EXPECT_THAT(all.server_ends(), IsEmpty()) << "once";
    }
  }
}

constexpr unsigned last = wire::tcp_flag::fin | wire::tcp_flag::ack;

[[nodiscard]] std::string long_answer() { return "HTTP/1.1 200 OK\r\n\r\npassword=" + std::string(30'000, 'x'); }

// A receiver waits for the bytes before a FIN, as for those before other segments.
TEST(body_news, an_end_that_comes_before_the_last_bytes_brings_them) {
  conversation all{two_ends};
  auto const text = long_answer();
  EXPECT_THAT(alerting_segments(text, 10, [&](auto const& part) { return all.server(part); }), IsEmpty());
  auto const at = static_cast<std::uint32_t>(text.size());
  EXPECT_THAT(all.see(1, at + 7, {}, last), IsEmpty());
  EXPECT_THAT(all.server("the end"), ElementsAre(2));
}

// Receivers heed none of these: a FIN of bytes that have come, one far away, and a reset of another number.
TEST(body_news, a_forged_end_is_none) {
  for (auto const& [ahead, flags] :
       {std::pair{-1, last}, std::pair{1 << 24, last}, std::pair{1, 4U}, std::pair{-1, 4U}}) {
    conversation all{two_ends +
                     std::string{"alert http any any -> any any (http.stat_code; content:\"404\"; sid:3;)\n"}};
    auto const text = long_answer();
    EXPECT_THAT(alerting_segments(text, 10, [&](auto const& part) { return all.server(part); }), IsEmpty());
    EXPECT_THAT(all.server("the end"), IsEmpty());
    auto const at = static_cast<std::uint32_t>(text.size() + 7);
    EXPECT_THAT(all.see(1, at + static_cast<std::uint32_t>(ahead), {}, flags), IsEmpty());
    EXPECT_THAT(all.server_ends(), ElementsAre(2));

    all.begin(4001);
    (void)all.client("GET / HTTP/1.1\r\n\r\n");
    EXPECT_THAT(all.server("HT"), IsEmpty());
    EXPECT_THAT(all.see(1, 2 + static_cast<std::uint32_t>(ahead), {}, flags), IsEmpty());
    EXPECT_THAT(all.server("TP/1.1 404 Gone\r\n\r\n"), ElementsAre(3)) << "no body without a head";
  }
}

TEST(body_news, ends_without_end_cost_a_bounded_multiple_of_the_body) {
  conversation all{two_ends};
  std::string const body = "password=" + std::string(body_size - 16, 'x') + "the end";
  std::uint32_t at = 0;
  auto const send = [&](std::string const& part) {
    (void)all.see(0, at, part, last);
    at += static_cast<std::uint32_t>(part.size());
  };
  send(request_head(body.size()));
  for (std::size_t byte = 0; byte < body.size(); byte += 4) send(body.substr(byte, 4));
  EXPECT_LE(all.state().judged().body_bytes, most_compared + stream_side::most_ends * body_size);
}

}  // namespace
}  // namespace packetwarp::inspect
