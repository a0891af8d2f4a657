// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "executor/gpu/gpu_settings.h"
#include "executor/gpu/joint/batch.h"
#include "executor/gpu/offload/offload_ring.h"
#include "executor/gpu/program.h"
#include "gpu/gpu.h"

namespace packetwarp {

// The joint work, by kernels of its own, of a function on one ring: the memory of its batch, and the launches for one.
// It is for executors; for a program without such kernels it does nothing and has no memory.
class own_work {
 public:
  // begun: the counter of a graph's stints. Throws failure.
  own_work(gpu_program const& program, gpu_settings const& settings, offload_ring_ref const& ring,
           std::uint64_t* begun);

  [[nodiscard]] bool is_there() const { return batch_.state != nullptr; }
  [[nodiscard]] batch_ref const& batch() const { return batch_; }
  // Puts the kernels of a batch into a stream, or into the graph that the stream is captured into: the kernels in which
  // packets gather, the kernels that do the work, and the kernel that gives verdicts. shared: bytes per block of the
  // first and the last kernel, for packets' headers. Returns the first error.
  [[nodiscard]] cudaError_t launch(cudaStream_t stream, gpu_program& program, std::size_t shared) const;

 private:
  offload_ring_ref ring_;
  device_memory memory_;
  batch_ref batch_{};
  unsigned blocks_{};
};

}  // namespace packetwarp
