// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "function/detect/anomaly.h"
#include "function/detect/detect_layout.h"

namespace packetwarp {

// The model that called a packet anomalous, as its file's section had it.
struct deciding_model {
  std::string file;
  double threshold{};
  double unit{1};  // of a whole score
  detect_action action{};
  std::string large{};  // file of the model that judges uncertain flows
};

// The score of a record in the model's own units.
[[nodiscard]] inline double score_of(detect_parts::anomaly const& seen, deciding_model const& by) {
  return seen.score * by.unit;
}

// An endpoint's address as people write it; empty for a packet without one.
[[nodiscard]] std::string address_text(wire::ipv6_address const& address, std::uint8_t ip_version);
// "TCP", and for a protocol without a name its number in three digits, as in Suricata.
[[nodiscard]] std::string protocol_text(detect_parts::anomaly const& seen);

// A line with the field names of Suricata's EVE, without the line's end (docs/functions/detect.md).
// interface: the one by which the packet came in.
[[nodiscard]] std::string eve_line(detect_parts::anomaly const& seen, std::string_view interface,
                                   deciding_model const& by, std::chrono::system_clock::time_point now);

}  // namespace packetwarp
