// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/peer_access.h"

namespace packetwarp::rdma {

// Opens a GPU that writes, and the GPU that has the target; they may be one. The writing GPU's kernels reach the
// target while the result lives. Throws usage_error if there is no such GPU, or no access between them; failure.
[[nodiscard]] peer_access open_target_gpu(int gpu, int target_gpu);

}  // namespace packetwarp::rdma
