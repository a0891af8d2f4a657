// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/executor.h"
#include "function/function.h"

namespace packetwarp {

// Drops every packet as gpu_failed: the fallback for packets in the memory of a GPU that has failed.
template <packet_function F>
class refuse_executor final : public executor {
 public:
  refuse_executor(burst_ring& ring, typename F::ref const& tables) : ring_{ring}, tables_{tables} {}

  [[nodiscard]] std::uint32_t poll() override {
    burst const* const next = ring_.next_ready();
    if (next == nullptr) return 0;
    ring_.take();
    auto const size = next->size;
    ring_.finish(burst_outcome::uniform(verdict::drop(drop_reason::gpu_failed)));
    return size;
  }
  [[nodiscard]] std::string_view name_of(drop_reason reason) const override { return drop_name<F>(reason, tables_); }

 private:
  burst_ring& ring_;
  typename F::ref tables_;  // for the names of drop reasons
};

}  // namespace packetwarp
