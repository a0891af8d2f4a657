// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/gpu/gpu_responders.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/roce/gpu/kernel_end.h"
#include "rdma/roce/gpu/serve_responders.h"

namespace packetwarp::rdma::roce {

struct gpu_responders::kernel_state {
  device_memory queues;
  device_memory regions;
  device_memory counters;
  pinned_memory boxes;
  std::vector<inbox_end> ends;
  served_responders work{};
  cudaStream_t stream{};
  bool is_running{};
  int gpu{};

  ~kernel_state() {
    if (!is_running) {
      if (stream != nullptr) (void)cudaStreamDestroy(stream);
      return;
    }
    queues.abandon();
    regions.abandon();
    counters.abandon();
    boxes.abandon();
  }
  [[nodiscard]] inbox& box(std::size_t n) const { return reinterpret_cast<inbox*>(boxes.bytes().data())[n]; }
  [[nodiscard]] std::vector<request_counters> read_counters() const {
    std::vector<request_counters> read(work.count);
    counters.read(0, std::as_writable_bytes(std::span{read}));
    return read;
  }
};

gpu_responders::gpu_responders(int gpu, std::span<connection_settings const> connections,
                               std::span<region const> regions, frame_pieces pieces)
    : state_{std::make_unique<kernel_state>()} {
  require_cuda(cudaSetDevice(gpu), "choosing a GPU");
  auto& state = *state_;
  state.gpu = gpu;
  state.boxes = pinned_memory{gpu, connections.size() * sizeof(inbox)};
  std::vector<request_queue> made;
  std::uint32_t mtu = 0;
  for (std::size_t n = 0; n < connections.size(); ++n) {
    made.push_back({.box = &state.box(n),
                    .first_psn = connections[n].receive_psn,
                    .mtu = connections[n].how.mtu,
                    .pieces = pieces});
    state.ends.emplace_back(state.box(n));
    mtu = std::max(mtu, connections[n].how.mtu);
  }
  std::size_t most = 0;
  require_cuda(count_responder_blocks(mtu, most), "reading the blocks of the responders' kernel");
  // Half of the GPU is left to others.
  if (connections.size() > most / 2)
    throw usage_error(fmt::format("-q {}: GPU {} runs {} responders at a time", connections.size(), gpu, most / 2));
  state.queues = kept_on_gpu(gpu, std::as_bytes(std::span{made}));
  state.regions = kept_on_gpu(gpu, std::as_bytes(regions));
  state.counters = device_memory{gpu, made.size() * sizeof(request_counters)};
  require_cuda(cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking), "creating a stream");
  state.work = {.queues = reinterpret_cast<request_queue const*>(state.queues.data()),
                .counters = reinterpret_cast<request_counters*>(state.counters.data()),
                .count = static_cast<std::uint32_t>(made.size()),
                .regions = reinterpret_cast<region const*>(state.regions.data()),
                .region_count = static_cast<std::uint32_t>(regions.size()),
                .mtu = mtu};
}

void gpu_responders::start() {
  require_cuda(launch_serve_responders(state_->work, state_->stream), "starting the responders' kernel");
  state_->is_running = true;
}

gpu_responders::~gpu_responders() {
  try {
    stop();
  } catch (failure const&) {  // kernel_state leaves its memory to the kernel
  }
}

std::string gpu_responders::trouble() const { return trouble_of(state_->gpu, "responders'", state_->stream); }

void gpu_responders::stop() {
  if (!state_->is_running) return;
  for (std::size_t n = 0; n < state_->ends.size(); ++n) detail::store(state_->box(n).stop, std::uint64_t{1});
  require_cuda(await_end(state_->stream), "ending the responders' kernel");
  state_->is_running = false;
}

std::span<inbox_end> gpu_responders::ends() { return state_->ends; }

responder_counters gpu_responders::received() const {
  responder_counters sum;
  for (auto const& one : state_->read_counters()) sum.add(one.received);
  return sum;
}

std::uint64_t gpu_responders::bad_icrc() const {
  std::uint64_t sum = 0;
  for (auto const& one : state_->read_counters()) sum += one.bad_icrc;
  return sum;
}

}  // namespace packetwarp::rdma::roce
