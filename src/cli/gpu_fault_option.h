// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "plan/config.h"

namespace packetwarp {

// Reads the value of --inject-gpu-fault: "HOW" or "HOW@BURSTS", either followed by ":GPU" for one of several GPUs.
// Throws usage_error.
void take_gpu_fault(std::string const& all, gpu_config& gpu);

}  // namespace packetwarp
