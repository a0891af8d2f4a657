// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/bandwidth/gpu_poster.h"

namespace packetwarp::rdma {

struct gpu_poster::kernel_memory {};

gpu_poster::gpu_poster(int, std::size_t, put_way) {
  throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use --initiator cpu");
}
gpu_poster::~gpu_poster() = default;
std::vector<post_times> gpu_poster::post(std::span<posted_queue const>, post_loop const&) { return {}; }

}  // namespace packetwarp::rdma
