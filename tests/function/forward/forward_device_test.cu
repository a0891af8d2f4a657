// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "function/forward/forward.h"
#include "function/forward/mac_swap_oracle.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t longest = 2048;
constexpr unsigned count = longest + 1;       // a frame of every length from 0
constexpr std::size_t stride = longest + 33;  // odd, so that frames start at every alignment; the last bytes are guards

HOST_DEVICE verdict process(std::byte* packets, unsigned i, forward::ref const& tables) {
  return forward::process({packets + i * stride, i, i}, tables);
}

__global__ void process_all(std::byte* packets, std::uint16_t* verdicts, forward::ref tables) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    verdicts[i] = process(packets, i, tables).raw();
  }
}

template <class T>
T* managed(std::size_t elements) {
  void* memory = nullptr;
  if (cudaMallocManaged(&memory, elements * sizeof(T)) != cudaSuccess) throw std::bad_alloc{};
  return static_cast<T*>(memory);
}

TEST(forward_device, does_to_every_packet_what_the_host_does) {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
  auto const before = test::numbered_bytes(count * stride, 3);
  auto* const packets = managed<std::byte>(before.size());
  auto* const verdicts = managed<std::uint16_t>(count);
  std::memcpy(packets, before.data(), before.size());
  forward::ref const tables{egress_index{5}};
  process_all<<<4, 96>>>(packets, verdicts, tables);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);

  auto on_host = before;
  auto oracle = before;
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(verdicts[i], process(on_host.data(), i, tables).raw()) << i;
    test::swap_macs(oracle.data() + i * stride, i);
  }
  // Compares all bytes at once: headers, the bytes after them, and the guards between frames.
  EXPECT_EQ(on_host, oracle);
  EXPECT_EQ(std::memcmp(packets, oracle.data(), oracle.size()), 0);
  cudaFree(packets);
  cudaFree(verdicts);
}

}  // namespace
}  // namespace packetwarp
