// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "inspect/conversation.h"

namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(http_rules, compare_the_buffers_of_a_request) {
  conversation all{
      "alert http any any -> any any (http.method; content:\"GET\"; http.uri; content:\"/a/b\"; startswith; sid:1;)\n"
      "alert http any any -> any any (http.host; content:\"example.org\"; bsize:11; sid:2;)\n"
      "alert http any any -> any any (http.user_agent; content:\"evil\"; nocase; sid:3;)\n"
      "alert http any any -> any any (http.header; content:\"X: y|0d 0a|\"; sid:4;)\n"
      "alert http any any -> any any (content:\"/a/b\"; http_uri; content:!\"x\"; http_cookie; sid:5;)\n"
      "alert http any any -> any any (http.uri; content:\"example\"; sid:6;)\n"
      "alert http any any -> any any (http.cookie; content:\"k=v\"; sid:7;)\n"};
  EXPECT_THAT(all.client("GET /a/b HTTP/1.1\r\nHost: Example.org\r\nUser-Agent: EVIL\r\nX: y\r\nCookie: k=v\r\n\r\n"),
              ElementsAre(1, 2, 3, 4, 5, 7));
  EXPECT_THAT(all.client("POST /a/b HTTP/1.1\r\nX: z\r\n\r\n"), ElementsAre(5));
}

TEST(http_rules, match_a_request_that_lies_in_several_segments) {
  std::string const request = "GET /a/evil HTTP/1.1\r\nHost: example.org\r\nUser-Agent: tool\r\n\r\n";
  for (std::size_t piece = 1; piece < request.size(); ++piece) {
    conversation all{
        "alert http any any -> any any (http.uri; content:\"/evil\"; http.user_agent; content:\"tool\"; sid:1;)\n"};
    std::size_t alerts = 0;
    for (std::size_t at = 0; at < request.size(); at += piece) alerts += all.client(request.substr(at, piece)).size();
    EXPECT_EQ(alerts, 1U) << piece;
  }
}

TEST(http_rules, a_path_is_compared_as_a_server_sees_it) {
  conversation all{"alert http any any -> any any (http.uri; content:\"/cgi-bin/evil\"; sid:1;)\n"};
  for (auto const* target :
       {"/cgi-bin/evil", "/%63gi-bin/%65vil", "/cgi-bin//evil", "/cgi-bin/./evil", "/cgi-bin/x/../evil",
        "/cgi-bin\\evil", "/%u0063gi-bin/evil", "/cgi-bin%2fevil", "/cgi-bin%c0%afevil", "http://host/cgi-bin/evil"}) {
    EXPECT_THAT(all.client(std::string{"GET "} + target + " HTTP/1.1\r\n\r\n"), ElementsAre(1)) << target;
  }
  EXPECT_THAT(all.client("GET /cgi-bin/%2565vil HTTP/1.1\r\n\r\n"), IsEmpty());
}

TEST(http_rules, a_request_line_may_have_other_white_space_than_blanks) {
  for (auto const* line : {" GET /evil HTTP/1.1", "\tGET\t/evil\tHTTP/1.1", "\vGET\v/evil\vHTTP/1.1",
                           "\f\fGET \f/evil\f HTTP/1.1", " \r\n GET /evil HTTP/1.1"}) {
    auto const request = std::string{line} + "\r\n\r\n";
    for (auto const piece : {std::size_t{1}, std::size_t{2}, request.size()}) {
      conversation all{"alert http any any -> any any (http.uri; content:\"/evil\"; bsize:5; sid:1;)\n"};
      std::size_t alerts = 0;
      for (std::size_t at = 0; at < request.size(); at += piece) alerts += all.client(request.substr(at, piece)).size();
      EXPECT_EQ(alerts, 1U) << line << piece;
    }
  }
}

TEST(http_rules, a_field_is_compared_without_its_folds_and_in_any_case_of_its_name) {
  conversation all{"alert http any any -> any any (http.user_agent; content:\"evil tool\"; sid:1;)\n"};
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\nUSER-agent:evil\r\n tool\r\n\r\n"), ElementsAre(1));
  EXPECT_THAT(all.client("GET / HTTP/1.1\nuser-AGENT : \t evil tool \n\n"), ElementsAre(1));
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\nX: User-Agent: evil tool\r\n\r\n"), IsEmpty());
}

TEST(http_rules, a_body_is_compared_as_it_grows_and_alerts_once) {
  conversation all{
      "alert http any any -> any any (http.method; content:\"POST\"; http.request_body; content:\"secret\"; sid:1;)\n"
      "alert http any any -> any any (http.request_body; content:!\"secret\"; http.uri; content:\"/form\"; sid:2;)\n"};
  EXPECT_THAT(all.client("POST /form HTTP/1.1\r\nContent-Length: 20\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client("a sec"), IsEmpty()) << "the rest may have it";
  EXPECT_THAT(all.client("ret"), ElementsAre(1));
  EXPECT_THAT(all.client(" secret 1234"), IsEmpty());
  EXPECT_THAT(all.client("POST /f HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nsec\r\n3\r\nret\r\n0\r\n\r\n"),
              ElementsAre(1));
}

TEST(http_rules, requests_in_one_segment_are_compared_each) {
  conversation all{
      "alert http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n"
      "alert tcp any any -> any any (content:\"HTTP/1.1\"; sid:2;)\n"};
  EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n\r\nGET /good HTTP/1.1\r\n\r\nGET /evil/2 HTTP/1.1\r\n\r\n"),
              UnorderedElementsAre(1, 1, 2));
}

TEST(http_rules, compare_the_buffers_of_a_response) {
  conversation all{
      "alert http any any -> any any (flow:established,to_client; http.stat_code; content:\"200\"; file_data; "
      "content:\"payload\"; sid:1;)\n"
      "alert http any any -> any any (http.location; content:\"evil.example\"; sid:2;)\n"
      "alert http any any -> any any (flow:to_server; http.header; content:\"nginx\"; sid:3;)\n"};
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 11\r\n\r\nthe payl"), IsEmpty());
  EXPECT_THAT(all.server("oad"), ElementsAre(1));
  EXPECT_THAT(all.server("HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\n\r\n"), ElementsAre(2));
}

constexpr char answer_rules[] =
    "alert http any any -> any any (http.location; content:\"evil.example\"; sid:1;)\n"
    "alert http any any -> any any (file.data; content:\"payload\"; startswith; sid:2;)\n";
constexpr char moved[] = "HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 7\r\n\r\npayload";
constexpr char head_answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n";

// A response is read by its own request, and not by the last one.
TEST(http_rules, a_response_belongs_to_the_first_request_without_one) {
  std::string const asked = "HEAD / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n";
  for (auto const* interim : {"", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"}) {
    conversation all{answer_rules};
    EXPECT_THAT(all.client(asked), IsEmpty());
    EXPECT_THAT(all.server(std::string{interim} + head_answer), IsEmpty());
    EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2)) << interim;
    all.begin(4001);
    EXPECT_THAT(all.client(asked), IsEmpty());
    EXPECT_THAT(all.server(std::string{interim} + head_answer + moved), UnorderedElementsAre(1, 2)) << interim;
  }
}

TEST(http_rules, a_response_has_its_body_while_a_head_request_waits) {
  conversation all{answer_rules};
  EXPECT_THAT(all.client("GET /b HTTP/1.1\r\n\r\nHEAD / HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2));
  EXPECT_THAT(all.server(head_answer), IsEmpty());
  EXPECT_THAT(all.client("GET /b HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2));
}

// The response comes after the request's first line, or before the request.
TEST(http_rules, a_response_that_comes_early_belongs_to_its_request) {
  conversation all{answer_rules};
  EXPECT_THAT(all.client("HEAD / HTTP/1.1\r\nX: "), IsEmpty());
  EXPECT_THAT(all.server(head_answer), IsEmpty());
  EXPECT_THAT(all.client("y\r\n\r\nGET /b HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2));
  EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2));
  EXPECT_THAT(all.client("GET /b HTTP/1.1\r\n\r\nHEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server(std::string{head_answer} + moved), UnorderedElementsAre(1, 2));
}

constexpr char evil_rule[] = "alert http any any -> any any (http.uri; content:\"/evil\"; sid:3;)\n";
constexpr char connect[] = "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(http_rules, requests_after_a_refused_connect_are_compared) {
  conversation all{std::string{answer_rules} + evil_rule};
  EXPECT_THAT(all.client(connect), IsEmpty());
  EXPECT_THAT(all.server("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n\r\n"), ElementsAre(3));
  EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2));
  EXPECT_THAT(all.client(connect), IsEmpty());
  EXPECT_THAT(all.server("HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\n\r\npayload"), ElementsAre(2));
  EXPECT_THAT(all.client(std::string{connect} + "GET /evil HTTP/1.1\r\n\r\n"), ElementsAre(3));
  EXPECT_THAT(all.client("CONNECT a:1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /evil HTTP/1.1\r\n\r\n"),
              ElementsAre(3));
}

TEST(http_rules, messages_in_a_tunnel_are_compared) {
  conversation all{std::string{answer_rules} + evil_rule};
  EXPECT_THAT(all.client(connect), IsEmpty());
  EXPECT_THAT(all.server(head_answer), IsEmpty());
  EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n\r\n"), ElementsAre(3));
  EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2));
}

TEST(http_rules, other_bytes_in_a_tunnel_are_of_no_message) {
  conversation all{std::string{answer_rules} + evil_rule};
  EXPECT_THAT(all.client(connect), IsEmpty());
  EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client("\x16\x03\x01"), IsEmpty());
  EXPECT_THAT(all.server("payload, which lasts for longer than a line before a head"), IsEmpty());
  EXPECT_THAT(all.server_ends(), IsEmpty());
  EXPECT_EQ(all.state().judged().messages, (http_counts{.messages = 2}));
}

TEST(http_rules, requests_beyond_the_bound_are_counted_but_read_as_get) {
  conversation all{answer_rules};
  for (std::uint32_t n = 0; n < pending_requests::most; ++n)
    EXPECT_THAT(all.client("HEAD / HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client("GET /b HTTP/1.1\r\n\r\nHEAD / HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_EQ(all.state().judged().messages.requests_not_known, 2U);
  for (std::uint32_t n = 0; n < pending_requests::most; ++n) EXPECT_THAT(all.server(head_answer), IsEmpty());
  EXPECT_THAT(all.server(moved), UnorderedElementsAre(1, 2));
  EXPECT_THAT(all.server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client("HEAD / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server(std::string{head_answer} + moved), UnorderedElementsAre(1, 2));
}

constexpr char moved_on[] = "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n";

// Servers refuse odd methods, and read on.
TEST(http_rules, requests_after_one_of_any_method_are_compared) {
  for (auto const& method : std::vector<std::string>{"X", "G3T", "TRACK!", "(X)", std::string(100, 'M')}) {
    conversation all{evil_rule};
    EXPECT_THAT(all.client("GET /a HTTP/1.1\r\n\r\n"), IsEmpty());
    EXPECT_THAT(all.client(method + " /x HTTP/1.1\r\nHost: a\r\n\r\n"), IsEmpty());
    EXPECT_THAT(all.server(std::string{head_answer}.replace(33, 4, "0") + moved_on), IsEmpty());
    EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n\r\n"), ElementsAre(3)) << method;
    bool const is_token = method[0] != '(';
    EXPECT_EQ(all.client(method + " /evil HTTP/1.1\r\n\r\n").size(), is_token ? 1U : 0U) << method;
    all.begin(4001);
    EXPECT_THAT(all.client(method + " /x HTTP/1.1\r\nHost: a\r\n\r\n"), IsEmpty());
    EXPECT_THAT(all.server(moved_on), IsEmpty());
    EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n\r\n"), ElementsAre(3)) << method;
  }
}

TEST(http_rules, an_empty_field_is_compared) {
  conversation all{
      "alert http any any -> any any (http.user_agent; bsize:0; sid:1;)\n"
      "alert http any any -> any any (http.user_agent; bsize:<5; sid:2;)\n"
      "alert http any any -> any any (http.user_agent; pcre:\"/^$/\"; sid:3;)\n"
      "alert http any any -> any any (http.user_agent; isdataat:!1; sid:4;)\n"
      "alert http any any -> any any (http.user_agent; content:!\"a\"; sid:5;)\n"};
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\nUser-Agent:\r\n\r\n"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\nUser-Agent: \r\n\r\n"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\nUser-Agent: a\r\n\r\n"), ElementsAre(2, 4));
  EXPECT_THAT(all.client("GET / HTTP/1.1\r\n\r\n"), ElementsAre(4, 5)) << "all checks are negated";
}

TEST(http_rules, a_request_line_alone_is_compared) {
  conversation all{
      "alert http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n"
      "alert http any any -> any any (http.uri; content:\"/evil\"; http.header; content:\"X\"; sid:2;)\n"};
  EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n"), ElementsAre(1));
  EXPECT_THAT(all.client("X: y\r\n"), IsEmpty());
  EXPECT_THAT(all.client("\r\n"), ElementsAre(2));
}

TEST(http_rules, other_protocols_on_the_port_are_no_http) {
  conversation all{"alert http any any -> any any (content:\"anything\"; sid:1;)\n"};
  EXPECT_THAT(all.client("SSH-2.0-anything\r\n"), IsEmpty());
  all.begin(4001);
  EXPECT_THAT(all.client("GET /anything HTTP/1.1\r\n"), ElementsAre(1));
}

TEST(http_rules, a_rule_that_passes_ends_the_inspection_of_the_packet) {
  conversation all{
      "alert http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n"
      "pass http any any -> any any (http.uri; content:\"/evil/but/known\"; sid:2;)\n"};
  EXPECT_THAT(all.client("GET /evil HTTP/1.1\r\n\r\n"), ElementsAre(1));
  EXPECT_THAT(all.client("GET /evil/but/known HTTP/1.1\r\n\r\n"), IsEmpty());
}

TEST(http_rules, a_gap_ends_the_reading_of_messages) {
  conversation all{"alert http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n"};
  EXPECT_THAT(all.client_at(0, "GET /a HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.client_at(50, "GET /evil HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_THAT(all.server_acknowledges(80), IsEmpty());
  EXPECT_THAT(all.client_at(72, "GET /evil HTTP/1.1\r\n\r\n"), IsEmpty());
  EXPECT_EQ(all.state().segments().gaps, 1U);
}

}  // namespace
}  // namespace packetwarp::inspect
