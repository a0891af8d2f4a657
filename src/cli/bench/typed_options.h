// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "cli/bench/throughput_options.h"
#include "cli/command.h"

namespace packetwarp::bench {

// The options as typed; std::nullopt is "not given".
struct typed_options {
  std::optional<std::string> functions, executors, placements, bursts, sizes, pipelines, work, workers, rate;
  std::optional<std::string> seconds, repeats, resume, testpmd, from, size, latency, prefer;
  std::string json, csv, commit{"unknown"};
  bool list{}, advise{};
  typed_throughput_options throughput;
};

void declare(CLI::App& app, typed_options& typed);

// Throws usage_error for options that contradict each other.
void require_sense(typed_options const& typed, invocation const& call);

}  // namespace packetwarp::bench
