// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"

namespace packetwarp::test {

struct frame_place {
  std::uint32_t offset;
  std::uint32_t size;
};

// Frames that warps judge in groups of 32, many at once. The GPU reaches all memory.
struct group_job {
  std::byte* bytes;
  frame_place const* frames;
  unsigned count;
  inspection_ref const* tables;  // one per block: journals have bounds
  inspection_parts::fate* fates;
};

[[nodiscard]] cudaError_t judge_by_warps(group_job const& what, unsigned blocks);

}  // namespace packetwarp::test
