// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda/atomic>

#include "rdma/ordered_words.h"
#include "rdma/roce/signal_reader.h"

namespace packetwarp::rdma::roce::test {
namespace {

constexpr std::uint64_t longest_wait_ns = 5'000'000'000;

__global__ void read_all(signal_reader what) {
  for (std::uint32_t n = 1; n <= what.rounds; ++n) {
    auto const began = rdma::detail::now_ns();
    while (rdma::detail::load(*what.signal) != n) {
      if (rdma::detail::now_ns() - began > longest_wait_ns) return;
    }
    rdma::detail::load_fence(acquire_from_system);
    __syncwarp();
    std::uint32_t wrong = 0;
    auto const* const expected = what.expected + std::size_t{n - 1} * what.bytes;
    for (auto i = threadIdx.x; i < what.bytes; i += blockDim.x) {
      auto const found = *const_cast<std::byte const volatile*>(what.payload + i);
      if (found != expected[i]) ++wrong;
    }
    if (wrong != 0) atomicAdd_system(what.wrong, wrong);
    __syncwarp();
    if (threadIdx.x == 0) rdma::detail::store_after(*what.seen, n, release_to_system);
  }
}

}  // namespace

cudaError_t read_signals(signal_reader const& what, cudaStream_t stream) {
  read_all<<<1, 32, 0, stream>>>(what);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma::roce::test
