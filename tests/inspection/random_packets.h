// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {

// Rules of all kinds that follow from packets, flows and thresholds; none is for streams (tcp-pkt).
inline constexpr char const* rules_of_all_kinds =
    "pass tcp-pkt any any -> any any (content:\"health\"; sid:1;)\n"
    "drop tcp-pkt any any -> any any (flow:established,to_server; content:\"evil\"; nocase; sid:2;)\n"
    "reject tcp any any -> any 23 (flags:S,12; sid:3;)\n"
    "alert tcp-pkt any any -> any any (content:\"USER\"; flowbits:set,login; flowbits:noalert; sid:4;)\n"
    "alert tcp-pkt any any -> any any (content:\"PASS\"; flowbits:isset,login; sid:5;)\n"
    "alert tcp-pkt any any -> any any (content:\"QUIT\"; flowbits:unset,login; sid:6;)\n"
    "alert udp any any -> any any (content:\"evil\"; content:\"more\"; distance:0; within:12; sid:7;)\n"
    "alert udp any any -> any any (content:\"rate\"; threshold:type limit, track by_src, count 3, seconds 600; "
    "sid:8;)\n"
    "alert udp any any -> any any (content:\"rate\"; threshold:type threshold, track by_both, count 4, seconds 60; "
    "sid:9;)\n"
    "alert udp any any -> any any (content:\"rate\"; detection_filter:track by_dst, count 5, seconds 60; sid:10;)\n"
    "alert tcp-pkt any any -> any any (flow:to_client; content:\"secret\"; sid:11;)\n"
    "alert icmp any any -> any any (itype:8; dsize:>4; sid:12;)\n"
    "alert ip any any -> any any (sid:13;)\n"
    "alert udp any any -> any 53 (dns.query; content:\"evil\"; sid:14;)\n";

// Rules of packets, which GPUs judge, too, that bypass flows.
inline constexpr char const* rules_that_bypass =
    "pass tcp-pkt any any -> any any (content:\"nothing\"; content:\"more\"; bypass; sid:101;)\n"
    "alert udp any any -> any any (content:\"secret\"; bypass; sid:102;)\n";

// Packets of a few flows, with words that the rules search, from hosts that begin, answer and end connections.
[[nodiscard]] inline std::vector<frame_bytes> random_packets(std::size_t count, unsigned seed) {
  std::mt19937 random{seed};
  auto const pick = [&random](unsigned most) { return static_cast<unsigned>(random() % most); };
  constexpr std::array words{"health", "evil", "EVIL",   "USER", "PASS",   "QUIT",
                             "more",   "rate", "secret", "x",    "nothing"};
  constexpr std::array<std::uint8_t, 6> flags{0x02, 0x12, 0x10, 0x18, 0x11, 0x04};
  std::vector<frame_bytes> all;
  while (all.size() < count) {
    auto const host = fmt::format("10.0.0.{}", 1 + pick(3));
    auto const port = static_cast<std::uint16_t>(4000 + pick(3));
    auto const service = static_cast<std::uint16_t>(pick(4) == 0 ? 23 : pick(4) == 0 ? 53 : 80);
    bool const is_back = pick(3) == 0;
    packet_builder made;
    made.eth();
    made.ipv4(is_back ? "20.0.0.9" : host, is_back ? host : "20.0.0.9");
    auto const from = is_back ? service : port;
    auto const to = is_back ? port : service;
    auto const kind = pick(8);
    std::uint8_t chosen = 0;
    if (kind < 5) {
      chosen = flags[pick(kind < 3 ? 4 : 6)];
      made.tcp(from, to, chosen);
    } else if (kind < 7) {
      made.udp(from, to);
    } else {
      made.icmp_echo(1, static_cast<std::uint16_t>(pick(9)));
    }
    std::string text;
    for (auto left = pick(4); left != 0; --left)
      text += fmt::format("{}{}", words[pick(words.size())], std::string(pick(5), '.'));
    bytes payload(text.size());
    for (std::size_t n = 0; n < text.size(); ++n) payload[n] = static_cast<std::byte>(text[n]);
    all.push_back(made.payload(payload).build());
    // No answer to a SYN is that of another connection: each has a number of its own.
    constexpr std::size_t sequence_at = 14 + 20 + 4;
    if (chosen != 0x12) continue;
    for (unsigned i = 0; i < 4; ++i) all.back()[sequence_at + i] = static_cast<std::byte>(all.size() >> (24 - 8 * i));
  }
  return all;
}

}  // namespace packetwarp::test
