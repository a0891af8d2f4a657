// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>

#include "function/detect/anomaly.h"
#include "gpu/gpu.h"

// The places of a window, when all packets of a GPU ask for one at once.
namespace packetwarp::detect_parts {
namespace {

constexpr unsigned blocks = 64, threads = 256, asked_by_each = 16;
constexpr epoch_number window = epoch_number{1} << window_bits;

// taken[0]: places of the earlier window; taken[1]: of the later one.
__global__ void ask(std::uint64_t* word, epoch_number earlier, epoch_number later, std::uint32_t most,
                    unsigned* taken) {
  bool const is_late = blockIdx.x % 2 != 0;
  for (unsigned n = 0; n < asked_by_each; ++n) {
    if (take_place(*word, is_late ? later : earlier, most)) atomicAdd(&taken[is_late ? 1 : 0], 1U);
  }
}

struct asked {
  std::uint64_t word;
  unsigned taken[2];
};

struct free_managed {
  void operator()(asked* memory) const { (void)cudaFree(memory); }
};

class window_places_on_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(&memory, sizeof(asked)), cudaSuccess);
    all_.reset(::new (memory) asked{});
  }
  asked const& ask_for(epoch_number earlier, epoch_number later, std::uint32_t most) {
    all_->taken[0] = all_->taken[1] = 0;
    ask<<<blocks, threads>>>(&all_->word, earlier, later, most, all_->taken);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return *all_;
  }

 private:
  std::unique_ptr<asked, free_managed> all_;
};

TEST_F(window_places_on_gpu, are_as_many_as_there_is_room_for) {
  for (epoch_number const number : {1U, 2U, 7U}) {
    auto const& found = ask_for(number * window, number * window + 1, 1000);
    EXPECT_EQ(found.taken[0] + found.taken[1], 1000U) << number;
  }
  auto const& more = ask_for(7 * window, 7 * window, 1000);
  EXPECT_EQ(more.taken[0] + more.taken[1], 0U);
}

TEST_F(window_places_on_gpu, are_for_all_where_there_is_room) {
  constexpr unsigned all = blocks * threads * asked_by_each;
  auto const& found = ask_for(window, window, all);
  EXPECT_EQ(found.taken[0] + found.taken[1], all);
}

// Packets of the earlier window may come before the first of the later one, or count in it.
TEST_F(window_places_on_gpu, are_those_of_two_windows_while_one_begins) {
  for (epoch_number number = 1; number < 200; number += 2) {
    auto const& found = ask_for(number * window, (number + 1) * window, 1000);
    EXPECT_GE(found.taken[0] + found.taken[1], 1000U);
    EXPECT_LE(found.taken[0] + found.taken[1], 2000U);
    EXPECT_LE(found.taken[1], 1000U);
    EXPECT_EQ(found.word >> 32, number + 1);
  }
}

}  // namespace
}  // namespace packetwarp::detect_parts
