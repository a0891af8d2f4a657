// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/gpu/gpu_responders.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "gpu/cuda_check.h"
#include "rdma/roce/gpu/queue_kernel.h"
#include "rdma/roce/gpu/serve_responders.h"

namespace packetwarp::rdma::roce {

struct gpu_responders::kernel_state {
  kernel_state(int gpu, std::size_t queues) : kernel{gpu, "responders'", queues} {}
  queue_kernel<request_queue, request_counters, inbox> kernel;
  std::vector<inbox_end> ends;
  served_responders work{};
};

gpu_responders::gpu_responders(int gpu, std::span<connection_settings const> connections,
                               std::span<region const> regions, frame_pieces pieces)
    : state_{std::make_unique<kernel_state>(gpu, connections.size())} {
  auto& [kernel, ends, work] = *state_;
  std::vector<request_queue> made;
  std::uint32_t mtu = 0;
  for (std::size_t n = 0; n < connections.size(); ++n) {
    made.push_back({.box = &kernel.box(n),
                    .first_psn = connections[n].receive_psn,
                    .mtu = connections[n].how.mtu,
                    .pieces = pieces});
    ends.emplace_back(kernel.box(n));
    mtu = std::max(mtu, connections[n].how.mtu);
  }
  std::size_t most = 0;
  require_cuda(count_responder_blocks(mtu, most), "reading the blocks of the responders' kernel");
  // Half of the GPU is left to others.
  if (connections.size() > most / 2)
    throw usage_error(fmt::format("-q {}: GPU {} runs {} responders at a time", connections.size(), gpu, most / 2));
  kernel.prepare(made, regions);
  work = {.queues = kernel.queues(),
          .counters = kernel.counters(),
          .count = kernel.count(),
          .regions = kernel.regions(),
          .region_count = kernel.region_count(),
          .mtu = mtu};
}

void gpu_responders::start() {
  state_->kernel.start([&](cudaStream_t stream) { return launch_serve_responders(state_->work, stream); });
}

gpu_responders::~gpu_responders() {
  try {
    stop();
  } catch (failure const&) {  // the kernel keeps its memory
  }
}

std::string gpu_responders::trouble() const { return state_->kernel.trouble(); }

void gpu_responders::stop() { state_->kernel.stop(); }

std::span<inbox_end> gpu_responders::ends() { return state_->ends; }

responder_counters gpu_responders::received() const {
  responder_counters sum;
  for (auto const& one : state_->kernel.read_counters()) sum.add(one.received);
  return sum;
}

std::uint64_t gpu_responders::bad_icrc() const {
  std::uint64_t sum = 0;
  for (auto const& one : state_->kernel.read_counters()) sum += one.bad_icrc;
  return sum;
}

}  // namespace packetwarp::rdma::roce
