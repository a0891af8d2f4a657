// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "regex/syntax/byte_set.h"
#include "regex/syntax/pattern_reader.h"

namespace packetwarp::regex {

// Reads a class after its [. Throws refused.
[[nodiscard]] byte_set read_class(pattern_reader& from, modes const& now);

}  // namespace packetwarp::regex
