// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/gpu/gpu_requesters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "base/error.h"
#include "gpu/cuda_check.h"
#include "rdma/roce/gpu/queue_kernel.h"
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
  kernel_state(int gpu, std::size_t queues) : kernel{gpu, "requesters'", queues} {}
  queue_kernel<lane_queue, lane_counters, mailbox> kernel;
  std::vector<mailbox_end> ends;
  served_requesters work{};
};

gpu_requesters::gpu_requesters(int gpu, std::span<queue_on_gpu const> queues, std::span<region const> regions,
                               cuda::thread_scope scope, frame_pieces pieces)
    : state_{std::make_unique<kernel_state>(gpu, queues.size())} {
  auto& [kernel, ends, work] = *state_;
  std::vector<lane_queue> made;
  std::uint32_t mtu = 0, writes = 0;
  for (std::size_t n = 0; n < queues.size(); ++n) {
    made.push_back(queue_of(queues[n], kernel.box(n), pieces));
    ends.emplace_back(kernel.box(n));
    mtu = std::max(mtu, queues[n].settings.how.mtu);
    writes = std::max(writes, made.back().to.most_writes);
  }
  require_blocks(gpu, queues.size(), mtu, writes);
  kernel.prepare(made, regions);
  work = {.queues = kernel.queues(),
          .counters = kernel.counters(),
          .count = kernel.count(),
          .regions = kernel.regions(),
          .region_count = kernel.region_count(),
          .scope = scope,
          .mtu = mtu,
          .most_writes = writes};
}

void gpu_requesters::start() {
  state_->kernel.start([&](cudaStream_t stream) { return launch_serve_requesters(state_->work, stream); });
}

gpu_requesters::~gpu_requesters() {
  try {
    stop();
  } catch (failure const&) {  // the kernel keeps its memory
  }
}

std::string gpu_requesters::trouble() const { return state_->kernel.trouble(); }

void gpu_requesters::stop() { state_->kernel.stop(); }

std::size_t gpu_requesters::lead() { return frame_lead; }

std::span<mailbox_end> gpu_requesters::ends() { return state_->ends; }

requester_counters gpu_requesters::sent() const {
  requester_counters sum;
  for (auto const& one : state_->kernel.read_counters()) sum.add(one.sent);
  return sum;
}

engine_counters gpu_requesters::queues() const {
  engine_counters sum;
  for (auto const& one : state_->kernel.read_counters()) sum.add(one.queue);
  return sum;
}

}  // namespace packetwarp::rdma::roce
