// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "executor/gpu/joint/batch.h"
#include "executor/gpu/offload/offload_ring.h"

namespace packetwarp {

// Makes a batch of `count` bursts from `first` on, in the stream's order.
[[nodiscard]] cudaError_t launch_place_batch(cudaStream_t stream, offload_ring_ref const& ring, batch_ref const& batch,
                                             std::uint64_t first, std::uint32_t count);

// Makes a batch of the bursts that are given when the stream comes to it, if some are or come soon. It begins the round
// of this number in a graph's stint.
[[nodiscard]] cudaError_t launch_take_batch(cudaStream_t stream, offload_ring_ref const& ring, batch_ref const& batch,
                                            std::uint32_t round);

}  // namespace packetwarp
