// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "capture/packet_capture.h"

namespace packetwarp {

// "rx,tx". Throws usage_error.
[[nodiscard]] decltype(capture_selection::stages) parse_stages(std::string_view text);

[[nodiscard]] inline bool wants(capture_selection const& wanted, capture_stage stage) {
  return wanted.stages[static_cast<std::size_t>(stage)];
}

}  // namespace packetwarp
