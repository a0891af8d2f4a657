// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace packetwarp {

// The ways to watch a run while it goes on; an empty text is none.
struct observer_options {
  std::string metrics;          // [ADDRESS:]PORT
  std::string metrics_place{};  // "network.yaml:7: ", the file that gives it; empty: an option
  std::string event_log;        // file
  // The greatest age of a report that answers a request.
  std::chrono::nanoseconds report_age{std::chrono::seconds{1}};
};

// Takes the value of --report-age, if it has one. Throws usage_error.
void take_report_age(std::optional<std::string> const& text, observer_options& into);

}  // namespace packetwarp
