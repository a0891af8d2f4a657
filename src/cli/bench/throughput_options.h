// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "bench/throughput.h"

namespace packetwarp::bench {

// The options about throughput, as typed.
struct typed_throughput_options {
  bool search{};
  std::optional<std::string> partial_drop, trial, resolution, line;
};
void declare(CLI::App& app, typed_throughput_options& typed);

// Throws usage_error for wrong options, and for options that are not allowed without --ndr.
[[nodiscard]] std::optional<throughput_options> parse_throughput_options(typed_throughput_options const& typed);

}  // namespace packetwarp::bench
