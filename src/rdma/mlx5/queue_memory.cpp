// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/queue_memory.h"

#include <algorithm>
#include <cerrno>
#include <exception>

namespace packetwarp::rdma {

mlx5dv_ctx_allocators queue_memory::allocators() {
  return {.alloc = [](std::size_t bytes, void* of) { return static_cast<queue_memory*>(of)->allocate(bytes); },
          .free = [](void* at, void* of) { static_cast<queue_memory*>(of)->free(at); },
          .data = this};
}

void* queue_memory::allocate(std::size_t bytes) {
  try {
    return pieces_.emplace_back(kind_, gpu_, bytes).data();
  } catch (std::exception const& refused) {
    problem_ = refused.what();
    errno = ENOMEM;
    return nullptr;
  }
}

void queue_memory::free(void const* at) {
  std::erase_if(pieces_, [&](auto const& piece) { return piece.data() == at; });
}

bool queue_memory::has(void const* at, std::size_t bytes) const {
  auto const* const begin = static_cast<std::byte const*>(at);
  return std::ranges::any_of(pieces_, [&](auto const& piece) {
    return begin >= piece.data() && bytes <= piece.size() &&
           begin - piece.data() <= static_cast<std::ptrdiff_t>(piece.size() - bytes);
  });
}

}  // namespace packetwarp::rdma
