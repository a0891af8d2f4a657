// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/units.h"

namespace packetwarp {

// Values of options that several commands have. A missing text leaves the earlier value; all functions throw
// usage_error with one line that names the option.

inline constexpr std::uint64_t no_most = std::numeric_limits<std::uint64_t>::max();

// A count within bounds.
template <class T>
void take_count(std::optional<std::string> const& text, std::string_view what, std::uint64_t least, std::uint64_t most,
                T& into) {
  if (!text) return;
  auto const value = parse_count(*text, what);
  if (value < least || value > most) {
    throw usage_error(most == no_most
                          ? fmt::format("{}: {} is out of range; the least is {}", what, *text, least)
                          : fmt::format("{}: {} is out of range; allowed are {} to {}", what, *text, least, most));
  }
  into = static_cast<T>(value);
}

// The longest work on a packet: a worker with a burst of 1,024 such packets still obeys a signal after ten seconds.
inline constexpr std::chrono::nanoseconds most_packet_time{std::chrono::milliseconds{10}};

[[nodiscard]] inline std::chrono::nanoseconds parse_packet_time(std::string const& text, std::string_view what) {
  auto const time = parse_duration(text, what);
  if (time > most_packet_time) throw usage_error(fmt::format("{}: {} is out of range; the most is 10ms", what, text));
  return time;
}

inline void take_duration(std::optional<std::string> const& text, std::string_view what,
                          std::chrono::nanoseconds& into) {
  if (text) into = parse_duration(*text, what);
}

// "(0,1)(2,3)", as in DPDK's l2fwd: pairs of ports that are peers.
[[nodiscard]] std::vector<std::pair<port_id, port_id>> parse_port_map(std::string const& text);

// --metrics: [ADDRESS:]PORT, or empty.
void require_listen_address(std::string const& text);

// "0,2-4", or "none".
[[nodiscard]] std::vector<port_id> parse_ports(std::string const& text, std::string_view what);

}  // namespace packetwarp
