// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/top/frame.h"
#include "telemetry/report_change.h"

namespace packetwarp {

// The parts of a screen: a heading and lines below, or nothing if the report has no such part. Figures of a table or
// line that is wider than the screen stand below it.
[[nodiscard]] std::vector<std::string> summary_section(telemetry::report_change const& seen,
                                                       std::span<gpu_load const> gpus, std::size_t width);
[[nodiscard]] std::vector<std::string> pipeline_section(telemetry::report_change const& seen, top_sort sort,
                                                        std::size_t width);
[[nodiscard]] std::vector<std::string> worker_section(telemetry::report_change const& seen, top_sort sort,
                                                      std::size_t width);
[[nodiscard]] std::vector<std::string> stage_section(telemetry::report_change const& seen, top_sort sort,
                                                     std::size_t width);
[[nodiscard]] std::vector<std::string> drop_section(telemetry::report_change const& seen, top_sort sort,
                                                    std::size_t width);
[[nodiscard]] std::vector<std::string> port_section(telemetry::report_change const& seen, top_sort sort,
                                                    std::size_t width);
// Lines of modules, for the summary and the modules' pages.
[[nodiscard]] std::vector<std::string> module_lines(telemetry::report_change const& seen);

}  // namespace packetwarp
