// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/latency/gpu_pinger.h"

namespace packetwarp::rdma {

struct gpu_pinger::kernel_memory {};

gpu_pinger::gpu_pinger(int) {
  throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use --initiator cpu");
}
gpu_pinger::~gpu_pinger() = default;
ping_times gpu_pinger::ping(ping_loop const&) { return {}; }

}  // namespace packetwarp::rdma
