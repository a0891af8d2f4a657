// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/gpu_needed.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/gpu.h"

namespace packetwarp::rdma {

void require_any_gpu(std::string_view instead) {
  if (find_gpus().empty())
    throw usage_error(
        fmt::format("no GPU can be used here ('packetwarp doctor --only gpu' says why); {} needs none", instead));
}

}  // namespace packetwarp::rdma
