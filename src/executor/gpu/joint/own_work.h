// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "executor/gpu/gpu_settings.h"
#include "executor/gpu/joint/batch.h"
#include "executor/gpu/offload/offload_ring.h"
#include "executor/gpu/program.h"
#include "memory/gpu.h"

namespace packetwarp {

// A function whose joint work is done by kernels of its own, on one ring: the memory of its batch, and what is launched
// for one. For executors; an object of a program that has none does nothing and has no memory.
class own_work {
 public:
  // begun: where a graph's stints are counted; bursts: how many each takes at most. Throws failure.
  own_work(gpu_program const& program, gpu_settings const& settings, offload_ring_ref const& ring, std::uint64_t* begun,
           std::uint64_t bursts);

  [[nodiscard]] bool is_there() const { return batch_.state != nullptr; }
  [[nodiscard]] batch_ref const& batch() const { return batch_; }
  // Puts the kernels of a batch into a stream, or into what the stream is captured into: those in which its packets
  // gather, those that do the work, and the one that gives verdicts. shared: bytes of the last one's blocks. Says how
  // that went.
  [[nodiscard]] cudaError_t launch(cudaStream_t stream, gpu_program& program, std::size_t shared) const;

 private:
  offload_ring_ref ring_;
  device_memory memory_;
  batch_ref batch_{};
  unsigned blocks_{};
};

}  // namespace packetwarp
