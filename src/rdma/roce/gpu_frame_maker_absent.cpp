// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/roce/gpu_frame_maker.h"

namespace packetwarp::rdma::roce {

struct gpu_frame_maker::kernel_state {};

gpu_frame_maker::gpu_frame_maker(int) {
  throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use --payload host");
}
gpu_frame_maker::~gpu_frame_maker() = default;
std::size_t gpu_frame_maker::lead() const { return 0; }
std::size_t gpu_frame_maker::room() const { return 0; }
void gpu_frame_maker::ask(frame_plan const&, std::byte*) {}
std::uint64_t gpu_frame_maker::poll() { return 0; }
void gpu_frame_maker::start() {}
void gpu_frame_maker::stop() {}
void gpu_frame_maker::give() {}

}  // namespace packetwarp::rdma::roce
