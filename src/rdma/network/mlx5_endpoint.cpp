// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/mlx5_endpoint.h"

#include "rdma/mlx5/mlx5_end.h"

namespace packetwarp::rdma {

std::unique_ptr<endpoint> make_mlx5_endpoint(endpoint_settings const& settings, verbs_settings const& on) {
  auto const make_gpu = [&] { return make_cuda_access(settings.gpu, settings.queues); };
  return std::make_unique<mlx5_end>(settings, on, mlx5_machine{library_verbs_calls(), library_mlx5_calls(), make_gpu});
}

}  // namespace packetwarp::rdma
