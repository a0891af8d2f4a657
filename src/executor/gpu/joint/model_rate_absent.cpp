// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "executor/gpu/joint/model_rate.h"

namespace packetwarp {

double measure_packets_on_gpu(int, std::span<std::byte const>, sample_frames const&) {
  throw usage_error("this build has no GPU code (PACKETWARP_CUDA is off)");
}

}  // namespace packetwarp
