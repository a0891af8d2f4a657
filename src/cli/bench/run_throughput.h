// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/bench/options.h"
#include "cli/command.h"

namespace packetwarp::bench {

// bench --ndr: searches, writes and prints. Returns the exit status; throws failure if it was stopped before its end.
[[nodiscard]] int run_throughput(options const& given, invocation const& call);

}  // namespace packetwarp::bench
