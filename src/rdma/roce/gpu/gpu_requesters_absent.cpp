// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/roce/gpu/gpu_requesters.h"

namespace packetwarp::rdma::roce {

struct gpu_requesters::kernel_state {};

gpu_requesters::gpu_requesters(int, std::span<queue_on_gpu const>, std::span<region const>, cuda::thread_scope,
                               frame_pieces) {
  throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use --payload host");
}
gpu_requesters::~gpu_requesters() = default;
void gpu_requesters::start() {}
std::string gpu_requesters::trouble() const { return {}; }
void gpu_requesters::stop() {}
std::size_t gpu_requesters::lead() { return 0; }
std::span<mailbox_end> gpu_requesters::ends() { return {}; }
requester_counters gpu_requesters::sent() const { return {}; }
engine_counters gpu_requesters::queues() const { return {}; }

}  // namespace packetwarp::rdma::roce
