// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/gpu/joint/own_kernels.cuh"
#include "joint/header_score_apart.h"

namespace packetwarp {
namespace test {

// A thread for each packet and class of a group, a block for each group. A template, because several files have it.
template <class Room>
__global__ void score_groups(stage_batch<Room> batch, std::int8_t const* weights) {
  if (blockIdx.x >= *batch.groups) return;
  auto& room = batch.rooms[blockIdx.x];
  auto const packet = threadIdx.x / header_score::classes;
  auto const which = threadIdx.x % header_score::classes;
  if (packet >= batch.packets[blockIdx.x]) return;
  std::int32_t score = 0;
  for (unsigned i = 0; i < header_score::inputs; ++i) {
    score += std::int32_t{room.rows[packet * header_score::inputs + i]} * weights[which * header_score::inputs + i];
  }
  room.scores[threadIdx.x] = score;
}
inline void launch_score(cudaStream_t stream, stage_batch<header_score::room> const& batch,
                         header_score::ref const& tables) {
  constexpr auto threads = joint_packets * header_score::classes;
  score_groups<<<batch.most_groups, threads, 0, stream>>>(batch, tables.weights);
}

}  // namespace test

template <>
struct own_kernels<test::header_score_apart> {
  static void launch(cudaStream_t stream, stage_batch<test::header_score::room> batch,
                     test::header_score::ref const& tables) {
    test::launch_score(stream, batch, tables);
  }
};

}  // namespace packetwarp
