// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/mlx5_calls.h"

namespace packetwarp::rdma {
namespace {

class libmlx5_calls final : public mlx5_calls {
 public:
  bool is_supported(ibv_device* device) override { return mlx5dv_is_supported(device); }
  int set_allocators(ibv_context* context, mlx5dv_ctx_allocators* to) override {
    return mlx5dv_set_context_attr(context, MLX5DV_CTX_ATTR_BUF_ALLOCATORS, to);
  }
  int init_obj(mlx5dv_obj* object, std::uint64_t types) override { return mlx5dv_init_obj(object, types); }
};

}  // namespace

std::unique_ptr<mlx5_calls> library_mlx5_calls() { return std::make_unique<libmlx5_calls>(); }

}  // namespace packetwarp::rdma
