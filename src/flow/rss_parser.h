// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/lexer.h"
#include "flow/rule.h"

namespace packetwarp::flow {

// The words after `rss`, its slash included.
[[nodiscard]] rss_options take_rss_options(lexer& in);

}  // namespace packetwarp::flow
