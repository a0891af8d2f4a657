// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "executor/gpu/sweep/sweep.h"

namespace packetwarp {

struct gpu_sweeper::stream {};

gpu_sweeper::gpu_sweeper(int) { throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off)"); }
gpu_sweeper::~gpu_sweeper() = default;
std::string gpu_sweeper::trouble() const { return {}; }
void gpu_sweeper::abandon() {}

}  // namespace packetwarp
