// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/gpu.h"
#include "memory/table_memory.h"

namespace packetwarp {
namespace {

class gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (found_.empty()) GTEST_SKIP() << "no GPU here";
  }
  std::vector<gpu_facts> const found_{find_gpus()};
};

// The device's copy of some memory, byte by byte.
std::vector<std::byte> read_back(void const* memory, std::size_t size) {
  std::vector<std::byte> copy(size, std::byte{0xee});
  EXPECT_EQ(cudaMemcpy(copy.data(), memory, size, cudaMemcpyDefault), cudaSuccess);
  return copy;
}

TEST_F(gpu, tells_facts_that_make_sense) {
  for (std::size_t i = 0; i < found_.size(); ++i) {
    auto const& facts = found_[i];
    EXPECT_EQ(facts.index, static_cast<int>(i));
    EXPECT_FALSE(facts.name.empty());
    EXPECT_THAT(facts.pci_address, testing::MatchesRegex("[0-9a-fA-F]+:[0-9a-fA-F]+:[0-9a-fA-F]+\\.[0-7]"));
    EXPECT_THAT(facts.driver, testing::MatchesRegex("[0-9]+\\.[0-9]+"));
    EXPECT_THAT(facts.runtime, testing::MatchesRegex("[0-9]+\\.[0-9]+"));
    EXPECT_GE(facts.compute_major, 7);
    EXPECT_GT(facts.multiprocessors, 0);
    EXPECT_GT(facts.clock_khz, 100'000);
    EXPECT_GT(facts.memory_bytes, std::uint64_t{1} << 30);
  }
}

TEST_F(gpu, is_opened_by_its_index_as_often_as_asked) {
  for (int n = 0; n < 2; ++n) {
    auto const opened = open_gpu(found_.back().index);
    EXPECT_EQ(opened.name, found_.back().name);
    EXPECT_EQ(opened.pci_address, found_.back().pci_address);
    EXPECT_GT(opened.memory_free, 0u);
    EXPECT_LE(opened.memory_free, opened.memory_bytes);
  }
}

TEST_F(gpu, that_does_not_exist_is_refused_by_a_line_that_lists_those_that_do) {
  for (int const index : {-1, static_cast<int>(found_.size()), 4096}) {
    try {
      (void)open_gpu(index);
      ADD_FAILURE() << index << " was opened";
    } catch (usage_error const& wrong) {
      EXPECT_THAT(wrong.what(), testing::StartsWith("-g " + std::to_string(index) + ": there is no such GPU"));
      EXPECT_THAT(wrong.what(), testing::HasSubstr("0 (" + found_.front().name + ")"));
    }
  }
}

TEST_F(gpu, reads_pinned_memory_where_the_cpu_has_it) {
  (void)open_gpu(0);
  pinned_memory memory{0, 10'000};
  ASSERT_EQ(memory.bytes().size(), 10'000u);
  EXPECT_THAT(memory.bytes(), testing::Each(std::byte{0}));
  std::fill(memory.bytes().begin(), memory.bytes().end(), std::byte{0x5a});
  cudaPointerAttributes seen{};
  ASSERT_EQ(cudaPointerGetAttributes(&seen, memory.bytes().data()), cudaSuccess);
  EXPECT_EQ(seen.type, cudaMemoryTypeHost);
  EXPECT_EQ(seen.devicePointer, memory.bytes().data());
}

TEST_F(gpu, has_memory_of_its_own_that_starts_as_zeroes) {
  (void)open_gpu(0);
  device_memory const memory{0, 10'000};
  EXPECT_EQ(memory.size(), 10'000u);
  EXPECT_THAT(read_back(memory.data(), memory.size()), testing::Each(std::byte{0}));
}

TEST_F(gpu, refuses_memory_that_it_does_not_have_and_goes_on) {
  auto const facts = open_gpu(0);
  EXPECT_THROW((device_memory{0, facts.memory_bytes * 2}), failure);
  device_memory const memory{0, 4096};
  EXPECT_NE(memory.data(), nullptr);
}

TEST_F(gpu, memory_changes_hands) {
  (void)open_gpu(0);
  pinned_memory pinned{0, 4096};
  auto* const where = pinned.bytes().data();
  pinned_memory other{std::move(pinned)};
  EXPECT_EQ(other.bytes().data(), where);
  pinned = std::move(other);
  EXPECT_EQ(pinned.bytes().data(), where);
  device_memory device{0, 4096};
  auto* const there = device.data();
  device_memory const another{std::move(device)};
  EXPECT_EQ(another.data(), there);
}

TEST_F(gpu, sees_registered_memory_until_it_is_no_longer_registered) {
  (void)open_gpu(0);
  constexpr std::size_t size = 1 << 16;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(1 << 16, size));
  cudaPointerAttributes seen{};
  {
    memory_registration const registered{0, memory, size};
    ASSERT_EQ(cudaPointerGetAttributes(&seen, memory), cudaSuccess);
    EXPECT_EQ(seen.devicePointer, memory);
    EXPECT_THROW((memory_registration{0, memory, size}), failure) << "twice";
  }
  ASSERT_EQ(cudaPointerGetAttributes(&seen, memory), cudaSuccess);
  EXPECT_EQ(seen.type, cudaMemoryTypeUnregistered);
  std::free(memory);
}

TEST_F(gpu, table_memory_is_written_and_read_at_any_offset) {
  table_memory memory{{.gpu = 0}, 1 << 20};
  EXPECT_TRUE(memory.is_on_gpu());
  std::vector<std::byte> seen(memory.size(), std::byte{1});
  EXPECT_EQ(memory.read(0, seen), copied::done);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto b) { return b == std::byte{0}; }));
  std::vector<std::byte> const wanted(1000, std::byte{0x5a});
  memory.write(12345, wanted);
  EXPECT_EQ(memory.read(0, seen), copied::done);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), std::byte{0x5a}), 1000);
  EXPECT_EQ(seen[12345], std::byte{0x5a});
  EXPECT_EQ(seen[12345 + 999], std::byte{0x5a});
}

}  // namespace
}  // namespace packetwarp
