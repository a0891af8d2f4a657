// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/config.h"

namespace packetwarp {

// Takes the fault of --inject-gpu-fault: "HOW" or "HOW@BURSTS". Throws usage_error.
void take_gpu_fault(std::string const& text, gpu_config& gpu);

}  // namespace packetwarp
