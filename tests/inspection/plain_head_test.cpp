// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/http/plain_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "inspect/same_message.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

using namespace inspect;

// Plain heads by several lanes against the reader of all heads, by one.

class heads {
 public:
  explicit heads(unsigned seed) : random_{seed} {}

  [[nodiscard]] std::string request() {
    return std::string{one_of(std::array{"GET ", "POST ", "HEAD ", "X-Y "})} +
           one_of(std::array{"/a/b?c=%41", "/", "http://Host.example:81/%2e%2e/x", "*", "/../\\x//y",
                             "/p/q.r?s=//t/./u\\v", "/a/.b", "/p#q?%25", "/no/%%", "/\xc0\xaf"}) +
           " HTTP/1.1\r\n" +
           fields(std::array{"Host: a.Example:80\r\n", "User-Agent: one two\r\n", "Cookie: k=v; l\r\n",
                             "Referer: http://x/\r\n", "Accept: */*\r\n", "Transfer-Encoding: gzip, chunked\r\n"});
  }
  [[nodiscard]] std::string response() {
    return std::string{one_of(std::array{"HTTP/1.1 200 OK\r\n", "HTTP/1.0 404 Not  Found\r\n", "HTTP/1.1 \r\n"})} +
           fields(std::array{"Set-Cookie: k=v\r\n", "Server: Odd/1\r\n", "Location: /e vil\r\n",
                             "Content-Encoding: deflate\r\n", "Content-Type: text/html\r\n", "X-Y: :\r\n"});
  }
  [[nodiscard]] bool is_plain() const { return is_plain_; }

 private:
  [[nodiscard]] unsigned pick(std::size_t most) { return static_cast<unsigned>(random_() % most); }
  template <std::size_t Count>
  [[nodiscard]] char const* one_of(std::array<char const*, Count> const& all) {
    return all[pick(Count)];
  }
  template <std::size_t Count>
  [[nodiscard]] std::string fields(std::array<char const*, Count> known) {
    std::shuffle(known.begin(), known.end(), random_);
    std::string made;
    for (std::size_t n = 0, count = pick(Count + 1); n < count; ++n) made += known[n];
    if (pick(2) == 0) made += "Content-Length: " + std::to_string(pick(3000)) + "\r\n";
    if (pick(3) == 0) made += "Blanks:   b  c  \r\nNone:\r\nEmpty: \r\n";
    for (unsigned n = 0, count = pick(4) == 0 ? pick(70) : 0; n < count; ++n)
      made += "F" + std::to_string(n) + ": x\r\n";
    is_plain_ = std::count(made.begin(), made.end(), '\n') <= 64;
    if (pick(4) == 0) {
      is_plain_ = false;
      made += one_of(std::array{"Odd : x\r\n", "A: b\r\na: c\r\n", "Folded: a\r\n b\r\n", "no field\r\n", "Lf: x\n",
                                "Cr: a\rb\r\n", "Tab: \tx\r\n", ": x\r\n", "Zero: \x01\r\n"});
    }
    made += "\r\n" + std::string(pick(50), '.') + (pick(3) == 0 ? "\r\n\r\nGET" : "");
    return made;
  }
  std::mt19937 random_;
  bool is_plain_{};
};

struct one_head {
  std::string text;
  http_kind kind;
  bool is_plain;
};

[[nodiscard]] text_view view_of(std::string const& text) {
  return {reinterpret_cast<std::byte const*>(text.data()), static_cast<std::uint32_t>(text.size())};
}

// The lanes' result for each head; empty for a head that is not plain.
[[nodiscard]] std::vector<std::string> read_by_lanes(std::vector<one_head> const& all, unsigned lanes) {
  std::vector<std::string> made(all.size());
  plain_lines lines{};
  std::vector<std::byte> forms(1U << 20);
  http_message message;
  run_lanes(lanes, 1, [&](auto const& group) {
    for (std::size_t n = 0; n < all.size(); ++n) {
      auto const text = view_of(all[n].text);
      bool const is_read =
          read_plain_head(group, text, all[n].kind, lines, forms.data(), room_for_head(text.size), message);
      if (is_read && group.lane() == 0) made[n] = inspect::test::text_of(message);
      group.sync();
    }
  });
  return made;
}

TEST(plain_heads, are_read_by_lanes_as_by_the_reader_of_all_heads) {
  heads made{5};
  std::vector<one_head> all;
  for (unsigned n = 0; n < 500; ++n) {
    bool const is_request = n % 2 == 0;
    auto text = is_request ? made.request() : made.response();
    all.push_back({std::move(text), is_request ? http_kind::request : http_kind::response, made.is_plain()});
  }
  for (unsigned const lanes : {1U, 2U, 7U, 32U}) {
    auto const read = read_by_lanes(all, lanes);
    for (std::size_t n = 0; n < all.size(); ++n) {
      SCOPED_TRACE(all[n].text);
      EXPECT_EQ(!read[n].empty(), all[n].is_plain);
      if (read[n].empty()) continue;
      auto const text = view_of(all[n].text);
      std::vector<std::byte> forms(room_for_head(text.size));
      http_message wanted;
      auto const state = read_head(text, all[n].kind, forms.data(), static_cast<std::uint32_t>(forms.size()), wanted);
      EXPECT_EQ(state, head_state::complete);
      EXPECT_EQ(read[n], inspect::test::text_of(wanted));
    }
  }
}

TEST(plain_heads, need_an_end_in_the_text) {
  for (std::string const text : {"GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nA: b\r\n", "\r\nGET / HTTP/1.1\r\n\r\n",
                                 " GET / HTTP/1.1\r\n\r\n", "no word\r\n\r\n", "GET /\r\n\r\r\n\n", ""}) {
    EXPECT_EQ(read_by_lanes({{text, http_kind::request, false}}, 4)[0], "") << text;
  }
}

}  // namespace
}  // namespace packetwarp::test
