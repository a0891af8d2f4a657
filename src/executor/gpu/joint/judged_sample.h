// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "feature/feature_state.h"
#include "model/integer_network.h"

namespace packetwarp {

// Packets that the warps of a GPU judge in turn. All memory is the GPU's.
struct judged_sample {
  static constexpr unsigned pipelines = 16;  // each has a state of its own
  static constexpr unsigned warps = 16;      // of a block
  static constexpr unsigned groups = 200;    // that a warp judges
  static constexpr unsigned groups_per_epoch = 8;

  std::byte* frames;
  std::uint32_t stride;
  std::uint32_t length;
  std::uint32_t count;
  model::network_ref network;
  std::array<feature::state_ref, pipelines> states;
  std::uint64_t first_epoch;
  std::int32_t* sink;  // a word per thread, so that nothing of the work can be left out
};

// Starts the judgement on the default stream.
[[nodiscard]] cudaError_t launch_judgement(judged_sample const& what, unsigned blocks);

}  // namespace packetwarp
