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

// The kernel that begins each round of a graph that takes batch after batch; it has one thread. It makes a batch of the
// bursts that are given. Parameters: offload_ring_ref, batch_ref, and the handles of two conditions that it sets:
// whether another round follows, and whether this one has bursts.
[[nodiscard]] void const* take_batch_kernel();

}  // namespace packetwarp
