// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "module/config.h"
#include "module/inspection/inspection_config.h"

namespace packetwarp {

// A warning of rules that need both directions of a connection, in a chain that translates addresses after it has
// judged: an answer then has other addresses than its request, and the rules never match. Empty if there are none.
[[nodiscard]] std::string text_of_two_directions(inspection_config const& one, network_config const& beside);

}  // namespace packetwarp
