// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regex/positions/byte_classes.h"
#include "regex/positions/positions.h"

namespace packetwarp::regex {

// A deterministic automaton (automaton.h); nothing if it is beyond a bound.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> make_dfa(positions const& of, byte_classes const& classes);

}  // namespace packetwarp::regex
