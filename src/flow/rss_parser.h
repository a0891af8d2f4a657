// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/lexer.h"
#include "flow/rule.h"

namespace packetwarp::flow {

// Parses the words after `rss`, including the slash.
[[nodiscard]] rss_options take_rss_options(lexer& in);

}  // namespace packetwarp::flow
