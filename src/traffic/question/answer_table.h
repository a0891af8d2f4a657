// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "telemetry/histogram.h"

namespace packetwarp::traffic {

// The class of a packet, as known or as answered.
enum class packet_class : std::uint8_t { normal, anomalous };
inline constexpr std::size_t packet_classes = 2;
[[nodiscard]] std::string_view to_string(packet_class one);

// The answers to packets of one known class: sent == called[normal] + called[anomalous] + missing().
struct class_answers {
  std::uint64_t sent{};
  std::array<std::uint64_t, packet_classes> called{};  // by the answered class; each answer intact
  telemetry::histogram_snapshot latency{};             // cycles, of these answers

  [[nodiscard]] std::uint64_t missing() const { return sent - called[0] - called[1]; }
  class_answers& operator+=(class_answers const& more);
};
// [n]: of the n-th packet_class.
using answer_table = std::array<class_answers, packet_classes>;

}  // namespace packetwarp::traffic
