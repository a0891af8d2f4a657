// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/gpu/gpu_requesters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/error.h"
#include "gpu/cuda_check.h"
#include "gpu/gpu.h"
#include "rdma/roce/gpu/kernel_end.h"
#include "rdma/roce/gpu/serve_requesters.h"
#include "rdma/roce/lane_frame.h"

namespace packetwarp::rdma::roce {
namespace {

// All blocks must run at a time. Half of the GPU is left to the posting threads.
void require_blocks(int gpu, std::size_t queues, std::uint32_t mtu, std::uint32_t writes) {
  std::size_t most = 0;
  require_cuda(count_requester_blocks(mtu, writes, most), "reading the blocks of the requesters' kernel");
  if (queues > most / 2)
    throw usage_error(fmt::format("-q {}: GPU {} runs {} requesters at a time", queues, gpu, most / 2));
}

[[nodiscard]] lane_queue queue_of(queue_on_gpu const& one, mailbox& box, frame_pieces pieces) {
  auto const& settings = one.settings;
  return {.parts = one.parts,
          .to = {.remote_number = settings.remote_number & 0xff'ffff,
                 .pieces = pieces,
                 .path = settings.path,
                 .mtu_shift = static_cast<std::uint32_t>(std::countr_zero(settings.how.mtu)),
                 .most_writes = std::min(one.parts.size, std::bit_ceil(2 * settings.how.window))},
          .how = settings.how,
          .first_psn = settings.send_psn,
          .box = &box};
}

}  // namespace

struct gpu_requesters::kernel_state {
  device_memory queues;
  device_memory regions;
  device_memory counters;
  pinned_memory boxes;
  std::vector<mailbox_end> ends;
  served_requesters work{};
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
  [[nodiscard]] mailbox& box(std::size_t n) const { return reinterpret_cast<mailbox*>(boxes.bytes().data())[n]; }
  [[nodiscard]] std::vector<lane_counters> read_counters() const {
    std::vector<lane_counters> read(work.count);
    counters.read(0, std::as_writable_bytes(std::span{read}));
    return read;
  }
};

gpu_requesters::gpu_requesters(int gpu, std::span<queue_on_gpu const> queues, std::span<region const> regions,
                               cuda::thread_scope scope, frame_pieces pieces)
    : state_{std::make_unique<kernel_state>()} {
  require_cuda(cudaSetDevice(gpu), "choosing a GPU");
  auto& state = *state_;
  state.gpu = gpu;
  state.boxes = pinned_memory{gpu, queues.size() * sizeof(mailbox)};
  std::vector<lane_queue> made;
  std::uint32_t mtu = 0, writes = 0;
  for (std::size_t n = 0; n < queues.size(); ++n) {
    made.push_back(queue_of(queues[n], state.box(n), pieces));
    state.ends.emplace_back(state.box(n));
    mtu = std::max(mtu, queues[n].settings.how.mtu);
    writes = std::max(writes, made.back().to.most_writes);
  }
  require_blocks(gpu, queues.size(), mtu, writes);
  state.queues = kept_on_gpu(gpu, std::as_bytes(std::span{made}));
  state.regions = kept_on_gpu(gpu, std::as_bytes(regions));
  state.counters = device_memory{gpu, made.size() * sizeof(lane_counters)};
  require_cuda(cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking), "creating a stream");
  state.work = {.queues = reinterpret_cast<lane_queue const*>(state.queues.data()),
                .counters = reinterpret_cast<lane_counters*>(state.counters.data()),
                .count = static_cast<std::uint32_t>(made.size()),
                .regions = reinterpret_cast<region const*>(state.regions.data()),
                .region_count = static_cast<std::uint32_t>(regions.size()),
                .scope = scope,
                .mtu = mtu,
                .most_writes = writes};
}

void gpu_requesters::start() {
  require_cuda(launch_serve_requesters(state_->work, state_->stream), "starting the requesters' kernel");
  state_->is_running = true;
}

gpu_requesters::~gpu_requesters() {
  try {
    stop();
  } catch (failure const&) {  // kernel_state leaves its memory to the kernel
  }
}

std::string gpu_requesters::trouble() const { return trouble_of(state_->gpu, "requesters'", state_->stream); }

void gpu_requesters::stop() {
  if (!state_->is_running) return;
  for (std::size_t n = 0; n < state_->ends.size(); ++n) detail::store(state_->box(n).stop, std::uint64_t{1});
  require_cuda(await_end(state_->stream), "ending the requesters' kernel");
  state_->is_running = false;
}

std::size_t gpu_requesters::lead() { return frame_lead; }

std::span<mailbox_end> gpu_requesters::ends() { return state_->ends; }

requester_counters gpu_requesters::sent() const {
  requester_counters sum;
  for (auto const& one : state_->read_counters()) sum.add(one.sent);
  return sum;
}

engine_counters gpu_requesters::queues() const {
  engine_counters sum;
  for (auto const& one : state_->read_counters()) sum.add(one.queue);
  return sum;
}

}  // namespace packetwarp::rdma::roce
