// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "inspect/conversation.h"

// Checks that a part of a body may pass, and all of it not: they wait for its end.
namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char rules[] =
    "drop http any any -> any any (file.data; content:\"<html>\"; startswith; content:!\"</html>\"; sid:1;)\n"
    "drop http any any -> any any (http.request_body; content:\"a=1\"; content:!\"token=good\"; sid:2;)\n"
    "drop http any any -> any any (http.response_body; content:\"xxxx\"; endswith; sid:3;)\n"
    "drop http any any -> any any (http.request_body; content:\"a=1\"; bsize:<2000; sid:4;)\n"
    "drop http any any -> any any (http.request_body; content:\"a=1\"; isdataat:!2000,relative; sid:5;)\n"
    "drop http any any -> any any (http.request_body; content:\"a=1\"; pcre:!\"/good/\"; sid:6;)\n"
    "drop http any any -> any any (http.request_body; content:\"a=1\"; pcre:\"/k=v$/\"; sid:7;)\n"
    "drop http any any -> any any (http.request_body; pcre:\"/^a=1(?!.*good)/s\"; sid:8;)\n"
    "alert http any any -> any any (http.request_body; content:\"a=1\"; pcre:\"/a=[$]?1/\"; sid:9;)\n";

template <class Send>
[[nodiscard]] std::vector<std::vector<std::uint32_t>> alerts_by_segment(std::string const& text, std::size_t size,
                                                                        Send&& send) {
  std::vector<std::vector<std::uint32_t>> made;
  for (std::size_t at = 0; at < text.size(); at += size) made.push_back(send(text.substr(at, size)));
  return made;
}

[[nodiscard]] std::string post(std::string const& body) {
  return fmt::format("POST /up HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
}

[[nodiscard]] std::string fields() {
  std::string made = "a=1&";
  while (made.size() < 2404) made += "k=v&";
  return made;
}

TEST(whole_body, ordinary_messages_in_segments_match_no_rule_of_their_end) {
  for (std::size_t const size : {4U, 20U, 100U, 400U, 1460U}) {
    conversation all{rules};
    auto const of_client = [&](auto const& part) { return all.client(part); };
    for (auto const& alerts : alerts_by_segment(post(fields() + "token=good"), size, of_client))
      EXPECT_THAT(alerts, testing::AnyOf(IsEmpty(), ElementsAre(9))) << size;
    auto const page = "<html><body>" + std::string(3000, 'x') + "</body></html>";
    auto const answer = fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", page.size(), page);
    for (auto const& alerts : alerts_by_segment(answer, size, [&](auto const& part) { return all.server(part); }))
      EXPECT_THAT(alerts, IsEmpty()) << size;
  }
}

TEST(whole_body, the_end_of_a_message_decides) {
  for (std::size_t const size : {4U, 20U, 100U, 400U, 1460U, 4000U}) {
    conversation all{rules};
    std::string const body = "a=1&" + std::string(1000, 'y') + "k=v";
    auto const by_client = alerts_by_segment(post(body), size, [&](auto const& part) { return all.client(part); });
    std::vector<std::uint32_t> by_end = by_client.back();
    std::erase(by_end, 9U);
    EXPECT_THAT(by_end, ElementsAre(2, 4, 5, 6, 7, 8)) << size;
    std::size_t alerts = 0;
    for (auto const& some : by_client) alerts += some.size();
    EXPECT_EQ(alerts, 7U) << "once each";
    std::string const page = "<html>" + std::string(3000, 'x');
    auto const chunked =
        fmt::format("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n", page.size(), page);
    auto const by_server = alerts_by_segment(chunked, size, [&](auto const& part) { return all.server(part); });
    EXPECT_THAT(by_server.back(), ElementsAre(1, 3)) << size;
  }
}

TEST(whole_body, so_does_the_end_of_the_direction) {
  conversation all{rules};
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\n\r\n<html>" + std::string(1000, 'x')), IsEmpty());
  EXPECT_THAT(all.server(std::string(1000, 'x')), IsEmpty());
  EXPECT_THAT(all.server_ends(), ElementsAre(1, 3));
  EXPECT_THAT(all.server_ends(), IsEmpty());

  all.begin(4001);
  EXPECT_THAT(all.client("POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\na=1&k=v"), ElementsAre(9));
  EXPECT_THAT(all.reset(), ElementsAre(2, 4, 5, 6, 7, 8));
}

TEST(whole_body, so_do_bytes_that_never_came) {
  conversation all{rules};
  std::string const text = "HTTP/1.1 200 OK\r\n\r\n<html>xxxx";
  EXPECT_THAT(all.server(text), IsEmpty());
  auto const end = static_cast<std::uint32_t>(text.size());
  EXPECT_THAT(all.server_at(end + 10, "later"), IsEmpty());
  EXPECT_THAT(all.client_acknowledges(end + 15), IsEmpty());
  EXPECT_THAT(all.server_at(end + 15, "bytes"), ElementsAre(1, 3));
}

TEST(whole_body, so_does_the_bound_of_a_body) {
  conversation all{rules};
  EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\n\r\n<html>"), IsEmpty());
  std::size_t sent = 6;
  for (; sent + 1000 <= http_reader::longest_body; sent += 1000)
    EXPECT_THAT(all.server(std::string(1000, 'x')), IsEmpty());
  EXPECT_THAT(all.server(std::string(1000, 'x')), ElementsAre(1, 3));
  EXPECT_THAT(all.server("</html>"), IsEmpty());
  EXPECT_THAT(all.server_ends(), IsEmpty());
}

// A receiver that has the end reads no more; further bytes are those of one that has not.
TEST(whole_body, bytes_after_an_end_go_on_with_the_body) {
  conversation all{
      "alert http any any -> any any (file.data; content:\"first\"; content:!\"other\"; sid:1;)\n"
      "alert http any any -> any any (file.data; content:\"other\"; endswith; sid:2;)\n"};
  EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\n\r\nthe first"), IsEmpty());
  EXPECT_THAT(all.server_ends(), ElementsAre(1));
  EXPECT_THAT(all.server(" other"), IsEmpty());
  EXPECT_THAT(all.server_ends(), ElementsAre(2));
}

TEST(whole_body, a_message_without_a_body_has_all_of_it) {
  conversation all{
      "alert http any any -> any any (http.uri; content:\"/a\"; http.request_body; content:!\"x\"; sid:1;)\n"};
  EXPECT_THAT(all.client("GET /a HTTP/1.1\r\n\r\n"), ElementsAre(1));
  EXPECT_THAT(all.client("POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client("y"), IsEmpty());
  EXPECT_THAT(all.client("yz"), ElementsAre(1));
}

}  // namespace
}  // namespace packetwarp::inspect
