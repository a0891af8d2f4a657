// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/joint/rooms.h"

#include <fmt/format.h>

namespace packetwarp {

std::string lack_of_room(std::string_view function, std::size_t room_bytes, unsigned threads, std::size_t has) {
  return fmt::format(
      "function {} works on packets together: it needs {} bytes of shared memory for each warp, {} for the {} warps of "
      "a block, and a block of this GPU can have {}; use {}executor cpu",
      function, room_bytes, rooms_of_block(room_bytes, threads), threads / gpu_warp_size, has,
      rooms_of_block(room_bytes, kernel_threads) <= has && threads != kernel_threads ? "executor kernel or " : "");
}

std::string lack_of_launches(std::string_view function) {
  return fmt::format(
      "executor persistent: function {} needs CUDA kernels of its own, which a kernel that never ends cannot launch; "
      "use "
      "executor graph, kernel or cpu",
      function);
}

}  // namespace packetwarp
