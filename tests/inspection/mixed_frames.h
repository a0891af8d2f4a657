// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <random>
#include <string>
#include <vector>

#include "inspection/connections.h"
#include "inspection/random_packets.h"

namespace packetwarp::test {

// Rules of all kinds that packets judged alone have, and frames for them.
inline constexpr char const* mixed_rules =
    "pass http any any -> any any (http.uri; content:\"/health\"; sid:201;)\n"
    "pass tcp-pkt any any -> any any (content:\"nothing\"; sid:202;)\n"
    "alert http any any -> any any (http.uri; content:\"evil\"; sid:203;)\n"
    "alert tcp-pkt any any -> any any (content:\"evil\"; sid:204;)\n"
    "alert http any any -> any any (http.uri; content:\"evil\"; http.host; content:\"evil\"; flowbits:set,bad; "
    "sid:205;)\n"
    "alert http any any -> any any (http.cookie; content:!\"k\"; flowbits:isset,bad; sid:206;)\n"
    "alert http any any -> any any (http.uri; pcre:\"/(.)x\\1/\"; sid:207;)\n"
    "drop http any any -> any any (http.user_agent; content:\"tool\"; nocase; bypass; sid:208;)\n"
    "alert tcp-pkt any any -> any any (content:\"evil\"; pcre:\"/(e).*\\1/\"; sid:209;)\n"
    "alert http any any -> any any (http.header; content:\"X: a, b|0d 0a|\"; sid:210;)\n"
    "alert dns any any -> any any (dns.query; content:\"evil\"; sid:211;)\n"
    "alert tcp-pkt any any -> any any (content:\"skip\"; bypass; sid:212;)\n"
    "alert http any any -> any any (flow:to_client; http.stat_code; content:\"404\"; threshold:type limit, track "
    "by_src, "
    "count 3, seconds 600; sid:213;)\n";

class mixed_frames {
 public:
  explicit mixed_frames(unsigned seed) : random_{seed} {}

  [[nodiscard]] std::vector<frame_bytes> make() {
    auto connections = make_connections(30);
    for (unsigned n = 0; n < 4; ++n) connections.push_back(random_packets(20, static_cast<unsigned>(random_())));
    return interleaved(connections);
  }
  // The frames of each connection, in their order.
  [[nodiscard]] std::vector<std::vector<frame_bytes>> make_connections(unsigned count) {
    std::vector<std::vector<frame_bytes>> connections;
    for (unsigned n = 0; n < count; ++n) {
      connection const made{1000 + n};
      auto frames = made.handshake();
      for (unsigned sent = 0; pick(7) != 0; sent += 4000) frames.push_back(made.segment(pick(2), sent, text()));
      connections.push_back(std::move(frames));
    }
    return connections;
  }

 private:
  [[nodiscard]] unsigned pick(std::size_t most) { return static_cast<unsigned>(random_() % most); }
  [[nodiscard]] std::string text() {
    constexpr std::array lines{"GET /evil", "GET /health",     "POST /axa%78a", "HEAD http://evil:80/evil", "EHLO evil",
                               "ABC skip",  "HTTP/1.1 404 No", "evil, even",    "HTTP/1.0 200 OK",          "GET  "};
    constexpr std::array fields{"Host: evil\r\n", "User-Agent: a TOOL\r\n", "X: a\r\nx: b\r\n", "Cookie: k\r\n",
                                "A: skip nothing\r\n"};
    std::string made = lines[pick(lines.size())];
    if (pick(8) != 0) made += " HTTP/1.1";
    made += "\r\n";
    for (auto left = pick(4); left != 0; --left) made += fields[pick(fields.size())];
    if (pick(6) == 0) made += "B: " + std::string(1200 + pick(900), 'b') + "\r\n";
    if (pick(8) != 0) made += "\r\n";
    if (pick(5) == 0) made += std::string(pick(3000), '.') + "evil";
    return made;
  }
  std::mt19937 random_;
};

}  // namespace packetwarp::test
