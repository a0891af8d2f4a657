// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/group.h"
#include "function/network/room.h"
#include "function/network/unroll.h"

namespace packetwarp::detect_parts {

// A copy of the rows of a group for several models, because a model's scores take the rows' place: in the registers of
// the lane that has the packet. A lone lane has all rows.
class kept_rows {
 public:
  HOST_DEVICE void keep(auto const& group, network_room& room) {
    for_rows(group, room, [](std::uint32_t& kept, std::uint32_t const& word) { kept = word; });
    group.sync();
  }
  HOST_DEVICE void put_back(auto const& group, network_room& room) {
    for_rows(group, room, [](std::uint32_t const& kept, std::uint32_t& word) { word = kept; });
    group.sync();
  }

 private:
#if defined(__CUDA_ARCH__)
  static constexpr unsigned rows = 1;
#else
  static constexpr unsigned rows = joint_packets;
#endif

  HOST_DEVICE void for_rows(auto const& group, network_room& room, auto const& copy) {
    UNROLLED
    for (unsigned i = 0; i < rows; ++i) {
      auto const n = i * group.lanes() + group.lane();
      if (n >= group.packets()) break;
      network_row const row{room, n};
      UNROLLED
      for (unsigned word = 0; word < row_words; ++word) copy(words_[i][word], row.word(word));
    }
  }

  std::uint32_t words_[rows][row_words];
};

}  // namespace packetwarp::detect_parts
