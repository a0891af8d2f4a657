// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "function/inspection/late_judge.h"
#include "fuzz/input.h"
#include "fuzz/packets.h"
#include "inspect/language/rule_file.h"
#include "wire/tcp.h"

// Rules, and packets of a few connections, that an input makes for the stage `inspect`.
namespace packetwarp::fuzz {

inline constexpr hash_key inspection_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

inline constexpr char text_of_rules[] =
    "pass tcp-pkt any any -> any any (content:\"fine\"; sid:1;)\n"
    "alert tcp any any -> any any (content:\"secret\"; sid:2;)\n"
    "alert tcp any any -> any any (flow:only_stream; content:\"ab\"; content:\"cd\"; distance:0; within:9; sid:3;)\n"
    "alert tcp any any -> any any (content:\"GET\"; depth:3; flowbits:set,asked; sid:4;)\n"
    "alert http any any -> any any (http.uri; content:\"/evil\"; http.method; content:\"GET\"; sid:5;)\n"
    "alert http any any -> any any (http.user_agent; content:!\"x\"; sid:6;)\n"
    "alert http any any -> any any (http.request_body; content:\"word\"; sid:7;)\n"
    "alert http any any -> any any (flow:to_client; http.stat_code; content:\"20\"; flowbits:isset,asked; sid:8;)\n"
    "alert http any any -> any any (file.data; content:\"virus\"; sid:9;)\n"
    "alert tcp any any -> any any (pcre:\"/id=[0-9]{2,}/\"; sid:10;)\n"
    "alert tls any any -> any any (tls.sni; content:\"a\"; sid:11;)\n"
    "alert ip any any -> any any (dsize:>100; threshold:type limit, track by_src, count 2, seconds 60; sid:12;)\n"
    "alert tcp-pkt any any -> any any (content:\"skip\"; bypass; sid:13;)\n"
    "alert http any any -> any any (http.uri; content:\"/skip\"; bypass; sid:14;)\n"
    "alert http any any -> any any (http.uri; pcre:\"/(.)x\\1/\"; sid:15;)\n"
    "alert tcp-pkt any any -> any any (pcre:\"/(a|b)\\w*\\1/\"; sid:16;)\n";

[[nodiscard]] inline inspect::rule_set read_rules(std::string const& text) {
  inspect::rule_set made;
  inspect::add_rules(made, "fuzz.rules", text, inspect::variables{});
  require(made.problems.empty());
  return made;
}

struct all_rules {
  explicit all_rules(std::string const& text) : rules{read_rules(text)}, compiled{inspect::compile_rules(rules)} {}

  inspect::rule_set rules;
  inspect::ruleset compiled;
};

[[nodiscard]] inline all_rules const& known_rules() {
  static all_rules const made{text_of_rules};
  return made;
}

// Both ends of a few connections, and the bytes that each has sent.
class speakers {
 public:
  // A segment of one end, at its next byte or at another place; or a frame of the input's bytes.
  [[nodiscard]] frame next(input& bytes) {
    using namespace wire::tcp_flag;
    constexpr std::uint8_t all_flags[] = {psh | ack, syn, syn | ack, ack, fin | ack, rst, psh | ack, psh | ack};
    auto const shape = bytes.byte();
    auto const size = std::size_t{bytes.byte()};
    if ((shape & 64U) != 0) return bytes.bytes(size);
    auto const number = shape & 3U;
    auto const side = shape >> 2 & 1U;
    auto const flags = all_flags[shape >> 3 & 7U];
    auto& sent = sent_[number][side];
    auto const at = (shape & 128U) != 0 ? std::uint32_t{bytes.word()} : sent;
    auto const payload = bytes.bytes(size);
    bool const has_syn = (flags & syn) != 0;
    if (has_syn && payload.empty()) sent = 0;
    if ((shape & 128U) == 0) sent += static_cast<std::uint32_t>(payload.size());
    return segment(number, side, flags, at - (has_syn ? 1 : 0), sent_[number][1 - side], payload);
  }

 private:
  [[nodiscard]] static frame segment(unsigned number, unsigned side, std::uint8_t flags, std::uint32_t at,
                                     std::uint32_t acknowledged, std::vector<std::byte> const& payload) {
    constexpr std::uint32_t first = 0xffff'ff00;
    constexpr std::size_t header = 20;
    std::uint32_t const ends[2] = {0x0a00'0001U + number, 0x1400'0001U};
    std::uint16_t const ports[2] = {static_cast<std::uint16_t>(4000 + number), 80};
    auto made = begin_packet(wire::mac_address::from_number(1), ends[side], ends[1 - side], wire::ip_protocol::tcp,
                             header + payload.size());
    auto* const raw = made.data() + ip_at + 20;
    std::fill_n(raw, header, std::byte{0});
    wire::tcp_view const tcp{raw};
    tcp.set_source_port(ports[side]);
    tcp.set_destination_port(ports[1 - side]);
    tcp.set_sequence(first + at);
    tcp.set_acknowledgment(first + acknowledged);
    tcp.set_header_length(header);
    tcp.set_flags(flags);
    std::copy(payload.begin(), payload.end(), raw + header);
    mend(made);
    return made;
  }

  std::array<std::array<std::uint32_t, 2>, 4> sent_{};
};

[[nodiscard]] inline std::vector<frame> all_frames(input& bytes) {
  constexpr std::size_t most = 96;
  speakers ends;
  std::vector<frame> all;
  while (!bytes.empty() && all.size() < most) {
    auto frame = ends.next(bytes);
    if (!frame.empty()) all.push_back(std::move(frame));
  }
  return all;
}

using alerts_by_rule = std::map<std::uint32_t, unsigned>;

// For the packets that the table's executors leave to the CPU.
inline void prepare(late_judge& judge, inspection_table const& table, all_rules const& known) {
  auto const& rules = known.compiled;
  judge.prepare(table.set_in_force(), rules.ref(), std::make_unique<inspect::regex_library>(rules.regexes()));
}

// Gathers a group of frames, each in one piece.
inline void gather(std::span<frame> group, inspection::held const& in_force, inspection::room& room) {
  for (unsigned n = 0; n < group.size(); ++n) {
    auto const length = static_cast<std::uint32_t>(group[n].size());
    inspection::gather({group[n].data(), length, length}, n, in_force, room);
  }
}

// The rules that the stage leaves to the CPU.
inline void judge_late(inspection_table& table, late_judge& judge, alerts_by_rule& to) {
  if (table.late() == nullptr) return;
  (void)table.late()->read(0, late_journal::records, [&](inspection_parts::late_packet const& seen) {
    if (judge.matches(seen)) ++to[seen.what.rule];
  });
  require(table.late()->lost() == 0);
}

// carried: connections of which bytes are carried, as on a GPU.
[[nodiscard]] inline inspection_table table_without_streams(std::size_t engines, std::uint32_t carried,
                                                            all_rules const& known = known_rules()) {
  return {
      {.rules = known.compiled, .count = known.rules.rules.size()},
      make_regex_engines(known.compiled, engines),
      {.flows = 1024, .rates = 64, .streams = {.streams = 0}, .packet_bytes = 65'536, .carried = carried, .texts = 64},
      inspection_key,
      1,
      table_place{}};
}

// Nothing stays taken once all groups are judged.
inline void require_all_given_back(inspection_table const& table) {
  auto const tables = table.ref(0);
  for (std::uint32_t n = 0; n < tables.heads.count; ++n) require(tables.heads.rooms[n].is_taken == 0);
  for (std::uint32_t n = 0; n < tables.joined.count; ++n) require(tables.joined.rooms[n].is_taken == 0);
  for (std::uint32_t n = 0; n < tables.texts.count; ++n) require(tables.texts.rooms[n].is_taken == 0);
  for (std::uint32_t n = 0; n < tables.streams.count; ++n) {
    require(tables.streams.records[n].pending == 0);
    require(inspection_parts::stream_word::of(tables.streams.words[n]).held == 0);
  }
}

}  // namespace packetwarp::fuzz
