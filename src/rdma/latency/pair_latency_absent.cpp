// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "rdma/latency/pair_latency.h"

namespace packetwarp::rdma {

struct pair_latency::state {};

pair_latency::pair_latency(pair_latency_settings const&) {
  throw usage_error(
      "this build has no GPU code (PACKETWARP_CUDA is off): build with it, or measure a peer across a "
      "network: --transport roce, verbs or mlx5");
}
pair_latency::~pair_latency() = default;
ping_times pair_latency::run(std::uint32_t, std::uint32_t) { return {}; }
std::uint64_t pair_latency::checked_bytes() const { return 0; }

}  // namespace packetwarp::rdma
