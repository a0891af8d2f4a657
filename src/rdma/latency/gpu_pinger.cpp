// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/latency/gpu_pinger.h"

#include <span>

#include "gpu/await_stream.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/latency/write_latency.h"

namespace packetwarp::rdma {

struct gpu_pinger::kernel_memory {
  explicit kernel_memory(int gpu)
      : clocks{gpu, std::size_t{most_iterations} * sizeof(std::uint64_t)}, outcome{gpu, sizeof(ping_outcome)} {
    require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  }
  kernel_memory(kernel_memory const&) = delete;
  kernel_memory& operator=(kernel_memory const&) = delete;
  ~kernel_memory() { (void)cudaStreamDestroy(stream); }

  device_memory clocks;
  device_memory outcome;
  cudaStream_t stream{};
};

gpu_pinger::gpu_pinger(int gpu) : memory_{std::make_unique<kernel_memory>(gpu)} {}
gpu_pinger::~gpu_pinger() = default;

ping_times gpu_pinger::ping(ping_loop const& loop) {
  constexpr auto step = "posting RDMA writes";
  require_cuda(launch_write_latency(loop, reinterpret_cast<std::uint64_t*>(memory_->clocks.data()),
                                    reinterpret_cast<ping_outcome*>(memory_->outcome.data()), memory_->stream),
               step);
  require_cuda(await_stream(memory_->stream), step);
  ping_outcome said{};
  memory_->outcome.read(0, std::as_writable_bytes(std::span{&said, 1}));
  std::vector<std::uint64_t> clocks(said.times);
  if (!clocks.empty()) memory_->clocks.read(0, std::as_writable_bytes(std::span{clocks}));
  auto const ns = static_cast<double>(said.ended_ns - said.began_ns) / static_cast<double>(said.clocks);
  ping_times made{.status = static_cast<work_status>(said.status)};
  made.between.reserve(clocks.size());
  for (auto const one : clocks) made.between.push_back(ns * static_cast<double>(one));
  return made;
}

}  // namespace packetwarp::rdma
