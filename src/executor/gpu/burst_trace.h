// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <string>
#include <vector>

#include "executor/gpu/offload/burst_observer.h"

namespace packetwarp {

// Shows every burst's time on the GPU as an NVTX range of the domain "packetwarp", with its number of packets as
// payload. It costs next to nothing while no profiler listens.
class burst_trace final : public burst_observer {
 public:
  // slots: the ring's. name: of the ranges, "pipeline 0 burst".
  burst_trace(std::uint32_t slots, std::string name);
  ~burst_trace() override;

  void given(burst const& work, std::uint64_t position) override;
  void taken_back(burst const& work, std::uint64_t position, burst_outcome outcome) override;
  void lost(std::uint64_t position) override;

 private:
  void end(std::uint64_t position);
  nvtxDomainHandle_t domain_;
  std::string name_;
  std::vector<nvtxRangeId_t> ranges_;  // by slot
};

}  // namespace packetwarp
