// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "telemetry/histogram.h"
#include "telemetry/traffic.h"
#include "traffic/kept_pace.h"
#include "traffic/question/answer_table.h"

namespace packetwarp::traffic {

// How closely a run could check the packets that came back.
enum class verification : std::uint8_t {
  none,        // nothing was awaited
  counted,     // packets without signatures: their number
  headers,     // packets without signatures: their number, and that their headers are right
  checksums,   // and their transport's checksums
  replayed,    // a capture's packets, by their content
  answers,     // the answers to a capture's packets, each byte
  signatures,  // loss, duplicates, order and latency by signature
  every_byte   // and every byte
};
[[nodiscard]] std::string_view to_string(verification how);

// The packets that went out and came back, of one port or of all.
struct outcome {
  telemetry::traffic sent{};
  telemetry::traffic received{};  // without unknown ones
  std::uint64_t lost{};
  std::uint64_t duplicates{};  // of packets without signatures: beyond the number sent, those of others included
  std::uint64_t reordered{};
  std::uint64_t corrupted{};
  std::uint64_t unknown{};  // of others, or no longer recognisable
  std::uint64_t tx_full{};  // polls in which the port did not take all offered packets
  std::uint64_t no_mbuf{};  // polls in which the packet pool was dry

  [[nodiscard]] bool is_flawless() const { return lost + duplicates + reordered + corrupted == 0; }
  outcome& operator+=(outcome const& more);
  friend bool operator==(outcome const& a, outcome const& b);
};

struct direction_result {
  port_id from;
  std::optional<port_id> to;
  outcome what;
  kept_pace pace{};  // of the requested rate
};

// The result of a run of the generator.
struct exchange_result {
  verification how{};
  std::vector<direction_result> directions;
  outcome total;
  kept_pace pace{};
  bool sent_all_there_is{};  // all programs had an end, and have reached it
  double sending_seconds{};  // from the first packet to the last
  double receiving_seconds{};
  telemetry::histogram_snapshot latency;  // cycles
  double cycles_per_second{};
  std::optional<answer_table> answers{};  // of questions

  // Whether it sent less than requested, by more than a hundredth.
  [[nodiscard]] bool fell_short() const { return pace.reached().value_or(1) < least_reached; }
};

}  // namespace packetwarp::traffic
