// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/device/kernels.cuh"
#include "function/chain.h"
#include "function/router/router.h"
#include "joint/greedy.h"
#include "joint/header_score_apart.h"
#include "joint/long_tables.h"
#include "joint/payload_sum.h"

namespace packetwarp {
namespace test {

// Threads: one for each packet and class of a group. Blocks: one for each group.
__global__ void score_groups(stage_batch<header_score::room> batch, std::int8_t const* weights) {
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

}  // namespace test

template <>
struct own_kernels<test::header_score_apart> {
  static void launch(cudaStream_t stream, stage_batch<test::header_score::room> batch,
                     test::header_score::ref const& tables) {
    constexpr auto threads = joint_packets * test::header_score::classes;
    test::score_groups<<<batch.most_groups, threads, 0, stream>>>(batch, tables.weights);
  }
};

using judged_routes = chain<test::payload_sum, test::header_score, router>;
using routes_judged_apart = chain<test::payload_sum, test::header_score_apart, router>;

template gpu_program make_gpu_program<test::payload_sum>(test::payload_sum::ref const&, packet_route);
template gpu_program make_gpu_program<test::header_score>(test::header_score::ref const&, packet_route);
template gpu_program make_gpu_program<judged_routes>(judged_routes::ref const&, packet_route);
template gpu_program make_gpu_program<test::header_score_apart>(test::header_score_apart::ref const&, packet_route);
template gpu_program make_gpu_program<routes_judged_apart>(routes_judged_apart::ref const&, packet_route);
template gpu_program make_gpu_program<test::long_tables>(test::long_tables::ref const&, packet_route);
template gpu_program make_gpu_program<test::greedy>(test::greedy::ref const&, packet_route);

}  // namespace packetwarp
