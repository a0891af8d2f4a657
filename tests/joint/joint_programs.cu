// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/device/kernels.cuh"
#include "joint/greedy.h"
#include "joint/long_tables.h"
#include "joint/patient_score.h"
#include "joint/payload_sum.h"
#include "joint/score_kernel.cuh"

namespace packetwarp {

template <>
struct own_kernels<test::patient_score_apart> {
  static void launch(cudaStream_t stream, stage_batch<test::header_score::room> batch,
                     test::header_score::ref const& tables) {
    for (unsigned n = 0; n < test::patient_score::times; ++n) test::launch_score(stream, batch, tables);
  }
};

template gpu_program make_gpu_program<test::payload_sum>(test::payload_sum::ref const&, packet_route);
template gpu_program make_gpu_program<test::header_score>(test::header_score::ref const&, packet_route);
template gpu_program make_gpu_program<test::header_score_apart>(test::header_score_apart::ref const&, packet_route);
template gpu_program make_gpu_program<test::patient_score>(test::patient_score::ref const&, packet_route);
template gpu_program make_gpu_program<test::patient_score_apart>(test::patient_score_apart::ref const&, packet_route);
template gpu_program make_gpu_program<test::long_tables>(test::long_tables::ref const&, packet_route);
template gpu_program make_gpu_program<test::greedy>(test::greedy::ref const&, packet_route);

}  // namespace packetwarp
