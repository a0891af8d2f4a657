// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/mlx5/gpu_access.h"

namespace packetwarp::rdma {

std::unique_ptr<gpu_access> make_cuda_access(int /*gpu*/, std::size_t /*most_queues*/) {
  throw usage_error(
      "this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use --initiator cpu --payload host");
}

}  // namespace packetwarp::rdma
