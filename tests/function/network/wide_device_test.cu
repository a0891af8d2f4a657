// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "executor/gpu/joint/wide_network.h"
#include "function/network/wide_layout.h"
#include "model/evaluate.h"
#include "model/random_networks.h"

namespace packetwarp::test::wide_device_tests {
namespace {

using model::row_bytes;
using model::test::random_networks;

constexpr std::int32_t untouched = 0x5a5a5a5a;

// Memory that host and GPU see.
template <class T>
class managed {
 public:
  explicit managed(std::size_t count) : count_{count} {
    void* memory = nullptr;
    if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc{};
    data_ = static_cast<T*>(memory);
  }
  ~managed() { cudaFree(data_); }
  managed(managed const&) = delete;
  managed& operator=(managed const&) = delete;
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  std::size_t count_;
  T* data_{};
};

// The shared memory that the launch has beyond what the network needs.
enum class memory_of_block : std::uint8_t { as_planned, for_small_tiles };

class wide_device : public testing::Test {
 protected:
  void SetUp() override {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
    ASSERT_EQ(cudaGetDeviceProperties(&facts_, 0), cudaSuccess);
  }

  void expect_scores_of_model(std::vector<std::uint32_t> const& widths, std::vector<std::uint32_t> const& counts,
                              memory_of_block memory = memory_of_block::as_planned) {
    auto const network = networks_.make_dense(widths);
    auto const outputs = network.ref().outputs();
    auto const width = wide_width_of(network.ref());
    auto shape =
        wide_shape_for(width, facts_.sharedMemPerBlockOptin, static_cast<unsigned>(facts_.multiProcessorCount));
    if (shape.blocks == 0) GTEST_SKIP() << "this GPU has too little shared memory for " << width << " inputs";
    if (memory == memory_of_block::for_small_tiles) {
      shape.shared = static_cast<std::uint32_t>(wide_bytes(width, least_wide_rows));
    }
    auto const most = *std::max_element(counts.begin(), counts.end());
    auto const bytes = networks_.any_bytes(std::size_t{most} * row_bytes);
    std::vector<std::int32_t> wanted(std::size_t{most} * outputs);
    model::evaluate(network.ref(), bytes.data(), most, wanted.data());

    managed<std::byte> held{network.bytes().size()};
    managed<std::int8_t> rows{bytes.size()};
    managed<std::int32_t> scores{wanted.size()};
    managed<wide_job> job{1};
    std::copy(network.bytes().begin(), network.bytes().end(), held.data());
    std::copy(bytes.begin(), bytes.end(), rows.data());
    for (auto const count : counts) {
      SCOPED_TRACE(count);
      std::fill_n(scores.data(), scores.size(), untouched);
      *job.data() = {model::network_ref{held.data()}, count};
      ASSERT_EQ(launch_wide(nullptr, {.job = job.data(),
                                      .rows = rows.data(),
                                      .scores = scores.data(),
                                      .most = most,
                                      .shared = shape.shared,
                                      .blocks = shape.blocks}),
                cudaSuccess);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      auto const end = std::size_t{count} * outputs;
      auto const at = static_cast<std::size_t>(
          std::mismatch(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(end), scores.data()).first -
          wanted.begin());
      ASSERT_EQ(at, end) << "row " << at / outputs << ", score " << at % outputs << ": " << scores.data()[at]
                         << " is not " << wanted[at];
      ASSERT_TRUE(std::all_of(scores.data() + end, scores.data() + scores.size(),
                              [](auto score) { return score == untouched; }));
    }
  }

  cudaDeviceProp facts_{};
  random_networks networks_{21};
};

TEST_F(wide_device, a_large_network_has_the_scores_of_the_model) {
  expect_scores_of_model({50, 512, 512, 256, 1}, {1, 31, 32, 33, 64, 65, 1000, 4096, 20'011});
}

TEST_F(wide_device, the_widest_network_has_the_scores_of_the_model) {
  expect_scores_of_model({64, 1024, 1024, 8}, {1, 63, 4095, 12'345});
}

TEST_F(wide_device, networks_of_odd_sizes_have_the_scores_of_the_model) {
  expect_scores_of_model({17, 33, 97, 3}, {1, 50, 20'000});
  expect_scores_of_model({1, 7, 130, 1}, {9, 20'000});
  expect_scores_of_model({64, 5}, {1, 20'000});
  expect_scores_of_model({63, 1000, 136, 1000, 2}, {77, 20'000});
  expect_scores_of_model({36, 129, 1, 129, 256}, {77, 20'000});
}

TEST_F(wide_device, random_networks_have_the_scores_of_the_model) {
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    std::vector<std::uint32_t> widths{networks_.below(row_bytes) + 1};
    for (auto n = networks_.below(6); n > 0; --n) widths.push_back(networks_.below(600) + 1);
    widths.push_back(networks_.below(8) + 1);
    expect_scores_of_model(widths, {networks_.below(300) + 1, 3000 + networks_.below(15'000)});
    if (HasFailure()) return;
  }
}

TEST_F(wide_device, small_tiles_take_over_where_shared_memory_is_short) {
  expect_scores_of_model({50, 512, 512, 256, 1}, {20'011}, memory_of_block::for_small_tiles);
  expect_scores_of_model({33, 65, 640, 8}, {20'011}, memory_of_block::for_small_tiles);
}

TEST_F(wide_device, rows_without_room_have_no_scores) {
  auto const network = networks_.make_dense(std::vector<std::uint32_t>{64, 200, 2});
  auto const shape = wide_shape_for(wide_width_of(network.ref()), facts_.sharedMemPerBlockOptin,
                                    static_cast<unsigned>(facts_.multiProcessorCount));
  auto const bytes = networks_.any_bytes(100 * row_bytes);
  managed<std::byte> held{network.bytes().size()};
  managed<std::int8_t> rows{bytes.size()};
  managed<std::int32_t> scores{200};
  managed<wide_job> job{1};
  std::copy(network.bytes().begin(), network.bytes().end(), held.data());
  std::copy(bytes.begin(), bytes.end(), rows.data());
  std::fill_n(scores.data(), scores.size(), untouched);
  *job.data() = {model::network_ref{held.data()}, 100};
  ASSERT_EQ(launch_wide(nullptr, {.job = job.data(),
                                  .rows = rows.data(),
                                  .scores = scores.data(),
                                  .most = 40,
                                  .shared = shape.shared,
                                  .blocks = shape.blocks}),
            cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<std::int32_t> wanted(80);
  model::evaluate(network.ref(), bytes.data(), 40, wanted.data());
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), scores.data()));
  EXPECT_TRUE(std::all_of(scores.data() + 80, scores.data() + 200, [](auto score) { return score == untouched; }));
}

}  // namespace
}  // namespace packetwarp::test::wide_device_tests
