// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The evaluation of networks by warps (function/network/evaluate.h) alone on a GPU. Rows lie in shared memory, 32 per
// warp; each warp evaluates them again and again. Prints one number per line: rows per second with 16 and 32 warps on
// each multiprocessor, as executors persistent and graph have them, and the time that a warp alone takes for a group.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "executor/gpu/joint/warp_group.cuh"
#include "function/network/evaluate.h"
#include "model/random_networks.h"

namespace packetwarp {
namespace {

void require_cuda(cudaError_t result, char const* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(result));
}

// Another row for each lane and round.
__device__ void fill_row(network_row row, std::uint32_t seed) {
  UNROLLED
  for (unsigned i = 0; i < row_words; ++i) {
    seed = seed * 1664525U + 1013904223U;
    row.word(i) = seed ^ seed >> 15;
  }
}

template <unsigned Warps>
__global__ __launch_bounds__(Warps * 32) void score_rows(model::network_ref network, unsigned rounds,
                                                         std::uint32_t* sink) {
  extern __shared__ uint4 rooms[];
  auto& room = reinterpret_cast<network_room*>(rooms)[threadIdx.x / 32];
  auto const lane = threadIdx.x % 32;
  auto const thread = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t sum = 0;
  for (unsigned n = 0; n < rounds; ++n) {
    fill_row(network_row{room, lane}, thread * 2654435761U + n);
    __syncwarp();
    evaluate_by_group(device::warp_group{joint_packets}, network, room);
    sum += static_cast<std::uint32_t>(score_of(lane, room)) + class_of(lane, room);
    __syncwarp();
  }
  sink[thread] = sum;
}

class bench {
 public:
  bench() {
    cudaDeviceProp facts{};
    require_cuda(cudaGetDeviceProperties(&facts, 0), "the GPU");
    processors_ = static_cast<unsigned>(facts.multiProcessorCount);
    std::printf("%s, %u multiprocessors\n", facts.name, processors_);
    require_cuda(cudaMalloc(&sink_, std::size_t{processors_} * 1024 * sizeof *sink_), "GPU memory");
    require_cuda(cudaEventCreate(&begin_), "an event");
    require_cuda(cudaEventCreate(&end_), "an event");
  }
  ~bench() {
    cudaFree(sink_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  bench(bench const&) = delete;
  bench& operator=(bench const&) = delete;

  void measure(char const* name, model::integer_network const& network) {
    std::byte* held = nullptr;
    auto const bytes = network.bytes();
    require_cuda(cudaMalloc(&held, bytes.size()), "GPU memory");
    require_cuda(cudaMemcpy(held, bytes.data(), bytes.size(), cudaMemcpyHostToDevice), "the network");
    model::network_ref const ref{held};
    constexpr unsigned rounds = 500;
    auto const rows = [&](unsigned warps) { return double{32} * warps * processors_ * rounds / 1e3; };
    std::printf("%-24s 16 warps per multiprocessor %10.1f Mrows/s\n", name,
                rows(16) / milliseconds<16>(ref, processors_, rounds));
    std::printf("%-24s 32 warps per multiprocessor %10.1f Mrows/s\n", name,
                rows(32) / milliseconds<32>(ref, processors_, rounds));
    std::printf("%-24s a warp alone, 32 rows       %10.2f us\n", name, milliseconds<1>(ref, 1, rounds) * 1e3 / rounds);
    cudaFree(held);
  }

 private:
  // The best of five runs, after one that brings the network near.
  template <unsigned Warps>
  [[nodiscard]] double milliseconds(model::network_ref network, unsigned blocks, unsigned rounds) {
    constexpr auto room_bytes = Warps * sizeof(network_room);
    require_cuda(cudaFuncSetAttribute(score_rows<Warps>, cudaFuncAttributeMaxDynamicSharedMemorySize, room_bytes),
                 "shared memory");
    float best = 0;
    for (int run = 0; run < 6; ++run) {
      require_cuda(cudaEventRecord(begin_), "an event");
      score_rows<Warps><<<blocks, Warps * 32, room_bytes>>>(network, rounds, sink_);
      require_cuda(cudaEventRecord(end_), "an event");
      require_cuda(cudaEventSynchronize(end_), "the measured work");
      float took = 0;
      require_cuda(cudaEventElapsedTime(&took, begin_, end_), "the time");
      if (run == 1 || (run > 1 && took < best)) best = took;
    }
    return best;
  }

  unsigned processors_{};
  std::uint32_t* sink_{};
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
};

// Without a table for inputs, as models of rows as they are.
[[nodiscard]] model::integer_network dense(std::vector<std::uint32_t> const& widths) {
  model::test::random_networks networks{1};
  while (true) {
    auto made = networks.make_dense(widths);
    if (made.ref().header().input_table == 0) return made;
  }
}

void measure_all() {
  bench all;
  all.measure("64-128-64-2", dense({64, 128, 64, 2}));
  all.measure("36-64-32-1", dense({36, 64, 32, 1}));
  all.measure("100 trees of depth 6",
              model::test::random_networks{2}.make_trees(100, 6, 1, model::test::tree_shape::full));
}

}  // namespace
}  // namespace packetwarp

int main() {
  try {
    packetwarp::measure_all();
    return EXIT_SUCCESS;
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "by_group_device_bench: %s\n", wrong.what());
    return EXIT_FAILURE;
  }
}
