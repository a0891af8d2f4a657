// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "function/inspection/inspection.h"
#include "function/inspection/inspection_table.h"
#include "inspect/language/rule_file.h"
#include "inspect/packet/inspector.h"
#include "inspection/connection.h"

namespace packetwarp::test {

inline constexpr hash_key inspection_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

// The number of alerts by sid.
using alerts_by_sid = std::map<std::uint32_t, unsigned>;

// As a GPU judges packets with `streams: none`.
inline constexpr inspection_sizes judged_alone{.flows = 65'536, .rates = 65'536, .streams = {.streams = 0}};

// As a GPU judges packets with `streams`.
inline constexpr inspection_sizes judged_with_neighbours{
    .flows = 65'536, .rates = 65'536, .streams = {.streams = 0}, .carried = 1024, .texts = 256};

// The engine of expressions: PCRE2, or none, as on a GPU.
enum class expressions { by_engine, later };

// Rules, and the stage with them: on the host packets go through it in groups.
class stage_bed {
 public:
  explicit stage_bed(std::string const& text, inspection_sizes sizes = {.flows = 65'536, .rates = 65'536},
                     std::size_t pipelines = 1, expressions how = expressions::by_engine, table_place place = {})
      : rules_{rules_of(text)},
        compiled_{inspect::compile_rules(rules_)},
        table_{{.rules = compiled_, .count = rules_.rules.size()},
               make_regex_engines(compiled_, how == expressions::by_engine ? pipelines : 0),
               sizes,
               inspection_key,
               pipelines,
               place},
        tables_{table_.ref(0)},
        pipelines_{pipelines} {
    room_.marks = {};
    if (how == expressions::later) {
      late_.prepare(0, compiled_.ref(), std::make_unique<inspect::regex_library>(compiled_.regexes()));
      late_.prepare(1, compiled_.ref(), std::make_unique<inspect::regex_library>(compiled_.regexes()));
    }
  }

  [[nodiscard]] inspect::rule_set const& rules() const { return rules_; }
  [[nodiscard]] inspect::ruleset const& compiled() const { return compiled_; }
  [[nodiscard]] inspection_table& table() { return table_; }
  [[nodiscard]] inspection::room& room() { return room_; }
  [[nodiscard]] inspection::held hold() const { return inspection::hold(tables_); }
  [[nodiscard]] inspection_ref const& tables() const { return tables_; }
  [[nodiscard]] std::size_t pipelines() const { return pipelines_; }

  // The fates of packets that are in one piece.
  [[nodiscard]] std::vector<inspection_parts::fate> judge(std::vector<frame_bytes>& frames, unsigned group) {
    std::vector<inspection_parts::fate> all;
    for (std::size_t first = 0; first < frames.size(); first += group) {
      auto const size = std::min<std::size_t>(group, frames.size() - first);
      judge_group({frames.data() + first, size}, 0, room_, all);
      read();
    }
    return all;
  }
  // A group of packets by one pipeline; leaves its alerts in the journal.
  void judge_group(std::span<frame_bytes> frames, std::size_t pipeline, inspection::room& room,
                   std::vector<inspection_parts::fate>& fates) {
    auto const tables = table_.ref(pipeline);
    auto const in_force = inspection::hold(tables);
    auto const size = static_cast<unsigned>(frames.size());
    for (unsigned n = 0; n < size; ++n) inspection::gather(view_of_frame(frames[n]), n, in_force, room);
    inspection::work(lone_lane{size}, in_force, room);
    for (unsigned n = 0; n < size; ++n) fates.push_back(inspection::annotation_of(n, room));
  }
  [[nodiscard]] static packet_view view_of_frame(frame_bytes& frame) {
    auto const length = static_cast<std::uint32_t>(frame.size());
    return {frame.data(), length, length};
  }

  // Takes the alerts out of the journal.
  void read() {
    for (std::size_t n = 0; n < pipelines_; ++n) {
      (void)table_.journal().read(n, alert_journal::records, [this, n](inspection_parts::alert const& seen) {
        auto const sid = rules_.rules[seen.rule].sid;
        ++alerts_[sid];
        if (frame_bytes packet; table_.take_packet(n, seen, packet)) packets_.emplace_back(sid, std::move(packet));
      });
      if (table_.late() == nullptr) continue;
      (void)table_.late()->read(n, late_journal::records, [this](inspection_parts::late_packet const& seen) {
        ++late_packets_;
        if (late_.matches(seen)) ++alerts_[rules_.rules[seen.what.rule].sid];
      });
    }
  }
  [[nodiscard]] unsigned late_packets() const { return late_packets_; }
  [[nodiscard]] alerts_by_sid const& alerts() const { return alerts_; }
  // The packets of alerts, with the alerts' sids.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, frame_bytes>> const& packets() const { return packets_; }
  [[nodiscard]] inspection_counts counts() const { return table_.counted(); }

 private:
  [[nodiscard]] static inspect::rule_set rules_of(std::string const& text) {
    inspect::rule_set made;
    inspect::add_rules(made, "test.rules", text, inspect::variables{});
    EXPECT_EQ(made.problems, std::vector<std::string>{});
    return made;
  }

  inspect::rule_set rules_;
  inspect::ruleset compiled_;
  inspection_table table_;
  inspection_ref tables_;
  std::size_t pipelines_;
  inspection::room room_;
  alerts_by_sid alerts_;
  std::vector<std::pair<std::uint32_t, frame_bytes>> packets_;
  late_judge late_;
  unsigned late_packets_{};
};

// The alerts of src/inspect's inspector for the same packets, one after the other, at one time.
[[nodiscard]] inline alerts_by_sid alerts_of(inspect::inspector& judge, stage_bed const& of,
                                             std::vector<frame_bytes> const& frames) {
  alerts_by_sid all;
  for (auto const& frame : frames) {
    for (auto const& alert : judge.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1'000'000'000)) {
      ++all[of.rules().rules[alert.rule].sid];
    }
  }
  return all;
}

[[nodiscard]] inline alerts_by_sid alerts_of_inspector(stage_bed const& of, std::vector<frame_bytes> const& frames) {
  inspect::inspector judge{of.compiled(), of.rules().rules.size(), inspection_key, {.flows = 65'536, .rates = 65'536}};
  return alerts_of(judge, of, frames);
}

}  // namespace packetwarp::test
