// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/http_message.h"

#include <gtest/gtest.h>

#include <string>

namespace packetwarp {
namespace {

TEST(http_request, is_a_method_and_a_path) {
  auto const asked = parse_http_request("GET /metrics HTTP/1.1\r\nHost: localhost");
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->method, http_method::get);
  EXPECT_EQ(asked->path, "/metrics");
  EXPECT_EQ(parse_http_request("HEAD / HTTP/1.0")->method, http_method::head);
  EXPECT_EQ(parse_http_request("POST / HTTP/1.1\r\nHost: a")->method, http_method::other);
}

TEST(http_request, has_a_path_without_its_query) {
  EXPECT_EQ(parse_http_request("GET /metrics?name=a&name=b HTTP/1.1\r\nHost: a")->path, "/metrics");
}

TEST(http_request, says_what_its_client_takes) {
  EXPECT_EQ(parse_http_request("GET / HTTP/1.1\r\nHost: a")->accept, "");
  EXPECT_EQ(parse_http_request("GET / HTTP/1.1\r\nHost: a\r\naCCEPT: \ttext/plain \r\nX: y")->accept, "text/plain");
  EXPECT_EQ(parse_http_request("GET / HTTP/1.0\r\nAccept: a/b\r\nAccept: c/d;q=0.1")->accept, "a/b,c/d;q=0.1");
  EXPECT_EQ(parse_http_request("GET / HTTP/1.0\r\nAccept-Encoding: gzip\r\nX-Accept: a/b")->accept, "");
}

TEST(http_request, prefers_a_media_type_that_it_names) {
  auto const is_preferred = [](std::string_view accept) { return prefers(accept, "x/a", "x/b"); };
  for (auto const* const accept :
       {"x/a", "X/A", "x/b, x/a", "x/b;q=0.5, x/a;q=0.5", "x/a;v=1;q=0.8,x/a;v=0;q=0.1,x/b;q=0.4",
        "x/a ; q=0.9 , */*;q=0.8", "x/a;q=0.001", "x/a;q=1.000,x/b"}) {
    EXPECT_TRUE(is_preferred(accept)) << accept;
  }
  for (auto const* const accept : {"", "*/*", "x/*", "x/b", "x/ab", "x/a;q=0", "x/a;q=0.000", "x/a;q=0.3,x/b;q=0.4",
                                   "x/a;q=0.3,x/b", "x/a;q=0.5,x/*;q=0.6", ",;,=;q", "x/a;q=0,x/*"}) {
    EXPECT_FALSE(is_preferred(accept)) << accept;
  }
}

TEST(http_request, is_nothing_where_the_bytes_are_none) {
  for (auto const* const text : {"", " ", "GET", "GET /", "GET / ", "GET / FTP/1.0", "GET / HTTP/2",
                                 "GET metrics HTTP/1.0", "GET https://a/ HTTP/1.0", " / HTTP/1.0", "GET  HTTP/1.0",
                                 "G\tT / HTTP/1.0", "GET /\x01 HTTP/1.0", "GET /\xff HTTP/1.0", "GET /a /b HTTP/1.0",
                                 "GET / HTTP/1.", "GET / HTTP/1.x", "GET / HTTP/1.00", "GET / HTTP/1.garbage"}) {
    EXPECT_FALSE(parse_http_request(text)) << text;
  }
}

// RFC 9112, 3.2.
TEST(http_request, of_version_1_1_names_its_host_once) {
  for (auto const* const headers : {"\r\nHost: a", "\r\nhost:", "\r\nAccept: */*\r\nHOST:127.0.0.1:9464"}) {
    EXPECT_TRUE(parse_http_request(std::string{"GET / HTTP/1.1"} + headers)) << headers;
  }
  EXPECT_TRUE(parse_http_request("GET / HTTP/1.0"));
  for (auto const* const text : {"GET / HTTP/1.1", "GET / HTTP/1.1\r\nAccept: */*\r\nX-Host: a", "GET / HTTP/1.2",
                                 "GET / HTTP/1.1\r\nHost: a\r\nHost: a", "GET / HTTP/1.0\r\nHost: a\r\nHost: b",
                                 "GET / HTTP/1.1\r\nHost : a", "GET / HTTP/1.1\r\nHost: a\r\n X: b",
                                 "GET / HTTP/1.1\r\nHost: a\r\nword", "GET / HTTP/1.1\r\nHost: a\r\n: b"}) {
    EXPECT_FALSE(parse_http_request(text)) << text;
  }
}

// RFC 9112, 3.2.2.
TEST(http_request, may_have_its_path_behind_a_scheme_and_an_authority) {
  auto const path_of = [](std::string const& target) {
    auto const asked = parse_http_request("GET " + target + " HTTP/1.1\r\nHost: a");
    return asked ? asked->path : std::string{"none"};
  };
  EXPECT_EQ(path_of("http://127.0.0.1:9464/healthz?x"), "/healthz");
  EXPECT_EQ(path_of("HTTP://[::1]/metrics"), "/metrics");
  EXPECT_EQ(path_of("http://a"), "/");
  EXPECT_EQ(path_of("http://a?x=/y"), "/");
  EXPECT_EQ(path_of("http:///healthz"), "none");
  EXPECT_EQ(path_of("http://"), "none");
}

TEST(http_response, says_its_type_and_length_and_ends_the_connection) {
  http_response const given{.status = 200, .type = "text/x", .body = "abc\n"};
  EXPECT_EQ(to_wire(given, http_method::get),
            "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nabc\n");
  EXPECT_EQ(to_wire(given, http_method::head),
            "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\nContent-Length: 4\r\nConnection: close\r\n\r\n");
}

TEST(http_response, names_what_is_allowed_where_a_method_is_not) {
  EXPECT_NE(to_wire(http_error(405, "no"), http_method::other).find("\r\nAllow: GET, HEAD\r\n"), std::string::npos);
}

}  // namespace
}  // namespace packetwarp
