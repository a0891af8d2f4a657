// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "rdma/network/network_test.h"
#include "rdma/network/wait_limit.h"

namespace packetwarp::rdma {

// Half of a round trip, in us, as ib_write_lat reports it.
struct latency_result {
  std::uint32_t bytes{};
  std::uint32_t iterations{};  // writes of each end; there is a time between each two
  double least{};
  double most{};
  double typical{};  // the median
  double average{};
  double deviation{};
  double of_99_percent{};  // are as quick
  double of_999_per_mille{};
};

// Sorts the samples; there is at least one.
[[nodiscard]] latency_result summarize_latency(std::vector<double>& us, std::uint32_t bytes, std::uint32_t iterations);

// ib_write_lat: the ends write to each other alternately, the server first; the last byte of a write, a counter, tells
// that it has arrived.
class network_latency {
 public:
  // how: the endpoint's settings; least: see wait_limit(), of a wait of a CPU for a write of the peer.
  network_latency(connected_pair& pair, endpoint_settings const& how, patience least = peer_wait)
      : pair_{&pair}, how_{how}, least_{least} {}

  // Sizes are given in rising order, and at least two iterations. Throws failure: a write failed, the peer ended too
  // early, or no write of it came.
  [[nodiscard]] latency_result run(std::uint32_t bytes, std::uint32_t iterations);
  // Some of perftest's versions say more at the end, and some close.
  void finish();

 private:
  [[nodiscard]] std::optional<latency_result> run_by_gpu(std::uint32_t bytes, std::uint32_t iterations);
  void await(std::uint32_t bytes, std::uint8_t counter);
  // The longest wait for a write, which the peer makes once it has this end's.
  [[nodiscard]] patience longest_silence(std::uint32_t bytes) const {
    return wait_limit(2 * std::uint64_t{bytes}, how_, least_);
  }
  [[nodiscard]] failure silence(std::uint32_t bytes) const;
  void write(std::uint32_t bytes, std::uint8_t counter);
  static void must_be_done(work_status status, std::uint32_t bytes);

  connected_pair* pair_;
  endpoint_settings how_;
  patience least_;
};

}  // namespace packetwarp::rdma
