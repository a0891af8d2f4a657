// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <infiniband/mlx5dv.h>

#include <cstdint>
#include <memory>

namespace packetwarp::rdma {

// The functions of libmlx5 that this program calls, each as mlx5dv_ and its name. Tests put a device of their own in
// their place. A function that returns a number returns 0, or the error's number.
class mlx5_calls {
 public:
  mlx5_calls() = default;
  mlx5_calls(mlx5_calls const&) = delete;
  mlx5_calls& operator=(mlx5_calls const&) = delete;
  virtual ~mlx5_calls() = default;

  [[nodiscard]] virtual bool is_supported(ibv_device* device) = 0;
  // MLX5DV_CTX_ATTR_BUF_ALLOCATORS of mlx5dv_set_context_attr: the memory of queues that are made later.
  [[nodiscard]] virtual int set_allocators(ibv_context* context, mlx5dv_ctx_allocators* to) = 0;
  [[nodiscard]] virtual int init_obj(mlx5dv_obj* object, std::uint64_t types) = 0;
};

// libmlx5 itself.
[[nodiscard]] std::unique_ptr<mlx5_calls> library_mlx5_calls();

}  // namespace packetwarp::rdma
