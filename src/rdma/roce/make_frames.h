// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rdma/roce/frame_order.h"

namespace packetwarp::rdma::roce {

// Starts the kernel that makes the frames of orders until `stop` is not 0. Batch n lies in slot n % slot_count, and
// block n % blocks takes it; slot_count is a multiple of `blocks`. All in pinned host memory.
[[nodiscard]] cudaError_t launch_make_frames(order_slot* slots, std::uint32_t slot_count, std::uint32_t blocks,
                                             std::uint32_t const* stop, cudaStream_t stream);

}  // namespace packetwarp::rdma::roce
