// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/gpu_poster.h"

#include "gpu/await_stream.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/bandwidth/write_bandwidth.h"

namespace packetwarp::rdma {
namespace {

[[nodiscard]] post_times in_ns(block_times const& times) {
  auto const ns = static_cast<double>(times.ended_ns - times.began_ns) / static_cast<double>(times.all);
  return {.began = times.began_ns,
          .ended = times.ended_ns,
          .post = ns * static_cast<double>(times.post),
          .commit = ns * static_cast<double>(times.commit),
          .flush = ns * static_cast<double>(times.flush),
          .shortest = ns * static_cast<double>(times.shortest),
          .iterations = times.iterations,
          .status = static_cast<work_status>(times.status)};
}

}  // namespace

struct gpu_poster::kernel_memory {
  kernel_memory(int gpu, std::size_t most_queues, put_way by)
      : queues{gpu, most_queues * sizeof(posted_queue)}, times{gpu, most_queues * sizeof(block_times)}, way{by} {
    require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  }
  kernel_memory(kernel_memory const&) = delete;
  kernel_memory& operator=(kernel_memory const&) = delete;
  ~kernel_memory() { (void)cudaStreamDestroy(stream); }

  device_memory queues;
  device_memory times;
  put_way way;
  cudaStream_t stream{};
};

gpu_poster::gpu_poster(int gpu, std::size_t most_queues, put_way way)
    : memory_{std::make_unique<kernel_memory>(gpu, most_queues, way)} {}
gpu_poster::~gpu_poster() = default;

std::vector<post_times> gpu_poster::post(std::span<posted_queue const> queues, post_loop const& loop) {
  constexpr auto step = "posting RDMA writes";
  memory_->queues.write(0, std::as_bytes(queues));
  auto* const launch = memory_->way == put_way::store ? launch_store_bandwidth : launch_write_bandwidth;
  require_cuda(
      launch(reinterpret_cast<posted_queue const*>(memory_->queues.data()), static_cast<std::uint32_t>(queues.size()),
             loop, reinterpret_cast<block_times*>(memory_->times.data()), memory_->stream),
      step);
  require_cuda(await_stream(memory_->stream), step);
  std::vector<block_times> read(queues.size());
  memory_->times.read(0, std::as_writable_bytes(std::span{read}));
  std::vector<post_times> made;
  made.reserve(read.size());
  for (auto const& one : read) made.push_back(in_ns(one));
  return made;
}

}  // namespace packetwarp::rdma
