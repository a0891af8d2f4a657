// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "inspection/connection.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {

// Rules whose matches follow from streams and messages.
inline constexpr char const* rules_for_streams =
    "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n"
    "alert tcp any any -> any any (flow:only_stream,to_client; content:\"answer\"; content:\"end\"; distance:0; "
    "sid:2;)\n"
    "alert tcp any any -> any any (flow:no_stream; content:\"secret word\"; sid:3;)\n"
    "alert http any any -> any any (http.uri; content:\"/evil\"; http.method; content:\"GET\"; sid:4;)\n"
    "alert http any any -> any any (http.user_agent; content:\"bad tool\"; flowbits:set,bad; sid:5;)\n"
    "alert http any any -> any any (flow:to_client; http.stat_code; content:\"200\"; flowbits:isset,bad; sid:6;)\n"
    "alert http any any -> any any (http.request_body; content:\"password=\"; sid:7;)\n"
    "alert http any any -> any any (file.data; content:\"virus\"; sid:8;)\n"
    "alert tcp any any -> any any (pcre:\"/id=[0-9]{4,}&/\"; sid:9;)\n"
    "pass http any any -> any any (http.uri; content:\"/health\"; sid:10;)\n"
    "alert tcp any any -> any any (content:\"GET\"; depth:3; sid:11;)\n"
    "alert http any any -> any any (http.host; content:\"example.org\"; threshold:type limit, track by_src, count 2, "
    "seconds 600; sid:12;)\n";

// The frames of some connections, in which segments come in any sizes, some twice, late or never, and both sides talk.
[[nodiscard]] inline std::vector<std::vector<frame_bytes>> random_connections(std::size_t count, unsigned seed) {
  std::mt19937 random{seed};
  auto const pick = [&random](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  constexpr std::array<char const*, 8> requests{
      "GET /evil?id=12345& HTTP/1.1\r\nHost: example.org\r\nUser-Agent: bad tool\r\n\r\n",
      "POST /form HTTP/1.1\r\nHost: example.org\r\nContent-Length: 20\r\n\r\nuser=me&password=abc",
      "GET /health HTTP/1.1\r\n\r\nGET /evil/2 HTTP/1.1\r\nHost: other\r\n\r\n",
      "GET /%65vil HTTP/1.0\r\n\r\n",
      "a secret word and id=99999& more",
      "no HTTP at all, but the answer to the end",
      "PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npass\r\n6\r\nword=x\r\n0\r\n\r\n",
      "GET / HTTP/1.1\r\nUser-Agent:  bad\r\n tool\r\n\r\n"};
  constexpr std::array<char const*, 4> answers{
      "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nthe virus is",
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\nvirus",
      "an answer without an end: secret word, end",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nvirus"};
  std::vector<std::vector<frame_bytes>> all;
  for (std::size_t n = 0; n < count; ++n) {
    connection const made{static_cast<unsigned>(4000 + n % 1000), "10.0." + std::to_string(n / 1000) + ".1"};
    std::string asked;
    std::string answered;
    for (auto left = 1 + pick(3); left != 0; --left) asked += requests[pick(requests.size())];
    for (auto left = 1 + pick(2); left != 0; --left) answered += answers[pick(answers.size())];
    auto talk = made.segments(0, asked, 1 + pick(90));
    auto const back = made.segments(1, answered, 1 + pick(90));
    talk.insert(pick(3) == 0 ? talk.begin() : talk.end(), back.begin(), back.end());
    if (pick(2) == 0) std::swap(talk[pick(talk.size())], talk[pick(talk.size())]);
    if (pick(3) == 0) talk.push_back(talk[pick(talk.size())]);
    if (pick(5) == 0) talk.erase(talk.begin() + static_cast<std::ptrdiff_t>(pick(talk.size())));
    auto frames = pick(8) == 0 ? std::vector<frame_bytes>{} : made.handshake();
    append(frames, talk);
    all.push_back(std::move(frames));
  }
  return all;
}

// The connections' frames in turn, each connection's in order.
[[nodiscard]] inline std::vector<frame_bytes> interleaved(std::vector<std::vector<frame_bytes>> const& connections) {
  std::vector<frame_bytes> all;
  std::size_t longest = 0;
  for (auto const& one : connections) longest = std::max(longest, one.size());
  for (std::size_t n = 0; n < longest; ++n) {
    for (auto const& one : connections) {
      if (n < one.size()) all.push_back(one[n]);
    }
  }
  return all;
}

}  // namespace packetwarp::test
