// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fixtures/lanes_in_turn.h"
#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "function/inspection/late_judge.h"
#include "fuzz/input.h"
#include "fuzz/inspection_scenario.h"
#include "fuzz/packets.h"
#include "wire/parse.h"

using namespace packetwarp;

namespace {

// The inspector of captures, which judges as no executor does, takes no packet: it has none of these.
[[nodiscard]] fuzz::all_rules const& rules_with_verdicts() {
  static fuzz::all_rules const made{std::string{fuzz::text_of_rules} +
                                    "drop tcp-pkt any any -> any any (content:\"drop\"; sid:17;)\n"
                                    "drop http any any -> any any (http.uri; content:\"/drop\"; sid:18;)\n"
                                    "reject tcp any any -> any any (content:\"end\"; sid:19;)\n"};
  return made;
}

// Whether the frame is from the alert's source.
[[nodiscard]] bool is_of(std::vector<std::byte> const& frame, inspection_parts::alert const& seen) {
  auto const found =
      wire::parse(frame.data(), static_cast<std::uint32_t>(frame.size()), static_cast<std::uint32_t>(frame.size()));
  auto const* const ip = frame.data() + found.l3_offset;
  if (seen.ip_version == 6) return wire::ipv6_view{ip}.source() == seen.source;
  return wire::ipv4_view{ip}.source().number == seen.source.low;
}

// The results of the stage that do not depend on the number of lanes.
struct seen_by_lanes {
  fuzz::alerts_by_rule alerts;
  std::vector<inspection_parts::fate> fates;

  [[nodiscard]] bool operator==(seen_by_lanes const&) const = default;
};

// Judges a group, all lanes by this thread.
void work_by_lanes(test::lanes_in_turn& lanes, inspection::held const& in_force, inspection::room& room,
                   unsigned packets) {
  if (lanes.count() == 1) return inspection::work(lone_lane{packets}, in_force, room);
  test::run_in_turn(lanes, packets, [&](auto const& group) { inspection::work(group, in_force, room); });
}

[[nodiscard]] seen_by_lanes judged(inspection_table& table, std::vector<fuzz::frame> frames, unsigned group,
                                   test::lanes_in_turn& lanes) {
  late_judge late;
  fuzz::prepare(late, table, rules_with_verdicts());
  auto const room = std::make_unique<inspection::room>();
  room->marks = {};
  seen_by_lanes all;
  auto const tables = table.ref(0);
  for (std::size_t first = 0; first < frames.size(); first += group) {
    auto const size = static_cast<unsigned>(std::min<std::size_t>(group, frames.size() - first));
    auto const in_force = inspection::hold(tables);
    fuzz::gather({frames.data() + first, size}, in_force, *room);
    work_by_lanes(lanes, in_force, *room, size);
    for (unsigned n = 0; n < size; ++n) all.fates.push_back(inspection::annotation_of(n, *room));
    std::vector<std::byte> packet;
    (void)table.journal().read(0, alert_journal::records, [&](inspection_parts::alert const& seen) {
      ++all.alerts[seen.rule];
      // The frame is one of the group's, if there was room for it.
      if (!table.take_packet(0, seen, packet)) return;
      fuzz::require(is_of(packet, seen));
      auto const end = frames.begin() + static_cast<std::ptrdiff_t>(first + size);
      fuzz::require(std::find(frames.begin() + static_cast<std::ptrdiff_t>(first), end, packet) != end);
    });
    fuzz::judge_late(table, late, all.alerts);
  }
  fuzz::require_all_given_back(table);
  return all;
}

}  // namespace

// Several lanes judge packets of connections as one lane does: without the bytes of streams, and with them.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::array<unsigned, 3> counts{2, 5, 32};
  static test::lanes_in_turn one{1};
  static std::array<test::lanes_in_turn, 3> several{test::lanes_in_turn{counts[0]}, test::lanes_in_turn{counts[1]},
                                                    test::lanes_in_turn{counts[2]}};
  fuzz::input bytes{data, size};
  auto& lanes = several[bytes.below(counts.size())];
  auto const group = 1 + bytes.below(lanes.count());
  auto const frames = fuzz::all_frames(bytes);
  for (std::uint32_t const carried : {0U, 1024U}) {
    auto alone = fuzz::table_without_streams(0, carried, rules_with_verdicts());
    auto together = fuzz::table_without_streams(0, carried, rules_with_verdicts());
    fuzz::require(judged(alone, frames, group, one) == judged(together, frames, group, lanes));
    auto const wanted = alone.counted();
    auto const seen = together.counted();
    fuzz::require(seen.packets == wanted.packets && seen.passed == wanted.passed && seen.bypassed == wanted.bypassed);
    fuzz::require(seen.heads_not_read == wanted.heads_not_read && seen.unjudged_streams == wanted.unjudged_streams);
  }
  return 0;
}
