// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "function/inspection/late_judge.h"
#include "fuzz/input.h"
#include "fuzz/packets.h"
#include "inspect/language/rule_file.h"
#include "inspect/packet/inspector.h"
#include "wire/tcp.h"

using namespace packetwarp;

namespace {

constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
// Small enough that inputs reach them.
constexpr std::size_t most_streams = 3;
constexpr std::size_t most_bytes = 65'536;

constexpr char text_of_rules[] =
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

[[nodiscard]] inspect::rule_set read_rules() {
  inspect::rule_set made;
  inspect::add_rules(made, "fuzz.rules", text_of_rules, inspect::variables{});
  fuzz::require(made.problems.empty());
  return made;
}

struct all_rules {
  inspect::rule_set rules{read_rules()};
  inspect::ruleset compiled{inspect::compile_rules(rules)};
};

[[nodiscard]] all_rules const& known_rules() {
  static all_rules const made;
  return made;
}

// Both ends of a few connections, and the bytes that each has sent.
class speakers {
 public:
  // A segment of one end, at its next byte or at another place; or a frame of the input's bytes.
  [[nodiscard]] fuzz::frame next(fuzz::input& bytes) {
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
  [[nodiscard]] static fuzz::frame segment(unsigned number, unsigned side, std::uint8_t flags, std::uint32_t at,
                                           std::uint32_t acknowledged, std::vector<std::byte> const& payload) {
    constexpr std::uint32_t first = 0xffff'ff00;
    constexpr std::size_t header = 20;
    std::uint32_t const ends[2] = {0x0a00'0001U + number, 0x1400'0001U};
    std::uint16_t const ports[2] = {static_cast<std::uint16_t>(4000 + number), 80};
    auto made = fuzz::begin_packet(wire::mac_address::from_number(1), ends[side], ends[1 - side],
                                   wire::ip_protocol::tcp, header + payload.size());
    auto* const raw = made.data() + fuzz::ip_at + 20;
    std::fill_n(raw, header, std::byte{0});
    wire::tcp_view const tcp{raw};
    tcp.set_source_port(ports[side]);
    tcp.set_destination_port(ports[1 - side]);
    tcp.set_sequence(first + at);
    tcp.set_acknowledgment(first + acknowledged);
    tcp.set_header_length(header);
    tcp.set_flags(flags);
    std::copy(payload.begin(), payload.end(), raw + header);
    fuzz::mend(made);
    return made;
  }

  std::array<std::array<std::uint32_t, 2>, 4> sent_{};
};

[[nodiscard]] std::vector<fuzz::frame> all_frames(fuzz::input& bytes) {
  constexpr std::size_t most = 96;
  speakers ends;
  std::vector<fuzz::frame> all;
  while (!bytes.empty() && all.size() < most) {
    auto frame = ends.next(bytes);
    if (!frame.empty()) all.push_back(std::move(frame));
  }
  return all;
}

using alerts_by_rule = std::map<std::uint32_t, unsigned>;

// The rules that the stage leaves to the CPU.
void judge_late(inspection_table& table, late_judge& judge, alerts_by_rule& to) {
  if (table.late() == nullptr) return;
  (void)table.late()->read(0, late_journal::records, [&](inspection_parts::late_packet const& seen) {
    if (judge.matches(seen)) ++to[seen.what.rule];
  });
  fuzz::require(table.late()->lost() == 0);
}

// The alerts of the stage, which keeps its bounds after each group of packets.
[[nodiscard]] alerts_by_rule judged(inspection_table& table, std::vector<fuzz::frame>& frames, unsigned group) {
  auto const& rules = known_rules().compiled;
  late_judge late;
  late.prepare(table.set_in_force(), rules.ref(), std::make_unique<inspect::regex_library>(rules.regexes()));
  auto const room = std::make_unique<inspection::room>();
  room->marks = {};
  alerts_by_rule all;
  auto const tables = table.ref(0);
  for (std::size_t first = 0; first < frames.size(); first += group) {
    auto const size = static_cast<unsigned>(std::min<std::size_t>(group, frames.size() - first));
    auto const in_force = inspection::hold(tables);
    for (unsigned n = 0; n < size; ++n) {
      auto& frame = frames[first + n];
      auto const length = static_cast<std::uint32_t>(frame.size());
      inspection::gather({frame.data(), length, length}, n, in_force, *room);
    }
    inspection::work(lone_lane{size}, in_force, *room);
    (void)table.journal().read(0, alert_journal::records,
                               [&all](inspection_parts::alert const& seen) { ++all[seen.rule]; });
    judge_late(table, late, all);
    auto const use = table.streams();
    fuzz::require(use.streams <= most_streams && (use.bytes <= most_bytes || use.streams == 1));
  }
  return all;
}

// carried: connections of which bytes are carried, as on a GPU.
[[nodiscard]] inspection_table table_without_streams(std::size_t engines, std::uint32_t carried) {
  auto const& known = known_rules();
  return {{.rules = known.compiled, .count = known.rules.rules.size()},
          make_regex_engines(known.compiled, engines),
          {.flows = 1024, .rates = 64, .streams = {.streams = 0}, .carried = carried, .texts = 64},
          key,
          1,
          table_place{}};
}

// Without streams, automata and the CPU decide on expressions as PCRE2 does at once.
[[nodiscard]] alerts_by_rule judge_alone(std::vector<fuzz::frame> frames, unsigned group) {
  auto with_engine = table_without_streams(1, 0);
  auto without = table_without_streams(0, 0);
  auto copies = frames;
  auto alerts = judged(with_engine, frames, group);
  fuzz::require(alerts == judged(without, copies, group));
  fuzz::require(without.counted().unjudged_regexes == 0);
  return alerts;
}

// Nothing stays taken once all groups are judged.
void require_all_given_back(inspection_table const& table) {
  auto const tables = table.ref(0);
  for (std::uint32_t n = 0; n < tables.texts.count; ++n) fuzz::require(tables.texts.rooms[n].is_taken == 0);
  for (std::uint32_t n = 0; n < tables.streams.count; ++n) {
    fuzz::require(tables.streams.records[n].pending == 0);
    fuzz::require(inspection_parts::stream_word::of(tables.streams.words[n]).held == 0);
  }
}

// With the bytes around each segment, rules that look at streams alert where they do without them. A packet that is
// passed or bypassed may have had the only match.
void judge_with_neighbours(std::vector<fuzz::frame> const& frames, unsigned group, alerts_by_rule const& alone) {
  constexpr std::uint32_t carried_records = 8;
  constexpr std::array<std::uint32_t, 2> rules_for_streams{1, 9};  // sid 2 and 10
  for (std::size_t const engines : {0, 1}) {
    auto copies = frames;
    auto table = table_without_streams(engines, carried_records);
    auto const alerts = judged(table, copies, group);
    require_all_given_back(table);
    auto const counts = table.counted();
    if (counts.passed + counts.bypassed != 0) continue;
    for (auto const rule : rules_for_streams) fuzz::require(!alone.contains(rule) || alerts.contains(rule));
  }
}

}  // namespace

// Packets of connections give the alerts and counts of the inspector of captures, in groups of any size and at any
// bound.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const& known = known_rules();
  fuzz::input bytes{data, size};
  auto const group = 1 + bytes.below(joint_packets);
  auto frames = all_frames(bytes);
  inspection_table table{{.rules = known.compiled, .count = known.rules.rules.size()},
                         make_regex_engines(known.compiled, 1),
                         {.flows = 1024, .rates = 64, .streams = {.streams = most_streams, .bytes = most_bytes}},
                         key,
                         1,
                         table_place{}};
  inspect::inspector judge{known.compiled,
                           known.rules.rules.size(),
                           key,
                           {.flows = 1024, .rates = 64, .streams = most_streams, .stream_bytes = most_bytes}};
  alerts_by_rule wanted;
  for (auto const& frame : frames) {
    for (auto const& alert : judge.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1'000'000'000))
      ++wanted[alert.rule];
  }
  fuzz::require(judged(table, frames, group) == wanted);
  judge_with_neighbours(frames, group, judge_alone(frames, group));
  auto const counts = table.counted();
  fuzz::require(counts.packets == frames.size() && counts.dropped + counts.rejected == 0);
  fuzz::require(counts.segments == judge.segments() && counts.messages == judge.judged().messages);
  fuzz::require(counts.candidates == judge.judged().candidates);
  fuzz::require(counts.datagrams == judge.fragments().counts());
  fuzz::require(counts.bypassed == judge.counts().bypassed && counts.flows_bypassed == judge.counts().flows_bypassed);
  return 0;
}
