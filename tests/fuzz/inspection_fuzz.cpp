// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "function/inspection/late_judge.h"
#include "fuzz/input.h"
#include "fuzz/inspection_scenario.h"
#include "fuzz/packets.h"
#include "inspect/packet/inspector.h"

using namespace packetwarp;

namespace {

using fuzz::alerts_by_rule;
using fuzz::known_rules;

// Small enough that inputs reach them.
constexpr std::size_t most_streams = 3;
constexpr std::size_t most_bytes = 65'536;

// The alerts of the stage, which keeps its bounds after each group of packets.
[[nodiscard]] alerts_by_rule judged(inspection_table& table, std::vector<fuzz::frame>& frames, unsigned group) {
  late_judge late;
  fuzz::prepare(late, table, known_rules());
  auto const room = std::make_unique<inspection::room>();
  room->marks = {};
  alerts_by_rule all;
  auto const tables = table.ref(0);
  for (std::size_t first = 0; first < frames.size(); first += group) {
    auto const size = static_cast<unsigned>(std::min<std::size_t>(group, frames.size() - first));
    auto const in_force = inspection::hold(tables);
    fuzz::gather({frames.data() + first, size}, in_force, *room);
    inspection::work(lone_lane{size}, in_force, *room);
    (void)table.journal().read(0, alert_journal::records,
                               [&all](inspection_parts::alert const& seen) { ++all[seen.rule]; });
    fuzz::judge_late(table, late, all);
    auto const use = table.streams();
    fuzz::require(use.streams <= most_streams && (use.bytes <= most_bytes || use.streams == 1));
  }
  return all;
}

// Without streams, automata and the CPU decide on expressions as PCRE2 does at once.
[[nodiscard]] alerts_by_rule judge_alone(std::vector<fuzz::frame> frames, unsigned group) {
  auto with_engine = fuzz::table_without_streams(1, 0);
  auto without = fuzz::table_without_streams(0, 0);
  auto copies = frames;
  auto alerts = judged(with_engine, frames, group);
  fuzz::require(alerts == judged(without, copies, group));
  fuzz::require(without.counted().unjudged_regexes == 0);
  return alerts;
}

// With the bytes around each segment, rules that look at streams alert where they do without them. A packet that is
// passed or bypassed may have had the only match.
void judge_with_neighbours(std::vector<fuzz::frame> const& frames, unsigned group, alerts_by_rule const& alone) {
  constexpr std::uint32_t carried_records = 8;
  constexpr std::array<std::uint32_t, 2> rules_for_streams{1, 9};  // sid 2 and 10
  for (std::size_t const engines : {0, 1}) {
    auto copies = frames;
    auto table = fuzz::table_without_streams(engines, carried_records);
    auto const alerts = judged(table, copies, group);
    fuzz::require_all_given_back(table);
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
  auto frames = fuzz::all_frames(bytes);
  inspection_table table{{.rules = known.compiled, .count = known.rules.rules.size()},
                         make_regex_engines(known.compiled, 1),
                         {.flows = 1024, .rates = 64, .streams = {.streams = most_streams, .bytes = most_bytes}},
                         fuzz::inspection_key,
                         1,
                         table_place{}};
  inspect::inspector judge{known.compiled,
                           known.rules.rules.size(),
                           fuzz::inspection_key,
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
