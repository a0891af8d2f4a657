// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "regex/positions/positions.h"

namespace packetwarp::regex {

// Bytes of a class are in the same positions.
struct byte_classes {
  std::array<std::uint8_t, 256> class_of{};
  std::vector<std::uint8_t> examples{};  // a byte of each class
};

[[nodiscard]] byte_classes classes_of(positions const& of);

}  // namespace packetwarp::regex
