// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <vector>

#include "inspection/connection.h"

namespace packetwarp::test {

// Rules that decide on flows, or on every packet of a host, and a rule for the packets that they let through.
inline constexpr char const* held_rules =
    "pass ip 10.0.1.0/24 any -> any any (sid:1;)\n"
    "pass http any any -> any any (http.host; content:\"trusted\"; sid:2;)\n"
    "drop ip 10.0.2.0/24 any -> any any (threshold:type limit, track by_src, count 1, seconds 60; sid:3;)\n"
    "reject tcp [10.0.0.0/8,!10.0.3.9] any -> any 81 (sid:4;)\n"
    "drop tcp 10.0.4.0/24 any -> any 80 (threshold:type both, track by_src, count 1, seconds 60; sid:5;)\n"
    "alert tcp any any -> any 80 (flowbits:set,web; sid:6;)\n"
    "alert tcp any any -> any any (content:\"evil\"; flowbits:isset,web; sid:7;)\n";

// The n-th frames of all connections to which these rules apply: no two of them are of one flow.
[[nodiscard]] inline std::vector<std::vector<frame_bytes>> turns_for_held_rules(unsigned connections) {
  std::vector<std::vector<frame_bytes>> turns;
  for (unsigned n = 0; n < connections; ++n) {
    connection const made{4000, fmt::format("10.0.{}.{}", n % 6, 1 + n / 6)};
    auto frames = made.handshake();
    frames.insert(frames.begin(), frames.front());
    auto const* const host = n % 4 == 0 ? "trusted" : "others";
    frames.push_back(made.segment(0, 0, fmt::format("GET /evil HTTP/1.1\r\nHost: {}\r\n\r\n", host)));
    frames.push_back(made.segment(1, 0, "HTTP/1.1 200 OK\r\n\r\nevil"));
    frames.push_back(made.segment(0, 100, "evil"));
    turns.resize(frames.size());
    for (std::size_t turn = 0; turn < frames.size(); ++turn) turns[turn].push_back(frames[turn]);
  }
  return turns;
}

}  // namespace packetwarp::test
