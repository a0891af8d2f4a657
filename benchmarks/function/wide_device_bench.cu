// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The evaluation of wide networks by blocks (executor/gpu/joint/wide_network.h) alone on a GPU, with rows and scores in
// its memory. Prints a line per network and number of rows: the time of a launch among many, rows per second, and 8-bit
// operations per second, a product and its sum being two. Products with padding do not count.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "executor/gpu/joint/wide_network.h"
#include "function/network/wide_layout.h"
#include "model/random_networks.h"

namespace packetwarp {
namespace {

void require_cuda(cudaError_t result, char const* what) {
  if (result != cudaSuccess) throw std::runtime_error(std::string{what} + ": " + cudaGetErrorString(result));
}

class gpu_bytes {
 public:
  explicit gpu_bytes(std::size_t bytes) { require_cuda(cudaMalloc(&data_, bytes), "GPU memory"); }
  ~gpu_bytes() { cudaFree(data_); }
  gpu_bytes(gpu_bytes const&) = delete;
  gpu_bytes& operator=(gpu_bytes const&) = delete;
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  void fill(void const* from, std::size_t bytes) const {
    require_cuda(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "a copy to the GPU");
  }

 private:
  void* data_{};
};

class bench {
 public:
  bench() {
    require_cuda(cudaGetDeviceProperties(&facts_, 0), "the GPU");
    std::printf("%s, %d multiprocessors\n", facts_.name, facts_.multiProcessorCount);
    require_cuda(cudaEventCreate(&begin_), "an event");
    require_cuda(cudaEventCreate(&end_), "an event");
  }
  ~bench() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  bench(bench const&) = delete;
  bench& operator=(bench const&) = delete;

  void measure(char const* name, std::vector<std::uint32_t> const& widths, std::uint32_t rows) {
    model::test::random_networks networks{1};
    auto const network = networks.make_dense(widths);
    auto const shape = wide_shape_for(wide_width_of(network.ref()), facts_.sharedMemPerBlockOptin,
                                      static_cast<unsigned>(facts_.multiProcessorCount));
    auto const of_rows = networks.any_bytes(std::size_t{rows} * model::row_bytes);
    gpu_bytes const held{network.bytes().size()};
    gpu_bytes const row_memory{of_rows.size()};
    gpu_bytes const scores{std::size_t{rows} * network.ref().outputs() * sizeof(std::int32_t)};
    gpu_bytes const job{sizeof(wide_job)};
    held.fill(network.bytes().data(), network.bytes().size());
    row_memory.fill(of_rows.data(), of_rows.size());
    wide_job const of_all{model::network_ref{held.as<std::byte>()}, rows};
    job.fill(&of_all, sizeof of_all);
    wide_launch const launch{.job = job.as<wide_job>(),
                             .rows = row_memory.as<std::int8_t>(),
                             .scores = scores.as<std::int32_t>(),
                             .most = rows,
                             .shared = shape.shared,
                             .blocks = shape.blocks};
    auto const seconds = seconds_of(launch);
    double operations = 0;
    for (std::size_t n = 1; n < widths.size(); ++n) operations += 2.0 * widths[n - 1] * widths[n];
    std::printf("%-20s %6u rows %9.1f us %9.1f Mrows/s %8.1f TOP/s\n", name, rows, seconds * 1e6, rows / seconds / 1e6,
                operations * rows / seconds / 1e12);
  }

 private:
  // The best of five runs of several launches, after one that brings the network near.
  [[nodiscard]] double seconds_of(wide_launch const& launch) {
    constexpr int launches = 50;
    float best = 0;
    for (int run = 0; run < 6; ++run) {
      require_cuda(cudaEventRecord(begin_), "an event");
      for (int i = 0; i < launches; ++i) require_cuda(launch_wide(nullptr, launch), "a launch");
      require_cuda(cudaEventRecord(end_), "an event");
      require_cuda(cudaEventSynchronize(end_), "the measured work");
      float took = 0;
      require_cuda(cudaEventElapsedTime(&took, begin_, end_), "the time");
      if (run == 1 || (run > 1 && took < best)) best = took;
    }
    return best / 1e3 / launches;
  }

  cudaDeviceProp facts_{};
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
};

void measure_all() {
  bench all;
  for (std::uint32_t const rows : {32U, 1024U, 4096U, 16'384U, 65'536U}) {
    all.measure("50-512-512-256-1", {50, 512, 512, 256, 1}, rows);
    all.measure("64-1024-1024-8", {64, 1024, 1024, 8}, rows);
    all.measure("64-128-64-2", {64, 128, 64, 2}, rows);
  }
}

}  // namespace
}  // namespace packetwarp

int main() {
  try {
    packetwarp::measure_all();
    return EXIT_SUCCESS;
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "wide_device_bench: %s\n", wrong.what());
    return EXIT_FAILURE;
  }
}
