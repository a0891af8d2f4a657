// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/group.h"
#include "function/network/dense_tile.h"
#include "function/network/few_rows.h"
#include "function/network/matrix_unit.h"
#include "function/network/room.h"
#include "function/network/tree_walk.h"
#include "function/network/words.h"
#include "model/evaluate.h"
#include "model/integer_network.h"

namespace packetwarp {
namespace network_parts {

// A warp: a matrix unit multiplies the rows of 16 packets after the other 16, or the lanes walk the trees for them, or
// multiply few rows themselves.
template <class Unit>
HOST_DEVICE void evaluate_by_warp(Unit const& unit, auto const& group, model::network_ref in_any_memory,
                                  network_room& room) {
  auto const network = in_global_memory(in_any_memory);
  if (network.header().kind == model::network_kind::trees) {
    if (group.packets() != 0) walk_trees(group, network, room);
    return;
  }
  if (group.packets() <= few_rows) {
    few_rows_evaluation{network, room, group.lane()}.evaluate(group);
    return;
  }
  NOT_UNROLLED
  for (unsigned tile = 0; tile * tile_rows < group.packets(); ++tile) {
    dense_tile<Unit>{unit, network, room, tile, group.lane()}.evaluate(group);
  }
}

#if !defined(__CUDA_ARCH__)
// A CPU: model::evaluate() has its vector instructions.
inline void evaluate_on_cpu(model::network_ref network, network_room& room, unsigned packets) {
  alignas(64) std::uint32_t rows[joint_packets * row_words]{};
  std::int32_t scores[joint_packets * most_scores_by_group];
  for (unsigned n = 0; n < packets; ++n) {
    for (unsigned i = 0; i < row_words; ++i) rows[n * row_words + i] = network_row{room, n}.word(i);
  }
  model::evaluate(network, reinterpret_cast<std::int8_t const*>(rows), packets, scores);
  auto const outputs = network.outputs();
  for (unsigned n = 0; n < packets; ++n) {
    for (unsigned o = 0; o < most_scores_by_group; ++o) {
      network_row{room, n}.word(o) = static_cast<std::uint32_t>(o < outputs ? scores[n * outputs + o] : no_score);
    }
  }
}
#endif

}  // namespace network_parts

// Evaluates a network on the rows of a group's packets: a warp on a GPU, a lone lane on a CPU. The scores are those of
// model::evaluate(), bit for bit. Every lane sees them after the return, by score_of() and class_of(); the rows are
// gone.
//
// The network is one that why_not_by_group() (bounds.h) has nothing against, in memory that does not change during the
// call. room: all lanes see the rows of packets 0 to packets() - 1 before the call; other rows may hold anything.
HOST_DEVICE void evaluate_by_group(auto const& group, model::network_ref network, network_room& room) {
#if defined(__CUDA_ARCH__)
  static_assert(std::remove_cvref_t<decltype(group)>::lanes() == joint_packets, "a warp");
  network_parts::evaluate_by_warp(network_parts::matrix_unit{}, group, network, room);
#else
  if (group.lane() == 0) network_parts::evaluate_on_cpu(network, room, group.packets());
#endif
  group.sync();
}

}  // namespace packetwarp
