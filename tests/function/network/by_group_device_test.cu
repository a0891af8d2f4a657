// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "executor/gpu/joint/warp_group.cuh"
#include "function/network/bounds.h"
#include "function/network/evaluate.h"
#include "function/network/exact_rows.h"
#include "model/evaluate.h"
#include "model/random_networks.h"

namespace packetwarp::test::network_device_tests {
namespace {

using model::row_bytes;
using model::test::random_networks;

constexpr unsigned warps = 16;
constexpr unsigned rounds = 190;
// Groups of 1, 2, ... 32 packets, and again: more than 10^5 rows.
constexpr unsigned groups = rounds * joint_packets;
constexpr unsigned rows_per_round = joint_packets * (joint_packets + 1) / 2;
constexpr unsigned all_rows = rounds * rows_per_round;

[[nodiscard]] __device__ unsigned first_row_of(unsigned group) {
  auto const within = group % joint_packets;
  return group / joint_packets * rows_per_round + within * (within + 1) / 2;
}

struct as_stages_do {
  static __device__ void evaluate(auto const& group, model::network_ref network, network_room& room) {
    evaluate_by_group(group, network, room);
  }
};
// The same on GPUs before compute capability 8.0, by instructions that later ones have too.
struct as_on_turing {
  static __device__ void evaluate(auto const& group, model::network_ref network, network_room& room) {
    network_parts::evaluate_by_warp(network_parts::turing_matrix_unit{}, group, network, room);
    group.sync();
  }
};

template <class How>
__global__ __launch_bounds__(warps * 32) void score_groups(model::network_ref network, std::uint32_t const* rows,
                                                           std::int32_t* scores, std::uint8_t* classes) {
  __shared__ network_room rooms[warps];
  auto& room = rooms[threadIdx.x / 32];
  auto const lane = threadIdx.x % 32;
  for (unsigned n = blockIdx.x * warps + threadIdx.x / 32; n < groups; n += gridDim.x * warps) {
    auto const packets = n % joint_packets + 1;
    auto const row = first_row_of(n) + lane;
    bool const is_there = lane < packets;
    for (unsigned i = 0; i < row_words; ++i) {
      network_row{room, lane}.word(i) = is_there ? rows[row * row_words + i] : 0xa5a5a5a5U * (n + i);
    }
    __syncwarp();
    How::evaluate(device::warp_group{packets}, network, room);
    if (is_there) {
      for (unsigned o = 0; o < most_scores_by_group; ++o) {
        scores[row * most_scores_by_group + o] = score_of(lane, room, o);
      }
      classes[row] = static_cast<std::uint8_t>(class_of(lane, room));
    }
    __syncwarp();
  }
}

// The scores of rows without a gap, in groups of 32; the last one has fewer.
__global__ __launch_bounds__(warps * 32) void score_rows(model::network_ref network, std::uint32_t const* rows,
                                                         unsigned count, std::int32_t* scores) {
  __shared__ network_room rooms[warps];
  auto& room = rooms[threadIdx.x / 32];
  auto const lane = threadIdx.x % 32;
  auto const outputs = network.outputs();
  for (unsigned begin = (blockIdx.x * warps + threadIdx.x / 32) * joint_packets; begin < count;
       begin += gridDim.x * warps * joint_packets) {
    auto const packets = count - begin < joint_packets ? count - begin : joint_packets;
    for (unsigned i = 0; lane < packets && i < row_words; ++i) {
      network_row{room, lane}.word(i) = rows[(begin + lane) * row_words + i];
    }
    __syncwarp();
    evaluate_by_group(device::warp_group{packets}, network, room);
    for (unsigned o = 0; lane < packets && o < outputs; ++o) {
      scores[(begin + lane) * outputs + o] = score_of(lane, room, o);
    }
    __syncwarp();
  }
}

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
  [[nodiscard]] std::vector<T> copy() const { return std::vector<T>(data_, data_ + count_); }

 private:
  std::size_t count_;
  T* data_{};
};

class network_device : public testing::Test {
 protected:
  void SetUp() override {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
  }

  template <class How>
  void expect_scores_of_model(model::integer_network const& network) {
    ASSERT_FALSE(why_not_by_group(network.ref(), group_kind::warp));
    auto const bytes = networks_.any_bytes(std::size_t{all_rows} * row_bytes);
    managed<std::byte> held{network.bytes().size()};
    managed<std::uint32_t> rows{std::size_t{all_rows} * row_words};
    managed<std::int32_t> scores{std::size_t{all_rows} * most_scores_by_group};
    managed<std::uint8_t> classes{all_rows};
    std::copy(network.bytes().begin(), network.bytes().end(), held.data());
    std::memcpy(rows.data(), bytes.data(), bytes.size());
    score_groups<How><<<40, warps * 32>>>(model::network_ref{held.data()}, rows.data(), scores.data(), classes.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);

    auto const outputs = network.ref().outputs();
    std::vector<std::int32_t> wanted(std::size_t{all_rows} * outputs);
    model::evaluate(network.ref(), bytes.data(), all_rows, wanted.data());
    std::vector<std::int32_t> padded(std::size_t{all_rows} * most_scores_by_group, no_score);
    std::vector<std::uint8_t> best(all_rows);
    for (std::size_t row = 0; row < all_rows; ++row) {
      auto const* const of_row = wanted.data() + row * outputs;
      std::copy_n(of_row, outputs, padded.begin() + static_cast<std::ptrdiff_t>(row * most_scores_by_group));
      best[row] = static_cast<std::uint8_t>(std::max_element(of_row, of_row + outputs) - of_row);
    }
    EXPECT_TRUE(scores.copy() == padded) << "first differing row: " << first_difference(scores.copy(), padded);
    EXPECT_TRUE(classes.copy() == best);
  }
  [[nodiscard]] static std::size_t first_difference(std::vector<std::int32_t> const& left,
                                                    std::vector<std::int32_t> const& right) {
    auto const at = std::mismatch(left.begin(), left.end(), right.begin()).first;
    return static_cast<std::size_t>(at - left.begin()) / most_scores_by_group;
  }

  random_networks networks_{11};
};

TEST_F(network_device, warps_have_the_scores_of_the_model_for_dense_networks) {
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    expect_scores_of_model<as_stages_do>(networks_.make_dense(6, most_width_by_warp, most_scores_by_group));
    if (HasFailure()) return;
  }
}

TEST_F(network_device, warps_have_the_scores_of_the_model_at_each_number_of_blocks) {
  for (std::uint32_t const width : {1U, 8U, 31U, 32U, 33U, 64U, 65U, 72U, 96U, 97U, 120U, 128U}) {
    SCOPED_TRACE(width);
    std::vector<std::uint32_t> const widths{row_bytes, width, most_scores_by_group};
    expect_scores_of_model<as_stages_do>(networks_.make_dense(widths));
    if (HasFailure()) return;
  }
}

TEST_F(network_device, warps_have_the_scores_of_the_model_for_trees) {
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    expect_scores_of_model<as_stages_do>(
        networks_.make_trees(networks_.below(60) + 1, networks_.below(10), networks_.below(most_scores_by_group) + 1));
    if (HasFailure()) return;
  }
}

// PACKETWARP_EXACT_ROWS: how many rows.
TEST_F(network_device, warps_have_the_scores_of_scalar_code_for_many_rows) {
  for (auto const& [name, network] : exact_networks()) {
    SCOPED_TRACE(name);
    auto const outputs = network.ref().outputs();
    managed<std::byte> held{network.bytes().size()};
    managed<std::uint32_t> rows{exact_rows::piece_rows * row_words};
    managed<std::int32_t> scores{exact_rows::piece_rows * outputs};
    std::copy(network.bytes().begin(), network.bytes().end(), held.data());
    exact_rows all{exact_count(200'000)};
    for (auto bytes = all.next(); !bytes.empty(); bytes = all.next()) {
      auto const count = static_cast<unsigned>(bytes.size() / row_bytes);
      std::memcpy(rows.data(), bytes.data(), bytes.size());
      score_rows<<<64, warps * 32>>>(model::network_ref{held.data()}, rows.data(), count, scores.data());
      auto const wanted = scores_by(model::instruction_set::scalar, network.ref(), bytes);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), scores.data()));
    }
  }
}

TEST_F(network_device, older_tensor_cores_have_the_scores_of_the_model) {
  for (int i = 0; i < 8; ++i) {
    SCOPED_TRACE(i);
    expect_scores_of_model<as_on_turing>(networks_.make_dense(6, most_width_by_warp, most_scores_by_group));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace packetwarp::test::network_device_tests
