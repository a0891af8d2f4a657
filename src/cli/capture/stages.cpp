// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture/stages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "telemetry/text_table.h"

namespace packetwarp {

decltype(capture_selection::stages) parse_stages(std::string_view text) {
  decltype(capture_selection::stages) wanted{};
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    auto const word = text.substr(begin, end - begin);
    auto const found = std::find(capture_stage_names.begin(), capture_stage_names.end(), word);
    if (found == capture_stage_names.end()) {
      throw usage_error(fmt::format("--stage: '{}' is none of {}; several have commas between them", word,
                                    telemetry::with_commas({capture_stage_names.begin(), capture_stage_names.end()})));
    }
    wanted[static_cast<std::size_t>(found - capture_stage_names.begin())] = true;
    begin = end + 1;
  }
  return wanted;
}

}  // namespace packetwarp
