// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/roce/gpu/gpu_responders.h"

namespace packetwarp::rdma::roce {

struct gpu_responders::kernel_state {};

gpu_responders::gpu_responders(int, std::span<connection_settings const>, std::span<region const>, frame_pieces) {
  throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use --payload host");
}
gpu_responders::~gpu_responders() = default;
void gpu_responders::start() {}
std::string gpu_responders::trouble() const { return {}; }
void gpu_responders::stop() {}
std::span<inbox_end> gpu_responders::ends() { return {}; }
responder_counters gpu_responders::received() const { return {}; }
std::uint64_t gpu_responders::bad_icrc() const { return 0; }

}  // namespace packetwarp::rdma::roce
