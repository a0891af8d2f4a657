// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp::rdma {

// The clock of the calling thread's multiprocessor.
[[nodiscard]] __device__ inline std::uint64_t clocks_now() { return static_cast<std::uint64_t>(clock64()); }

}  // namespace packetwarp::rdma
