// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/http/head.h"

namespace packetwarp::inspect {
namespace {

using enum rule_buffer;

// A head and the message that it is read as.
class head {
 public:
  explicit head(std::string text, http_kind kind = http_kind::request)
      : text_{std::move(text)}, room_(room_for_head(static_cast<std::uint32_t>(text_.size()))) {
    state = read_head({reinterpret_cast<std::byte const*>(text_.data()), static_cast<std::uint32_t>(text_.size())},
                      kind, room_.data(), static_cast<std::uint32_t>(room_.size()), message);
  }
  // Nothing: the message does not have the buffer.
  [[nodiscard]] std::optional<std::string> operator[](rule_buffer which) const {
    auto const& text = message.buffer(which);
    if (text.bytes == nullptr) return std::nullopt;
    return std::string{reinterpret_cast<char const*>(text.bytes), text.size};
  }

  head_state state{};
  http_message message{};

 private:
  std::string text_;
  std::vector<std::byte> room_;
};

[[nodiscard]] std::string uri_of(std::string const& target) {
  return head{"GET " + target + " HTTP/1.1\r\n\r\n"}[http_uri].value_or("none");
}

TEST(http_head, has_the_parts_of_a_request) {
  head const one{
      "GET /a/b?c=d HTTP/1.1\r\nHost: Example.ORG:8080\r\nUser-Agent: Tool/1\r\nCookie: k=v\r\nX: y\r\n\r\nbody"};
  EXPECT_EQ(one.state, head_state::complete);
  EXPECT_EQ(one[http_method], "GET");
  EXPECT_EQ(one[http_uri], "/a/b?c=d");
  EXPECT_EQ(one[http_uri_raw], "/a/b?c=d");
  EXPECT_EQ(one[http_protocol], "HTTP/1.1");
  EXPECT_EQ(one[http_request_line], "GET /a/b?c=d HTTP/1.1");
  EXPECT_EQ(one[http_host], "example.org");
  EXPECT_EQ(one[http_host_dotted], ".example.org");
  EXPECT_EQ(one[http_host_raw], "Example.ORG:8080");
  EXPECT_EQ(one[http_user_agent], "Tool/1");
  EXPECT_EQ(one[http_cookie], "k=v");
  EXPECT_EQ(one[http_header], "Host: Example.ORG:8080\r\nUser-Agent: Tool/1\r\nX: y\r\n");
  EXPECT_EQ(one[http_header_names], "\r\nHost\r\nUser-Agent\r\nCookie\r\nX\r\n\r\n");
  EXPECT_EQ(one[http_referer], std::nullopt);
  EXPECT_EQ(one[http_request_body], std::nullopt);
  EXPECT_EQ(one[http_start]->substr(one[http_start]->size() - 8), "X: y\r\n\r\n");
  EXPECT_EQ(one.message.framing, http_framing::none);
}

TEST(http_head, takes_all_white_space_of_a_request_line_for_blanks) {
  for (std::string const before : {"", " ", "\t", "\v", "\f", " \t\v\f", "\r\n ", " \r\n\v", " \n\r\n"}) {
    for (std::string const between : {" ", "\t", "\v", "\f", "\v\f \t"}) {
      auto const line = "GET" + between + "/a?b" + between + "HTTP/1.1";
      for (std::string const after : {"", " ", "\v", "\f", "\r"}) {
        head const one{before + line + after + "\r\nHost: h\r\n\r\n"};
        EXPECT_EQ(one.state, head_state::complete);
        EXPECT_EQ(one[http_method], "GET");
        EXPECT_EQ(one[http_uri], "/a?b");
        EXPECT_EQ(one[http_protocol], "HTTP/1.1");
        EXPECT_EQ(one[http_host], "h");
      }
    }
  }
  EXPECT_EQ(head{"\r\n \vGET / HTTP/1.1\r\n\r\n"}[http_request_line], " \vGET / HTTP/1.1");
  EXPECT_EQ(head{"GET /a HTTP/1.0\vx\r\n\r\n"}[http_uri], "/a") << "the version ends with a word";
  EXPECT_EQ(head{std::string(1000, ' ')}.state, head_state::incomplete);
  EXPECT_EQ(head{" \x1fGET / HTTP/1.1\r\n\r\n"}.state, head_state::foreign);
  EXPECT_EQ(head{" " + std::string(longest_method + 1, 'G')}.state, head_state::foreign);
}

TEST(http_head, has_the_parts_of_a_response) {
  head const one{"HTTP/1.0 404 Not Found\nServer: s\nSet-Cookie: a=b\nContent-Length: 12\nContent-Type: text/html\n\n",
                 http_kind::response};
  EXPECT_EQ(one.state, head_state::complete);
  EXPECT_EQ(one[http_stat_code], "404");
  EXPECT_EQ(one[http_stat_msg], "Not Found");
  EXPECT_EQ(one[http_protocol], "HTTP/1.0");
  EXPECT_EQ(one[http_server], "s");
  EXPECT_EQ(one[http_cookie], "a=b");
  EXPECT_EQ(one[http_content_len], "12");
  EXPECT_EQ(one[http_content_type], "text/html");
  EXPECT_EQ(one.message.framing, http_framing::sized);
  EXPECT_EQ(one.message.body_size, 12U);
}

TEST(http_head, a_path_is_decoded_and_normalised) {
  EXPECT_EQ(uri_of("/%61%62"), "/ab");
  EXPECT_EQ(uri_of("/a//b///c"), "/a/b/c");
  EXPECT_EQ(uri_of("/a/./b/../c"), "/a/c");
  EXPECT_EQ(uri_of("/../../etc/passwd"), "/etc/passwd");
  EXPECT_EQ(uri_of("/a/%2e%2e/b"), "/b");
  EXPECT_EQ(uri_of("/a\\b%5cc"), "/a/b/c");
  EXPECT_EQ(uri_of("/a%2fb"), "/a/b");
  EXPECT_EQ(uri_of("/a/.."), "/");
  EXPECT_EQ(uri_of("/a/."), "/a/");
  EXPECT_EQ(uri_of("/a.b/..c"), "/a.b/..c");
}

TEST(http_head, decoding_happens_once) {
  EXPECT_EQ(uri_of("/%2561"), "/%61");
  EXPECT_EQ(uri_of("/?q=%2561"), "/?q=%61");
}

TEST(http_head, malformed_escapes_stay_as_they_are) {
  EXPECT_EQ(uri_of("/%zz%4"), "/%zz%4");
  EXPECT_EQ(uri_of("/%u00"), "/%u00");
  EXPECT_EQ(uri_of("/%"), "/%");
}

TEST(http_head, escapes_of_unicode_become_the_letters_that_they_mean) {
  EXPECT_EQ(uri_of("/%u0061%u002f%uff41"), "/a/a");
  EXPECT_EQ(uri_of("/%u4e00"), "/?");
  EXPECT_EQ(uri_of("/..%c0%af../x"), "/x");
  EXPECT_EQ(uri_of("/%c1%a1"), "/a");
  EXPECT_EQ(uri_of("/..%e0%80%af../x"), "/x");
  EXPECT_EQ(uri_of("/%e0%81%a1%f0%80%81%a2%f0%80%80%af"), "/ab/");
  EXPECT_EQ(uri_of("/%e4%80%af"), "/\xe4\x80\xaf") << "not overlong";
  EXPECT_EQ(uri_of("/%e0%a0%80"), "/\xe0\xa0\x80") << "not overlong";
  EXPECT_EQ(uri_of("%80%af"), "\x80\xaf");
}

TEST(http_head, a_query_is_decoded_and_not_normalised) {
  EXPECT_EQ(uri_of("/a?b=%2e%2e//../c+d\\e"), "/a?b=..//../c+d\\e");
  EXPECT_EQ(uri_of("/a#%41"), "/a#A");
}

TEST(http_head, a_target_with_a_host_precedes_the_header) {
  head const one{"GET http://User@Evil.example:81/x?y HTTP/1.1\r\nHost: other\r\n\r\n"};
  EXPECT_EQ(one[http_uri], "/x?y");
  EXPECT_EQ(one[http_host], "evil.example");
  EXPECT_EQ(one[http_uri_raw], "http://User@Evil.example:81/x?y");
  EXPECT_EQ(head{"GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"}[http_host], "[::1]");
}

TEST(http_head, folded_and_repeated_fields_become_one_line) {
  head const one{"GET / HTTP/1.1\r\nX: a\r\n b\r\n\tc\r\nx : d\r\nUSER-agent:  u  \r\n\r\n"};
  EXPECT_EQ(one[http_header], "X: a b\tc, d\r\nUSER-agent: u\r\n");
  EXPECT_EQ(one[http_user_agent], "u");
  EXPECT_EQ(one[http_header_names], "\r\nX\r\nUSER-agent\r\n\r\n");
}

TEST(http_head, lines_without_a_colon_are_no_fields) {
  head const one{"GET / HTTP/1.1\r\nnothing\r\nA: b\r\n\r\n"};
  EXPECT_EQ(one[http_header], "A: b\r\n");
  EXPECT_EQ(one[http_header_raw], "nothing\r\nA: b\r\n\r\n");
}

TEST(http_head, a_field_beyond_those_that_are_joined_stands_on_its_own) {
  std::string text = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 70; ++i) text += "F" + std::to_string(i) + ": x\r\n";
  head const one{text + "F0: y\r\n\r\n"};
  EXPECT_EQ(one.state, head_state::complete);
  EXPECT_TRUE(one[http_header]->ends_with("F69: x\r\nF0: y\r\n"));
}

// A head with a field each, then the fields, then the empty line.
[[nodiscard]] std::string with_fields_before(std::string const& line, unsigned count, std::string const& fields) {
  std::string made = line;
  for (unsigned i = 0; i < count; ++i) made += "F" + std::to_string(i) + ": x\r\n";
  return made + fields + "\r\n";
}

TEST(http_head, fields_after_many_others_have_their_buffers) {
  for (unsigned const count : {0U, 61U, 62U, 63U, 64U, 65U, 200U}) {
    head const one{with_fields_before("GET / HTTP/1.1\r\n", count,
                                      "Host: Evil.example\r\nUser-Agent: a\r\nCookie: k\r\nReferer: r\r\n"
                                      "cookie: l\r\nUser-agent: b\r\n")};
    EXPECT_EQ(one[http_host], "evil.example") << count;
    EXPECT_EQ(one[http_user_agent], "a, b") << count;
    EXPECT_EQ(one[http_cookie], "k, l") << count;
    EXPECT_EQ(one[http_referer], "r") << count;
    EXPECT_TRUE(one[http_header]->ends_with("\r\nHost: Evil.example\r\nUser-Agent: a, b\r\nReferer: r\r\n") ||
                count == 0);
    EXPECT_TRUE(one[http_header_names]->ends_with("\r\nHost\r\nUser-Agent\r\nCookie\r\nReferer\r\n\r\n")) << count;
    head const answer{with_fields_before("HTTP/1.1 302 Found\r\n", count,
                                         "Location: /x\r\nContent-Type: t\r\nSet-Cookie: a\r\nServer: s\r\n"),
                      http_kind::response};
    EXPECT_EQ(answer[http_location], "/x") << count;
    EXPECT_EQ(answer[http_content_type], "t") << count;
    EXPECT_EQ(answer[http_cookie], "a") << count;
    EXPECT_EQ(answer[http_server], "s") << count;
  }
}

TEST(http_head, a_value_after_many_others_is_joined_to_an_earlier_one_of_its_buffer) {
  head const one{with_fields_before("GET / HTTP/1.1\r\nUser-Agent: a\r\nCookie: k\r\n", 64,
                                    "User-Agent: b\r\nCookie: l\r\nF0: y\r\n")};
  EXPECT_EQ(one[http_user_agent], "a, b");
  EXPECT_EQ(one[http_cookie], "k, l");
  EXPECT_TRUE(one[http_header]->starts_with("User-Agent: a, b\r\nF0: x\r\n"));
  EXPECT_TRUE(one[http_header]->ends_with("F63: x\r\nF0: y\r\n"));
}

TEST(http_head, an_empty_field_is_there) {
  head const one{"GET / HTTP/1.1\r\nHost:\r\nUser-Agent: \r\nCookie:\r\n\r\n"};
  EXPECT_EQ(one[http_host], "");
  EXPECT_EQ(one[http_user_agent], "");
  EXPECT_EQ(one[http_cookie], "");
  EXPECT_EQ(one[http_referer], std::nullopt);
  EXPECT_EQ(head{"GET / HTTP/1.1\r\nCookie: k\r\n\r\n"}[http_header], std::nullopt);
}

TEST(http_head, an_incomplete_head_has_its_first_line) {
  EXPECT_EQ(head{"GET /a HT"}.message.known, 0U);
  head const one{"GET /a HTTP/1.1\r\nHost: x\r\n"};
  EXPECT_EQ(one.state, head_state::incomplete);
  EXPECT_EQ(one[http_uri], "/a");
  EXPECT_EQ(one.message.known & http_bit(http_header), 0U);
}

TEST(http_head, other_protocols_are_foreign) {
  EXPECT_EQ(head{"EHLO mail.example\r\n\r\n"}.state, head_state::foreign);
  EXPECT_EQ(head{"SSH-2.0-x\r\n\r\n"}.state, head_state::foreign);
  EXPECT_EQ(head{"helo there\r\n\r\n"}.state, head_state::foreign);
  EXPECT_EQ((head{"220 ready\r\n\r\n", http_kind::response}.state), head_state::foreign);
  EXPECT_EQ(head{"get / HTTP/1.1\r\n\r\n"}.state, head_state::complete);
  EXPECT_EQ(head{"ODD / HTTP/1.1\r\n\r\n"}.state, head_state::complete);
  EXPECT_EQ(head{"GET /\r\n\r\n"}.state, head_state::complete);
  EXPECT_EQ(head{"X / y\r\n\r\n"}.state, head_state::foreign);
  EXPECT_EQ(head{"1 2\r\n"}.state, head_state::foreign);
  EXPECT_EQ(head{" \x01GET / HTTP/1.1\r\n\r\n"}.state, head_state::foreign);
  EXPECT_EQ(head{"G(T / HTTP/1.1\r\n\r\n"}.state, head_state::foreign);
}

TEST(http_head, a_token_has_letters_digits_and_some_signs) {
  std::string const all = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&'*+-.^_`|~";
  for (int code = 0; code < 256; ++code) {
    auto const c = static_cast<char>(code);
    EXPECT_EQ(detail::is_of_token(c), all.find(c) != all.npos) << code;
  }
}

// RFC 9110, 9.1 and 5.6.2.
TEST(http_head, a_method_is_any_token) {
  for (auto const& method :
       std::vector<std::string>{"X", "G3T", "AB", "TRACK!", "!#$%&'*+-.^_`|~", "0", std::string(64, 'M')}) {
    head const one{method + " /x HTTP/1.1\r\nHost: a\r\n\r\n"};
    EXPECT_EQ(one.state, head_state::complete) << method;
    EXPECT_EQ(one[http_method], method);
    EXPECT_EQ(one[http_uri], "/x") << method;
    EXPECT_EQ(head{method}.state, head_state::incomplete) << method;
  }
  EXPECT_EQ(head{std::string(65, 'M')}.state, head_state::foreign);
  EXPECT_EQ(head{std::string(65, 'M') + " /x HTTP/1.1\r\n\r\n"}.state, head_state::foreign);
}

TEST(http_head, the_target_of_a_connect_is_the_host) {
  head const one{"CONNECT Evil.example:443 HTTP/1.1\r\nHost: good.example\r\n\r\n"};
  EXPECT_EQ(one[http_host], "evil.example");
  EXPECT_EQ(one[http_host_raw], "Evil.example");
  EXPECT_EQ(one[http_uri], "Evil.example:443");
  EXPECT_EQ(head{"CONNECT evil.example HTTP/1.1\r\n\r\n"}[http_host], "evil.example");
  EXPECT_EQ(head{"CONNECT [::1]:443 HTTP/1.1\r\n\r\n"}[http_host], "[::1]");
  EXPECT_EQ(head{"CONNECT [::1] HTTP/1.1\r\n\r\n"}[http_host], "[::1]");
  EXPECT_EQ(head{"CONNECT http://a.example/x HTTP/1.1\r\nHost: b\r\n\r\n"}[http_host], "a.example");
  EXPECT_EQ(head{"CONNECT /x HTTP/1.1\r\nHost: b\r\n\r\n"}[http_host], "b");
  EXPECT_EQ(head{"GET a:1 HTTP/1.1\r\nHost: b\r\n\r\n"}[http_host], "b");
}

TEST(http_head, a_length_does_not_hide_chunks) {
  head const one{"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 3\r\n\r\n"};
  EXPECT_EQ(one.message.framing, http_framing::chunked);
}

struct careless_field {
  std::string text;
  http_framing framing;
  bool is_encoded;
};

// A field of a careless response, as clients and Suricata take it (suricata-verify, http-evader).
TEST(http_head, fields_of_careless_responses_are_found) {
  std::string const zero(1, '\0');
  using enum http_framing;
  for (auto const& [text, framing, is_encoded] :
       {careless_field{"Transfer-Encoding\r\n :chunked\r\n", chunked, false},
        careless_field{"Transfer-Encoding\r\n \r\n :\r\n chunked\r\n", chunked, false},
        careless_field{"X: y\r\n Transfer-Encoding: chunked\r\n", chunked, false},
        careless_field{"X\r\n y Transfer-Encoding: chunked\r\n", none, false},
        careless_field{"X: y\rTransfer-Encoding: chunked\r\n", chunked, false},
        careless_field{"\r\rTransfer-Encoding: chunked\r\n", chunked, false},
        careless_field{"\r\r\nTransfer-Encoding: chunked\r\n", chunked, false},
        careless_field{"Transfer-Encoding\x0b: chunked\r\n", chunked, false},
        careless_field{"Transfer" + zero + "-Encoding: chu" + zero + "nked\r\n", chunked, false},
        careless_field{"Transfer-Encoding:\r\n " + zero + "chunked\r\n", chunked, false},
        careless_field{"Content-Encoding:\r gzip\r\n", none, true},
        careless_field{"Content-Encoding:\rgzip\r\n", none, false},
        careless_field{"Content-Encoding:: deflate\r\n", none, true},
        careless_field{"Content-Encoding:gz" + zero + "ip\r\n", none, true}}) {
    head const one{"HTTP/1.1 200 OK\r\n" + text + "\r\n", http_kind::response};
    EXPECT_EQ(one.state, head_state::complete) << text;
    EXPECT_EQ(one.message.framing, framing) << text;
    EXPECT_EQ(one.message.is_encoded, is_encoded) << text;
  }
}

TEST(http_head, a_request_is_read_by_the_lines_of_the_standard) {
  head const one{"POST / HTTP/1.1\r\nX: y\r\n Transfer-Encoding: chunked\rContent-Length: 3\r\n\r\n"};
  EXPECT_EQ(one.message.framing, http_framing::none);
  EXPECT_EQ(one[http_header], "X: y Transfer-Encoding: chunked\rContent-Length: 3\r\n");
}

TEST(http_head, a_response_begins_after_blanks_and_a_short_line) {
  for (std::string const before : {" ", "\r\n\t", " \r", "foobar\r\n", "SIP/2.0 200 OK\r\n"}) {
    head const one{before + "HTTP/1.1 200 OK\r\n\r\n", http_kind::response};
    EXPECT_EQ(one.state, head_state::complete) << before;
    EXPECT_EQ(one[http_stat_code], "200") << before;
  }
  EXPECT_EQ((head{"foobar\r\nfoobar\r\nHTTP/1.1 200 OK\r\n\r\n", http_kind::response}.state), head_state::foreign);
  EXPECT_EQ((head{std::string(40, 'x') + "\r\nHTTP/1.1 200 OK\r\n\r\n", http_kind::response}.state),
            head_state::foreign);
  EXPECT_EQ((head{"220 mail\r\n", http_kind::response}.state), head_state::incomplete) << "a short line so far";
}

TEST(http_head, a_line_of_one_blank_ends_a_response_if_a_line_follows) {
  EXPECT_EQ((head{"HTTP/1.1 200 OK\nX: y\n \n", http_kind::response}.state), head_state::incomplete);
  head const one{"HTTP/1.1 200 OK\nX: y\n \nbody", http_kind::response};
  EXPECT_EQ(one.state, head_state::complete);
  EXPECT_EQ(one.message.head_size, 23U);
  head const other{"HTTP/1.1 200 OK\nX: y\n \n\nbody", http_kind::response};
  EXPECT_EQ(other.message.head_size, 24U);
}

TEST(http_head, a_line_of_two_crs_ends_a_response_after_a_plain_lf_if_a_line_follows) {
  EXPECT_EQ((head{"HTTP/1.1 200 OK\n\r\r\nbody", http_kind::response}.message.head_size), 19U);
  EXPECT_EQ((head{"HTTP/1.1 200 OK\n\r\r\n\r\nbody", http_kind::response}.message.head_size), 21U);
  EXPECT_EQ((head{"HTTP/1.1 200 OK\r\n\r\r\nbody", http_kind::response}.state), head_state::incomplete);
}

TEST(http_head, normalised_forms_do_not_exceed_their_room) {
  std::string const text = "GET / HTTP/1.1\r\nA: b\r\n\r\n";
  std::byte room[12];
  http_message made;
  EXPECT_EQ(read_head({reinterpret_cast<std::byte const*>(text.data()), static_cast<std::uint32_t>(text.size())},
                      http_kind::request, room, sizeof room, made),
            head_state::too_long);
}

}  // namespace
}  // namespace packetwarp::inspect
