// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/target_gpu.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/gpu.h"

namespace packetwarp::rdma {

peer_access open_target_gpu(int gpu, int target_gpu) {
  (void)open_gpu(gpu);
  if (target_gpu == gpu) return {};
  auto const count = static_cast<int>(find_gpus().size());
  if (target_gpu >= count)
    throw usage_error(fmt::format("--target-gpu {}: there is no such GPU; this machine has {} of them, from 0 on",
                                  target_gpu, count));
  (void)open_gpu(target_gpu);
  return {gpu, target_gpu};
}

}  // namespace packetwarp::rdma
