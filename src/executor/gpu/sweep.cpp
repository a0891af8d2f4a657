// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/sweep.h"

#include "executor/gpu/sweep_stream.h"
#include "memory/cuda_check.h"

namespace packetwarp {

gpu_sweeper::gpu_sweeper(int gpu) : stream_{std::make_unique<stream>()} {
  stream_->gpu = gpu;
  require_cuda(cudaSetDevice(gpu), "choosing the GPU of a sweep");
  require_cuda(cudaStreamCreateWithFlags(&stream_->handle, cudaStreamNonBlocking), "making a sweep's stream");
}

gpu_sweeper::~gpu_sweeper() { (void)cudaStreamDestroy(stream_->handle); }

std::string gpu_sweeper::trouble() const {
  if (stream_->refused != cudaSuccess) return to_string(stream_->refused);
  auto const said = cudaStreamQuery(stream_->handle);
  return said == cudaSuccess || said == cudaErrorNotReady ? std::string{} : to_string(said);
}

bool gpu_sweeper::is_idle() const { return cudaStreamQuery(stream_->handle) == cudaSuccess; }

}  // namespace packetwarp
