// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/sweep/sweep.h"

#include "executor/gpu/sweep/sweep_stream.h"
#include "gpu/cuda_check.h"

namespace packetwarp {

gpu_sweeper::stream::stream(int of_gpu) : gpu{of_gpu} {
  require_cuda(cudaSetDevice(gpu), "choosing the GPU of a sweep");
  require_cuda(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "making a sweep's stream");
}

gpu_sweeper::stream::~stream() {
  if (handle != nullptr) (void)cudaStreamDestroy(handle);
}

gpu_sweeper::gpu_sweeper(int gpu) : stream_{std::make_shared<stream>(gpu)} {}
gpu_sweeper::~gpu_sweeper() = default;

std::string gpu_sweeper::trouble() const {
  return thread_.is_busy() || stream_->error == cudaSuccess ? std::string{} : to_string(stream_->error);
}

void gpu_sweeper::abandon() {
  stream_->handle = nullptr;
  thread_.abandon();
}

}  // namespace packetwarp
