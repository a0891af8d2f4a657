// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/make.h"

#include <fmt/format.h>

#include "executor/gpu/burst_trace.h"
#include "executor/gpu/graph.h"
#include "executor/gpu/kernel.h"
#include "executor/gpu/persistent.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::unique_ptr<offload_executor> make(executor_kind kind, burst_ring& ring, gpu_program const& program,
                                                     gpu_settings const& settings, std::unique_ptr<executor> fallback) {
  switch (kind) {
    case executor_kind::kernel:
      return std::make_unique<kernel_executor>(ring, program, settings, std::move(fallback));
    case executor_kind::persistent:
      if (program.own.gather != nullptr) throw usage_error(lack_of_launches(program.name));
      return std::make_unique<persistent_executor>(ring, program, settings, std::move(fallback));
    case executor_kind::graph:
      return std::make_unique<graph_executor>(ring, program, settings, std::move(fallback));
    default:
      throw usage_error(fmt::format("executor {}: not one of a GPU's", to_string(kind)));
  }
}

}  // namespace

std::unique_ptr<executor> make_gpu_executor(executor_kind kind, burst_ring& ring, gpu_program const& program,
                                            gpu_settings const& settings, gpu_fallback fallback,
                                            std::unique_ptr<burst_observer> check) {
  auto made = make(kind, ring, program, settings, std::move(fallback.runs));
  made->tell_taking_over(fallback.taking_over);
  if (check) made->observe_with(std::move(check));
  if (settings.trace) {
    made->observe_with(
        std::make_unique<burst_trace>(ring.slots(), fmt::format("pipeline {} burst", settings.pipeline)));
  }
  return made;
}

}  // namespace packetwarp
