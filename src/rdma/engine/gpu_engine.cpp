// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/gpu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/sleep.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/engine/serve_queues.h"

namespace packetwarp::rdma {
namespace {

// Blocks of the kernel that a GPU runs at a time; all must run, since each serves a queue.
[[nodiscard]] std::size_t most_queues() {
  std::size_t most = 0;
  require_cuda(count_serving_blocks(most), "reading the blocks of the RDMA engine");
  return most;
}

}  // namespace

struct gpu_engine::kernel_state {
  device_memory queues;
  device_memory regions;
  device_memory sum;
  pinned_memory stop;
  cudaStream_t stream{};
  bool is_running{};

  ~kernel_state() {
    if (!is_running) {
      if (stream != nullptr) (void)cudaStreamDestroy(stream);
      return;
    }
    queues.abandon();
    regions.abandon();
    sum.abandon();
    stop.abandon();
  }
  [[nodiscard]] std::uint32_t& stop_word() const { return *reinterpret_cast<std::uint32_t*>(stop.bytes().data()); }
};

gpu_engine::gpu_engine(int gpu, std::span<queue_parts const> queues, std::span<region const> regions,
                       engine_scopes scopes)
    : state_{std::make_unique<kernel_state>()} {
  require_cuda(cudaSetDevice(gpu), "choosing a GPU");
  // Half of the GPU is left to the posting threads.
  if (auto const most = most_queues() / 2; queues.size() > most)
    throw usage_error(
        fmt::format("-q {}: GPU {} runs {} queues of the RDMA engine at a time", queues.size(), gpu, most));
  auto const keep = [&](auto const& items) {
    auto const bytes = std::as_bytes(items);
    device_memory made{gpu, bytes.size()};
    made.write(0, bytes);
    return made;
  };
  state_->queues = keep(queues);
  state_->regions = keep(regions);
  state_->sum = device_memory{gpu, sizeof(engine_counters)};
  state_->stop = pinned_memory{gpu, sizeof(std::uint32_t)};
  require_cuda(cudaStreamCreateWithFlags(&state_->stream, cudaStreamNonBlocking), "creating a stream");
  served_by_kernel const work{.queues = reinterpret_cast<queue_parts const*>(state_->queues.data()),
                              .queue_count = static_cast<std::uint32_t>(queues.size()),
                              .regions = reinterpret_cast<region const*>(state_->regions.data()),
                              .region_count = static_cast<std::uint32_t>(regions.size()),
                              .acquired = scopes.queues,
                              .released = std::min(scopes.queues, scopes.targets),
                              .stop = &state_->stop_word(),
                              .sum = reinterpret_cast<engine_counters*>(state_->sum.data())};
  require_cuda(launch_serve_queues(work, state_->stream), "starting the RDMA engine");
  state_->is_running = true;
}

gpu_engine::~gpu_engine() {
  try {
    stop();
  } catch (failure const&) {  // kernel_state leaves its memory to the kernel
  }
}

void gpu_engine::stop() {
  using namespace std::chrono_literals;
  if (!state_->is_running) return;
  detail::store(state_->stop_word(), std::uint32_t{1});
  auto const limit = std::chrono::steady_clock::now() + 5s;
  auto said = cudaErrorNotReady;
  while ((said = cudaStreamQuery(state_->stream)) == cudaErrorNotReady && std::chrono::steady_clock::now() < limit)
    sleep_for(100us);
  require_cuda(said, "ending the RDMA engine");
  state_->is_running = false;
}

engine_counters gpu_engine::counters() const {
  engine_counters sum;
  state_->sum.read(0, std::as_writable_bytes(std::span{&sum, 1}));
  return sum;
}

}  // namespace packetwarp::rdma
