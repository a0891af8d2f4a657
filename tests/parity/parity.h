// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "burst/burst_ring.h"
#include "gpu/gpu.h"
#include "parity/tables.h"

namespace packetwarp::test {

using parity_case =
    std::tuple<tested_function, tested_executor, placement, std::uint32_t /* burst */, std::chrono::nanoseconds>;

// "forward_kernel_host_burst64_0ns"
[[nodiscard]] std::string name_of(testing::TestParamInfo<parity_case> const& given);

// Pushes the corpus through a burst ring and an executor, and checks every packet the moment that it is finished. A
// single oracle judges every executor, so agreement with it is agreement with the cpu executor, byte for byte.
class parity : public testing::TestWithParam<parity_case> {
 public:
  static void SetUpTestSuite();
  static void TearDownTestSuite();

 protected:
  void SetUp() override;
  void TearDown() override;

  // Publishes the corpus in bursts of the sizes that `next_size` gives, whenever the ring has room; polls; checks
  // finished packets. In rounds: if `at_once` returns true, the next burst is published only when the ring is empty
  // again.
  enum class feeding { whenever_there_is_room, rounds };
  void pass_corpus(feeding how, std::function<std::uint32_t()> const& next_size);

  [[nodiscard]] std::uint32_t burst_size() const { return std::get<std::uint32_t>(GetParam()); }
  [[nodiscard]] executor& tested() { return *executor_; }

 private:
  // The objects that all tests share: the corpus, and the GPU if one is needed.
  struct world {
    packet_bed bed;
    std::optional<gpu_facts> gpu;
    std::vector<memory_registration> registrations;
  };
  inline static std::unique_ptr<world> world_;

  void publish_next(std::uint32_t size);
  void check_done();

  std::unique_ptr<burst_ring> ring_;
  std::unique_ptr<executor> executor_;
  std::deque<std::uint32_t> in_flight_;  // sizes
  std::size_t published_{};              // packets
  std::size_t checked_{};
};

}  // namespace packetwarp::test
