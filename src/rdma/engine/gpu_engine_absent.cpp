// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/engine/gpu_engine.h"

namespace packetwarp::rdma {

struct gpu_engine::kernel_state {};

gpu_engine::gpu_engine(int, std::span<queue_parts const>, std::span<region const>, engine_scopes) {
  throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use --transport host");
}
gpu_engine::~gpu_engine() = default;
void gpu_engine::stop() {}
engine_counters gpu_engine::counters() const { return {}; }

}  // namespace packetwarp::rdma
