// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "telemetry/counter.h"
#include "telemetry/histogram.h"
#include "traffic/judge.h"
#include "traffic/question/answer_table.h"
#include "traffic/question/question_source.h"
#include "traffic/sequence_window.h"

namespace packetwarp::traffic {

// For answers to questions (packet_judge in judge.h). An answer is intact if each byte is that of the question, turned
// into an answer by wire/answer.h; another is corrupted. Packets that answer no question in flight are unknown.
class answer_judge {
 public:
  // source: outlives the judge.
  explicit answer_judge(question_source const& source);

  bool receive(std::span<std::byte const> frame, std::uint64_t now, telemetry::histogram& latency);
  void publish() { published_.publish(counts_); }
  [[nodiscard]] verify_counts counts(std::size_t n) const;
  [[nodiscard]] std::uint64_t unknown() const { return published_.read().unknown; }
  [[nodiscard]] verify_counts settled(std::size_t n, std::uint64_t /*sent*/) const { return counts(n); }
  // Without `sent`. Any thread.
  [[nodiscard]] answer_table answers() const;

 private:
  enum class seen : std::uint8_t { stranger, corrupted, intact };
  [[nodiscard]] seen look_at(std::span<std::byte const> frame, question_source::in_flight& of, packet_class& called);
  [[nodiscard]] bool is_intact(std::span<std::byte const> frame, std::uint64_t index, std::int32_t excess);

  question_source const& source_;
  sequence_window window_;
  std::vector<std::byte> scratch_;
  verify_counts counts_;
  published_counts published_;
  std::array<std::array<telemetry::counter, packet_classes>, packet_classes> called_;  // [known][called]
  std::array<telemetry::histogram, packet_classes> latency_;
};

}  // namespace packetwarp::traffic
