// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "function/rules/rules_layout.h"

namespace packetwarp::rules_count {

HOST_DEVICE inline void add(std::uint64_t& counter, std::uint64_t amount) noexcept {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{counter}.fetch_add(amount, cuda::memory_order_relaxed);
}

// Counts a packet of this many bytes. Any number of threads.
HOST_DEVICE inline void hit(rules_counter& counter, std::uint32_t bytes) noexcept {
#if defined(__CUDA_ARCH__)
  // Lanes of a warp mostly hit the same few rules: one lane adds for all lanes with the same rule.
  auto const same = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(&counter));
  std::uint32_t total = 0;
#if __CUDA_ARCH__ >= 800
  total = __reduce_add_sync(same, bytes);
#else
  for (unsigned left = same; left != 0; left &= left - 1) total += __shfl_sync(same, bytes, __ffs(left) - 1);
#endif
  unsigned lane = 0;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane != static_cast<unsigned>(__ffs(same) - 1)) return;
  add(counter.hits, __popc(same));
  add(counter.bytes, total);
#else
  add(counter.hits, 1);
  add(counter.bytes, bytes);
#endif
}

}  // namespace packetwarp::rules_count
