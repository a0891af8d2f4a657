// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/executor.h"

namespace packetwarp {

// Leaves every packet unchanged and sends it by one egress. Other executors are measured against it: it is their
// ceiling.
class none_executor final : public executor {
 public:
  none_executor(burst_ring& ring, egress_index egress) : ring_{ring}, all_{verdict::forward(egress)} {}

  [[nodiscard]] std::uint32_t poll() override {
    burst const* const next = ring_.next_ready();
    if (next == nullptr) return 0;
    ring_.take();
    auto const size = next->size;
    ring_.finish(burst_outcome::uniform(all_));
    return size;
  }
  [[nodiscard]] std::string_view name_of(drop_reason reason) const override { return data_path_drop_name(reason); }

 private:
  burst_ring& ring_;
  verdict all_;
};

}  // namespace packetwarp
