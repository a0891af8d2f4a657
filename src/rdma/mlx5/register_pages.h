// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rdma/mlx5/gpu_access.h"

namespace packetwarp::rdma {

// Pages of doorbell registers as a GPU reaches them. A page holds several registers, and is mapped once.
class register_pages {
 public:
  explicit register_pages(gpu_access& gpu) : gpu_{&gpu} {}
  register_pages(register_pages const&) = delete;
  register_pages& operator=(register_pages const&) = delete;
  ~register_pages() { clear(); }

  // The register's address for the GPU; none if the driver refuses, and `problem` has the reason.
  [[nodiscard]] std::uint64_t* map(std::uint64_t* doorbell, std::string& problem);
  void clear();

 private:
  gpu_access* gpu_;
  std::map<std::byte*, std::byte*> mapped_;  // by the page's address for the CPU
};

}  // namespace packetwarp::rdma
