// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/queue_pair_ref.h"

// Threads that post writes to a queue, round after round.
namespace packetwarp::rdma {

inline constexpr std::uint32_t posted_bytes = 48;   // of each write
inline constexpr std::uint32_t post_failed = 1000;  // and the work_status

// The group posts `count` writes a round, one after the other in memory, and waits for them. The last status of any
// group that fails is noted.
template <class Group>
__device__ void post_rounds(Group const& group, queue_pair_ref queue, memory_place local, memory_place remote,
                            std::uint32_t count, std::uint32_t rounds, queue_use use, patience limit,
                            std::uint32_t* status) {
  for (std::uint32_t n = 0; n < rounds; ++n) {
    auto const slots = queue.reserve(group, count, use, limit);
    queue.post_writes(group, slots, [&](std::uint32_t i) {
      return write_request{local + i * posted_bytes, remote + i * posted_bytes, posted_bytes};
    });
    queue.commit(group, slots);
    auto const said = slots.count == 0 ? queue.status() : queue.flush(group, slots, limit);
    if (said != work_status::done || slots.count == 0) {
      atomicMax(status, post_failed + static_cast<std::uint32_t>(said));
      return;
    }
  }
}

}  // namespace packetwarp::rdma
