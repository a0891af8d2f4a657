// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/show/listing.h"
#include "request/request.h"

namespace packetwarp {

// Answers as a person reads them.
[[nodiscard]] listing route_listing();
[[nodiscard]] listing neighbour_listing();
[[nodiscard]] listing nat_listing();
[[nodiscard]] listing rule_listing();
// A look-up's.
[[nodiscard]] std::string route_text(json const& said);
[[nodiscard]] std::string interfaces_text(json const& said);
[[nodiscard]] std::string drops_text(json const& said);
[[nodiscard]] std::string memory_text(json const& said);

}  // namespace packetwarp
