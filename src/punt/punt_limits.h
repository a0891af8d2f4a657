// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "burst/punt_class.h"

namespace packetwarp {

// The limit on the packets of a port that are punted for one reason.
struct punt_limit {
  std::uint32_t per_second{};  // on average; 0: none at all
  std::uint32_t at_once{};
};
inline constexpr std::uint32_t most_punts_per_second = 10'000'000;
inline constexpr std::uint32_t most_punts_at_once = 4096;

// The limits by class. Each reason of a class and each port has the whole limit to itself. The rates keep the master,
// which does some hundred thousand packets per second, free for other ports and reasons. Packets for this machine go to
// its kernel's ring without the master, and have a limit that no program reaches.
struct punt_limits {
  std::array<punt_limit, punt_classes> of_class{
      punt_limit{.per_second = 20'000, .at_once = 512}, punt_limit{.per_second = 1'000'000, .at_once = 4096},
      punt_limit{.per_second = 10'000, .at_once = 128}, punt_limit{.per_second = 50'000, .at_once = 512},
      punt_limit{.per_second = 10'000, .at_once = 512}};

  [[nodiscard]] punt_limit& operator[](punt_class n) { return of_class[static_cast<std::size_t>(n)]; }
  [[nodiscard]] punt_limit const& operator[](punt_class n) const { return of_class[static_cast<std::size_t>(n)]; }
};

}  // namespace packetwarp
