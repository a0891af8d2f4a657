// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <numeric>

#include "function/detect/anomaly.h"
#include "gpu/gpu.h"

// The last records of flows with the same marks, when packets of all of them come to a GPU at once.
namespace packetwarp::detect_parts::flow_marks_tests {
namespace {

constexpr unsigned blocks = 64, threads = 256, packets_of_each = 16;
constexpr std::uint64_t all_packets = std::uint64_t{blocks} * threads * packets_of_each;
constexpr unsigned most_flows = 2 * flow_marks::places;
constexpr epoch_number window = epoch_number{1} << window_bits;

struct counted_flows {
  flow_marks marks;
  unsigned long long records[most_flows];
  unsigned long long told;      // packets, by records
  unsigned long long rests;     // packets of flows that gave their place away
  unsigned long long unplaced;  // packets of flows without a place
};

// The n-th flow's packets come `flows` threads apart.
__global__ void count_all(counted_flows* all, unsigned flows, epoch_number epoch) {
  auto const thread = blockIdx.x * threads + threadIdx.x;
  for (unsigned n = 0; n < packets_of_each; ++n) {
    auto const number = (thread + n) % flows;
    auto const counted = count_packet(all->marks, (std::uint64_t{number} + 1) << flow_marks::digits, epoch);
    atomicAdd(&all->rests, static_cast<unsigned long long>(counted.rest));
    if (counted.place == flow_marks::none) {
      atomicAdd(&all->unplaced, 1ULL);
    } else if (counted.packets != 0) {
      atomicAdd(&all->records[number], 1ULL);
      atomicAdd(&all->told, static_cast<unsigned long long>(counted.packets));
    }
  }
}

struct free_managed {
  void operator()(counted_flows* memory) const { (void)cudaFree(memory); }
};

class flow_marks_on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(&memory, sizeof(counted_flows)), cudaSuccess);
    all_.reset(::new (memory) counted_flows{});
  }
  void count(unsigned flows, epoch_number epoch) {
    count_all<<<blocks, threads>>>(all_.get(), flows, epoch);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  // The packets that a record or a rest has told, that wait for one, and that had no place.
  [[nodiscard]] std::uint64_t packets() const {
    auto const& waiting = all_->marks.packets;
    return all_->told + all_->rests + all_->unplaced +
           std::accumulate(std::begin(waiting), std::end(waiting), std::uint64_t{0});
  }
  [[nodiscard]] counted_flows const& all() const { return *all_; }

 private:
  std::unique_ptr<counted_flows, free_managed> all_;
};

TEST_F(flow_marks_on_gpu, give_each_flow_a_record_per_window_and_no_packet_is_counted_twice) {
  for (epoch_number turn = 1; turn < 50; ++turn) {
    count(flow_marks::places, turn * window);
    for (unsigned n = 0; n < flow_marks::places; ++n) ASSERT_EQ(all().records[n], turn) << "flow " << n;
    ASSERT_EQ(packets(), turn * all_packets);
    ASSERT_EQ(all().rests + all().unplaced, 0U);
  }
}

TEST_F(flow_marks_on_gpu, give_as_many_records_per_window_as_they_have_places_for_more_flows) {
  for (epoch_number turn = 1; turn < 50; ++turn) {
    count(most_flows, turn * window);
    auto const& records = all().records;
    ASSERT_EQ(std::accumulate(std::begin(records), std::end(records), std::uint64_t{0}), turn * flow_marks::places);
    ASSERT_EQ(packets(), turn * all_packets);
  }
}

}  // namespace
}  // namespace packetwarp::detect_parts::flow_marks_tests
