// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "request/request.h"
#include "telemetry/ranked_table.h"

namespace packetwarp {

// The load of one GPU at the moment, by its driver.
struct gpu_load {
  std::string name;
  unsigned busy_percent{};  // of the time some kernel ran
  std::uint64_t memory_used{}, memory_total{};
  std::optional<std::uint64_t> pcie_in{}, pcie_out{};  // bytes per second into and out of the GPU
};

// A running packetwarp at a moment: its report, as `report` is answered, and its GPUs.
struct top_sample {
  json report;
  std::vector<gpu_load> gpus;
};

// Pages of modules have the numbers after these.
enum class top_page : std::uint8_t { overview, pipelines, workers, drops, ports };
// Names of all pages, in their order.
[[nodiscard]] std::span<std::string_view const> top_pages();
using top_sort = telemetry::row_order;
enum class top_pace : std::uint8_t { live, paused };

// The visible part of a sample.
struct top_view {
  top_page page{top_page::overview};
  top_sort sort{top_sort::by_number};
  top_pace pace{top_pace::live};
  std::size_t first_line{};  // of the page, if it is longer than the screen
  std::chrono::nanoseconds period{std::chrono::seconds{1}};
};

// A screen of the given columns and lines: exactly this many lines, none longer. Rates are between the two samples, and
// unknown without an earlier one. first_line is reduced to the last possible one. Printable ASCII only, whatever the
// names in the report.
[[nodiscard]] std::vector<std::string> frame(top_sample const* before, top_sample const& now, top_view& view,
                                             std::size_t columns, std::size_t lines);

// All pages one below the other, of any length, each line with its end.
[[nodiscard]] std::string plain_frame(top_sample const* before, top_sample const& now);

}  // namespace packetwarp
