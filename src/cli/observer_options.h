// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace packetwarp {

// How a run is looked at while it goes on; empty: not so.
struct observer_options {
  std::string metrics;    // [ADDRESS:]PORT
  std::string event_log;  // file
};

}  // namespace packetwarp
