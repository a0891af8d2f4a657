// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/ranked_table.h"
#include "telemetry/report_change.h"

namespace packetwarp {

// A module's part of `packetwarp top`, from two reports of one run; empty if the reports have no such module.
struct module_screen {
  // Lines among those of the whole run.
  std::vector<std::string> (*lines)(telemetry::report_change const& seen){};
  // A page, and its table.
  std::string_view page{};
  std::vector<std::string> (*table)(telemetry::report_change const& seen, telemetry::row_order order,
                                    std::size_t width){};
};

}  // namespace packetwarp
