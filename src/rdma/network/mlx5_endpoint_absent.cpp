// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/network/mlx5_endpoint.h"

namespace packetwarp::rdma {

std::unique_ptr<endpoint> make_mlx5_endpoint(endpoint_settings const& /*settings*/, verbs_settings const& /*on*/) {
  throw usage_error(
      "rdma: this build has no libmlx5, which --transport mlx5 needs: install libibverbs-dev and build again");
}

}  // namespace packetwarp::rdma
