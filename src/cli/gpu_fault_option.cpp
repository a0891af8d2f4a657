// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/gpu_fault_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "cli/option_values.h"

namespace packetwarp {

void take_gpu_fault(std::string const& all, gpu_config& gpu) {
  constexpr std::array words{std::pair{"error", gpu_fault::error}, std::pair{"stall", gpu_fault::stall},
                             std::pair{"lost", gpu_fault::lost}, std::pair{"memory", gpu_fault::memory},
                             std::pair{"busy", gpu_fault::busy}};
  auto const colon = all.find(':');
  if (colon != std::string::npos) {
    std::uint64_t index = 0;
    take_count(all.substr(colon + 1), "--inject-gpu-fault", 0, 255, index);
    gpu.fault_gpu = static_cast<int>(index);
  }
  auto const text = all.substr(0, colon);
  auto const at = text.find('@');
  auto const how = text.substr(0, at);
  auto const found = std::find_if(words.begin(), words.end(), [&](auto const& one) { return how == one.first; });
  if (found == words.end()) {
    throw usage_error(fmt::format("--inject-gpu-fault: '{}' is not one of error, stall, lost, memory, busy", how));
  }
  gpu.fault = found->second;
  if (at == std::string::npos) return;
  take_count(text.substr(at + 1), "--inject-gpu-fault", 0, std::numeric_limits<std::uint64_t>::max() / 2,
             gpu.fault_after);
}

}  // namespace packetwarp
