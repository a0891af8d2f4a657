// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>

#include "bench/matrix.h"
#include "telemetry/run_report.h"

// The parts shared by the JSON of the matrix and that of the search for throughput.
namespace packetwarp::bench {

// null without a value.
[[nodiscard]] inline nlohmann::ordered_json value_json(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// Microseconds; null if none were measured.
[[nodiscard]] inline nlohmann::ordered_json latency_json(std::optional<telemetry::latency_percentiles> const& latency) {
  if (!latency) return nullptr;
  return {{"p50", latency->p50}, {"p99", latency->p99}, {"p999", latency->p999}};
}

// The fields that name a case.
[[nodiscard]] inline nlohmann::ordered_json case_json(parameters const& what) {
  return {{"function", what.function},
          {"executor", to_string(what.executor)},
          {"placement", to_string(what.where)},
          {"burst", what.burst},
          {"frame_bytes", what.frame_bytes},
          {"pipelines", what.pipelines},
          {"lcores", what.lcores},
          {"packet_time_ns", what.packet_time.count()},
          {"workers", to_string(what.workers)}};
}

}  // namespace packetwarp::bench
