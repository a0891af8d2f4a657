// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "executor/executor.h"
#include "executor/gpu/gpu_settings.h"
#include "executor/gpu/offload/burst_observer.h"
#include "executor/gpu/program.h"

namespace packetwarp {

// The executor that does a GPU's work after its failure.
struct gpu_fallback {
  std::unique_ptr<executor> runs;
  std::string_view taking_over;  // at the end of the line that reports it
};

// Makes an executor on a GPU that has been opened. check: checks samples of its work, or nullptr. Throws failure.
[[nodiscard]] std::unique_ptr<executor> make_gpu_executor(executor_kind kind, burst_ring& ring,
                                                          gpu_program const& program, gpu_settings const& settings,
                                                          gpu_fallback fallback, std::unique_ptr<burst_observer> check);

}  // namespace packetwarp
