// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/register_pages.h"

#include <unistd.h>

namespace packetwarp::rdma {

std::uint64_t* register_pages::map(std::uint64_t* doorbell, std::string& problem) {
  auto const bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* const at = reinterpret_cast<std::byte*>(doorbell);
  auto* const first = at - reinterpret_cast<std::uintptr_t>(at) % bytes;
  auto found = mapped_.find(first);
  if (found == mapped_.end()) {
    auto* const mapped = gpu_->map_registers(first, bytes, problem);
    if (mapped == nullptr) return nullptr;
    found = mapped_.emplace(first, mapped).first;
  }
  return reinterpret_cast<std::uint64_t*>(found->second + (at - first));
}

void register_pages::clear() {
  for (auto const& one : mapped_) gpu_->unmap_registers(one.first);
  mapped_.clear();
}

}  // namespace packetwarp::rdma
