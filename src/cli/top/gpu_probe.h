// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "cli/top/frame.h"

namespace packetwarp {

// Asks NVIDIA's management library about the GPUs that a run uses. Without the library, or a driver, it finds none.
class gpu_probe {
 public:
  gpu_probe();
  gpu_probe(gpu_probe const&) = delete;
  gpu_probe& operator=(gpu_probe const&) = delete;
  ~gpu_probe();

  // The GPUs of the report's `host` that answer. A call may take tens of milliseconds: PCIe traffic is measured
  // meanwhile.
  [[nodiscard]] std::vector<gpu_load> read(json const& report) const;

 private:
  struct library;
  std::unique_ptr<library> nvml_;
};

}  // namespace packetwarp
