// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "address/ip_address.h"
#include "address/ip_prefix.h"
#include "file/yaml_place.h"
#include "wire/address.h"

namespace packetwarp {

// Values of a network's file. All throw usage_error with FILE:LINE.
[[nodiscard]] ip_address address_at(yaml_place const& place);
[[nodiscard]] wire::ipv4_address ipv4_at(yaml_place const& place);
[[nodiscard]] wire::mac_address mac_at(yaml_place const& place);
// The MAC address of one interface: not 0, and no group's.
[[nodiscard]] wire::mac_address unicast_mac_at(yaml_place const& place);
[[nodiscard]] ip_prefix prefix_at(yaml_place const& place);
// A prefix without bits after its length.
[[nodiscard]] ip_prefix network_at(yaml_place const& place);
// "1ms", up to `most`.
[[nodiscard]] std::chrono::nanoseconds duration_at(yaml_place const& place, std::chrono::nanoseconds most);

// Whole seconds: "300s", "5m", "2h", or a bare number of seconds.
[[nodiscard]] std::uint32_t seconds_at(yaml_place const& place, std::uint32_t least, std::uint32_t most);

// A size, such as 16m. range: the least and the most in words, "64k to 1g".
[[nodiscard]] std::size_t size_at(yaml_place const& place, std::size_t least, std::size_t most, std::string_view range);

// The name of a file that will be written: no folder, and a file that may be written or made.
[[nodiscard]] std::string written_file_at(yaml_place const& place);

// Bytes of a log's lines that may wait for a slow file: "16m", from 64k to 1g.
[[nodiscard]] std::size_t log_room_at(yaml_place const& place);

// A word and its meaning.
template <class Kind>
struct choice {
  std::string_view first;
  Kind second;
};
template <class Kind>
choice(std::string_view, Kind) -> choice<Kind>;

// The value of a word, which must be one of `all`.
template <class Kind, std::size_t N>
[[nodiscard]] Kind choice_at(yaml_place const& place, std::array<choice<Kind>, N> const& all) {
  auto const text = place.text();
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.first == text; });
  if (found != all.end()) return found->second;
  std::string names;
  for (auto const& one : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.first);
  place.refuse(fmt::format("'{}' is none of {}", text, names));
}

}  // namespace packetwarp
