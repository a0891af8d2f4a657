// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "gpu_breaker.h"

namespace packetwarp::rdma::roce::test {
namespace {

__global__ void write_nowhere(std::uint32_t* nowhere) { *nowhere = 1; }

}  // namespace

gpu_breaker::gpu_breaker() {
  cudaFuncAttributes attributes{};
  (void)cudaFuncGetAttributes(&attributes, write_nowhere);
  (void)cudaStreamCreateWithFlags(&beside_, cudaStreamNonBlocking);
}

void gpu_breaker::break_gpu() const { write_nowhere<<<1, 1, 0, beside_>>>(reinterpret_cast<std::uint32_t*>(16)); }

}  // namespace packetwarp::rdma::roce::test
