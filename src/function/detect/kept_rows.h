// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/group.h"
#include "function/network/room.h"

namespace packetwarp::detect_parts {

// A copy of a row for several models, because a model's scores take the rows' place on a GPU: in the registers of the
// lane that has the packet. On a CPU the rows stay where they are.
class kept_rows {
 public:
  HOST_DEVICE void keep([[maybe_unused]] auto const& group, [[maybe_unused]] network_room& room) {
#if defined(__CUDA_ARCH__)
    for_row(group, room, [](std::uint32_t& kept, std::uint32_t const& word) { kept = word; });
#endif
  }
  HOST_DEVICE void put_back([[maybe_unused]] auto const& group, [[maybe_unused]] network_room& room) {
#if defined(__CUDA_ARCH__)
    for_row(group, room, [](std::uint32_t const& kept, std::uint32_t& word) { word = kept; });
#endif
  }

#if defined(__CUDA_ARCH__)
 private:
  __device__ void for_row(auto const& group, network_room& room, auto const& copy) {
    if (group.lane() < group.packets()) {
      network_row const row{room, group.lane()};
      UNROLLED
      for (unsigned word = 0; word < row_words; ++word) copy(words_[word], row.word(word));
    }
    group.sync();
  }

  std::uint32_t words_[row_words];
#endif
};

}  // namespace packetwarp::detect_parts
