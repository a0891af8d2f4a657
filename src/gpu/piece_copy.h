// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace packetwarp {

// Bytes that lie in pinned host memory and in a GPU's memory.
struct copied_piece {
  std::byte* in_host;
  std::byte* in_gpu;
  std::uint32_t bytes;
};
enum class copy_course : std::uint8_t { to_gpu, from_gpu };

// Copies all pieces. pieces: in pinned memory. Does not wait.
[[nodiscard]] cudaError_t launch_copy(copied_piece const* pieces, std::uint32_t count, copy_course course,
                                      cudaStream_t stream);

}  // namespace packetwarp
