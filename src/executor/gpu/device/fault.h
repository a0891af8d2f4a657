// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "executor/gpu/offload/offload_ring.h"

namespace packetwarp {

// The kernels of injected faults (gpu_settings.h lists the faults).

// Launches a kernel that stops its whole GPU context with an error.
[[nodiscard]] cudaError_t launch_trap(cudaStream_t stream);
// Launches a kernel that does nothing until the ring is told to stop.
[[nodiscard]] cudaError_t launch_stall(offload_control* control, cudaStream_t stream);

}  // namespace packetwarp
