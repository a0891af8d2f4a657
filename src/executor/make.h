// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "executor/cpu.h"
#include "executor/none.h"

namespace packetwarp {

// The executor of a kind for function F on one ring. egress: where `none` sends everything. Throws usage_error for a
// kind this build or machine does not have.
template <packet_function F>
[[nodiscard]] std::unique_ptr<executor> make_executor(executor_kind kind, burst_ring& ring, typename F::ref tables,
                                                      egress_index egress, std::chrono::nanoseconds packet_time) {
  switch (kind) {
    case executor_kind::none:
      return std::make_unique<none_executor>(ring, egress);
    case executor_kind::cpu:
      return std::make_unique<cpu_executor<F>>(ring, tables, packet_time);
    default:
      throw usage_error(fmt::format("executor {}: not in this version; use none or cpu", to_string(kind)));
  }
}

}  // namespace packetwarp
