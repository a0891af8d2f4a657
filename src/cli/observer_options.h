// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace packetwarp {

// How a run is looked at while it goes on; empty: not so.
struct observer_options {
  std::string metrics;    // [ADDRESS:]PORT
  std::string event_log;  // file
  // What is asked for is answered from a report that is no older.
  std::chrono::nanoseconds report_age{std::chrono::seconds{1}};
};

// --report-age's value, if it was given. Throws usage_error.
void take_report_age(std::optional<std::string> const& text, observer_options& into);

}  // namespace packetwarp
