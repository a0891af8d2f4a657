// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspection/stage_bed.h"
#include "wire/tcp.h"

namespace packetwarp::test {

// A TCP connection between a client and a server, whose frames it makes.
class connection {
 public:
  explicit connection(unsigned port, std::string client = "10.0.0.1") : port_{port}, client_{std::move(client)} {}

  [[nodiscard]] std::vector<frame_bytes> handshake() const {
    using namespace wire::tcp_flag;
    return {segment(0, 0xffff'ffff, {}, syn), segment(1, 0xffff'ffff, {}, syn | ack), segment(0, 0, {}, ack)};
  }
  // A segment of the client (0) or the server (1), with these bytes at this position of the side's.
  [[nodiscard]] frame_bytes segment(unsigned side, std::uint32_t position, std::string const& payload,
                                    unsigned flags = wire::tcp_flag::psh | wire::tcp_flag::ack) const {
    constexpr std::uint32_t first_number = 0xffff'fff0;  // numbers wrap around soon
    constexpr std::size_t tcp_at = 14 + 20;
    auto builder = packet_builder{}.eth();
    if (side == 0) {
      builder.ipv4(client_, "20.0.0.9").tcp(static_cast<std::uint16_t>(port_), 80, static_cast<std::uint8_t>(flags));
    } else {
      builder.ipv4("20.0.0.9", client_).tcp(80, static_cast<std::uint16_t>(port_), static_cast<std::uint8_t>(flags));
    }
    auto const* raw = reinterpret_cast<std::byte const*>(payload.data());
    auto frame = builder.payload(bytes{raw, raw + payload.size()}).build();
    auto const number = first_number + position;
    for (unsigned i = 0; i < 4; ++i) frame[tcp_at + 4 + i] = static_cast<std::byte>(number >> (24 - 8 * i));
    return frame;
  }
  // The bytes as segments of these sizes, one after the other.
  [[nodiscard]] std::vector<frame_bytes> segments(unsigned side, std::string const& all, std::size_t size,
                                                  std::uint32_t from = 0) const {
    std::vector<frame_bytes> made;
    for (std::size_t at = 0; at < all.size(); at += size)
      made.push_back(segment(side, from + static_cast<std::uint32_t>(at), all.substr(at, size)));
    return made;
  }

 private:
  unsigned port_;
  std::string client_;
};

inline void append(std::vector<frame_bytes>& to, std::vector<frame_bytes> const& some) {
  to.insert(to.end(), some.begin(), some.end());
}

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
    connection const made{static_cast<unsigned>(4000 + n % 1000), fmt::format("10.0.{}.1", n / 1000)};
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
