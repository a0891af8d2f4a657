// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/device/kernels.cuh"
#include "joint/epoch_chains.h"
#include "joint/score_kernel.cuh"

namespace packetwarp {
namespace test {

// A block for each group, a thread for each packet.
static __global__ void mark_groups(stage_batch<epoch_mark::room> batch) {
  if (blockIdx.x >= *batch.groups || threadIdx.x >= batch.packets[blockIdx.x]) return;
  batch.rooms[blockIdx.x].worked[threadIdx.x] = mark_of(batch.epochs[blockIdx.x]);
}

}  // namespace test

template <>
struct own_kernels<test::epoch_mark_apart> {
  static void launch(cudaStream_t stream, stage_batch<test::epoch_mark::room> batch, test::epoch_mark::ref const&) {
    test::mark_groups<<<batch.most_groups, joint_packets, 0, stream>>>(batch);
  }
};

template gpu_program make_gpu_program<test::stamped_forward>(test::stamped_forward::ref const&, packet_route);
template gpu_program make_gpu_program<test::epoch_mark>(test::epoch_mark::ref const&, packet_route);
template gpu_program make_gpu_program<test::epoch_mark_apart>(test::epoch_mark_apart::ref const&, packet_route);
template gpu_program make_gpu_program<test::switched_marks>(test::switched_marks::ref const&, packet_route);
template gpu_program make_gpu_program<test::marked_apart>(test::marked_apart::ref const&, packet_route);

}  // namespace packetwarp
