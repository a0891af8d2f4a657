// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Kernels post into the queues of a double of a ConnectX, which a CPU thread executes. Needs a GPU, and no NIC.
#include <fmt/format.h>
#include <unistd.h>

#include <future>

#include "gpu/gpu.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/mlx5/mlx5_fixture.h"

namespace packetwarp::rdma::test {
namespace {

class mlx5_device : public testing::Test {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU can be used here";
  }
  [[nodiscard]] std::unique_ptr<mlx5_end> open(software_hca& hca, endpoint_settings const& settings) {
    auto const own = std::shared_ptr<software_hca>{&hca, [](software_hca*) {}};
    return std::make_unique<mlx5_end>(
        settings, verbs_settings{},
        mlx5_machine{own, own, [&] { return make_cuda_access(0, settings.queues); }, {10'000'000'000}});
  }
  fabric network_;
};

TEST_F(mlx5_device, writes_of_a_kernel_arrive_and_its_doorbells_go_through_a_proxy_if_the_driver_maps_no_registers) {
  software_hca hca{network_, {}, {0x0a090001}};
  constexpr std::uint32_t bytes = 96;
  {
    endpoint_settings const settings{
        .queues = 8, .posts = 512, .area = 65536, .posting = initiator::gpu, .payload = memory_kind::host};
    auto const end = open(hca, settings);
    fmt::print("doorbell: {} {}\n", property(*end, "doorbell"), property(*end, "doorbell_reason"));
    end->connect(end->keys(), 4096);
    for (std::uint32_t n = 0; n < settings.queues; ++n) end->write_source(n, 0, make_pattern(settings.area, n + 1));
    // More entries than indices of 16 bits count.
    for (auto const& one : end->post({.bytes = bytes, .posts = settings.posts, .iterations = 140})) {
      EXPECT_EQ(one.status, work_status::done) << to_string(one.status);
      EXPECT_EQ(one.iterations, 140U);
    }
    for (std::uint32_t n = 0; n < settings.queues; ++n) {
      std::vector<std::byte> found(settings.area);
      end->read_target(n, found);
      auto expected = make_pattern(settings.area, n + 1);
      std::fill(expected.begin() + std::ptrdiff_t{bytes} * settings.posts, expected.end(), std::byte{0});
      EXPECT_EQ(first_difference(found, expected), expected.size()) << "queue " << n;
    }
    EXPECT_EQ(hca.counters().writes, 8U * 512 * 140);
    EXPECT_EQ(hca.counters().completion_overruns, 0U);
  }
  EXPECT_THAT(hca.held(), testing::IsEmpty());
  EXPECT_THAT(hca.violations(), testing::IsEmpty());
}

TEST_F(mlx5_device, kernels_of_two_ends_write_to_each_other_in_turn) {
  software_hca one{network_, {}, {0x0a090001}}, other{network_, {}, {0x0a090002}};
  {
    endpoint_settings const settings{.posts = 2, .area = 65536, .posting = initiator::gpu};
    auto const first = open(one, settings), second = open(other, settings);
    first->connect(second->keys(), 4096);
    second->connect(first->keys(), 4096);
    auto answering = std::async(std::launch::async, [&] { return second->ping(64, 1000, ping_side::answers); });
    auto const times = first->ping(64, 1000, ping_side::writes_first);
    auto const others = answering.get();
    ASSERT_TRUE(times && others);
    EXPECT_EQ(times->status, work_status::done) << to_string(times->status);
    EXPECT_EQ(others->status, work_status::done) << to_string(others->status);
    EXPECT_EQ(times->between.size(), 999U);
  }
  EXPECT_EQ(one.counters().writes, 1000U);
  EXPECT_EQ(other.counters().writes, 1000U);
}

TEST_F(mlx5_device, memory_of_a_gpu_is_exported_or_the_driver_says_why_not) {
  auto const gpu = make_cuda_access(0, 1);
  placed_memory const memory{gpu->payload_kind(), 0, 2 * gpu_page};
  std::string problem;
  auto const descriptor = gpu->export_memory(memory.data(), memory.size(), problem);
  EXPECT_EQ(descriptor >= 0, problem.empty()) << problem;
  fmt::print("dma-buf: {}\n", descriptor >= 0 ? "exported" : problem);
  if (descriptor >= 0) ::close(descriptor);
}

TEST_F(mlx5_device, a_page_that_is_no_registers_is_mapped_or_refused_in_words) {
  software_hca hca{network_, {}, {0x0a090001}};
  auto const gpu = make_cuda_access(0, 1);
  placed_memory const page{memory_kind::host, 0, 4096};
  std::string problem;
  auto* const mapped = gpu->map_registers(page.data(), page.size(), problem);
  EXPECT_EQ(mapped != nullptr, problem.empty()) << problem;
  if (mapped != nullptr) gpu->unmap_registers(page.data());
}

}  // namespace
}  // namespace packetwarp::rdma::test
