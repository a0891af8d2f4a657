// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "executor/cpu.h"
#include "executor/gpu/make.h"
#include "executor/gpu/sample_check.h"
#include "executor/none.h"
#include "executor/refuse.h"

namespace packetwarp {

// Whether the CPU can look at packets, and take over from a GPU that fails.
[[nodiscard]] inline bool cpu_reaches_packets(gpu_settings const& gpu) {
  return gpu.where == placement::host || gpu.route == packet_route::staged;
}

// The executor of a kind for function F on one ring. egress: where `none` sends everything. gpu: for the kinds that
// need one; opened before. Throws usage_error for a kind this build does not have, failure for what the GPU did not do.
template <packet_function F>
[[nodiscard]] std::unique_ptr<executor> make_executor(executor_kind kind, burst_ring& ring, typename F::ref tables,
                                                      egress_index egress, std::chrono::nanoseconds packet_time,
                                                      gpu_settings const& gpu) {
  if (kind == executor_kind::none) return std::make_unique<none_executor>(ring, egress);
  if (kind == executor_kind::cpu) return std::make_unique<cpu_executor<F>>(ring, tables, packet_time);
  if constexpr (built_with_cuda) {
    std::unique_ptr<executor> fallback;
    std::unique_ptr<burst_observer> check;
    if (cpu_reaches_packets(gpu)) {
      fallback = std::make_unique<cpu_executor<F>>(ring, tables, packet_time);
      if constexpr (F::follows_from_header) check = std::make_unique<sample_check<F>>(tables);
    } else {
      fallback = std::make_unique<refuse_executor<F>>(ring);
    }
    return make_gpu_executor(kind, ring, make_gpu_program<F>(tables, gpu.route), gpu, std::move(fallback), std::move(check));
  } else {
    throw usage_error(fmt::format("executor {}: this build has no GPU code (PACKETWARP_CUDA is off); use none or cpu",
                                  to_string(kind)));
  }
}

}  // namespace packetwarp
