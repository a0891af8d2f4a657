// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace packetwarp::inspect {

// The options of a segment, as Linux expects them when it predicts a header. times: timestamps alone, after two NOPs.
enum class option_form : std::uint8_t { none, times, other };

// The fields of a TCP header by which a receiver takes or discards the segment, besides its flags and numbers.
struct segment_signs {
  std::uint32_t sent_at{};  // TSval (RFC 7323, 3.2)
  std::uint32_t echoed{};   // TSecr
  std::uint16_t window{};
  std::uint8_t scale{};  // of a SYN's windows
  bool has_times{};
  bool has_scale{};
  option_form form{};
};

// tcp: the bytes from a sound TCP header on.
[[nodiscard]] segment_signs signs_of(std::span<std::byte const> tcp);
// The same in the first bytes of a frame. Another packet has none.
[[nodiscard]] segment_signs signs_in_frame(std::span<std::byte const> frame, std::uint32_t length);

}  // namespace packetwarp::inspect
