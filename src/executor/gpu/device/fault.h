// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "executor/gpu/offload/offload_ring.h"

namespace packetwarp {

// What injected faults launch (gpu_settings.h says which there are).

// A kernel that stops its whole GPU context with an error.
[[nodiscard]] cudaError_t launch_trap(cudaStream_t stream);
// A kernel that does nothing until the ring is told to stop.
[[nodiscard]] cudaError_t launch_stall(offload_control* control, cudaStream_t stream);

}  // namespace packetwarp
