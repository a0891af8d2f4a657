// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The gpu engine and the threads that post to it as two blocks of one kernel. compute-sanitizer lets no two kernels run
// at a time, so it can check this kernel, and not the tests with a kernel for each. Needs a GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/gpu.h"
#include "posters.cuh"
#include "rdma/engine/block_engine.cuh"
#include "rdma/engine/engine_counters.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma::in_one_kernel {
namespace {

constexpr std::uint32_t threads = device::engine_threads;
constexpr std::uint32_t rounds = 130;  // indices of 16 bits wrap
constexpr std::uint64_t told = 0x0123'4567'89ab'cdef;
constexpr patience limit{60'000'000'000};  // checked code takes its time

enum class posters : std::uint8_t { threads, warps, block };

struct shared_work {
  queue_parts parts;
  region const* regions;
  std::uint32_t region_count;
  memory_place local, remote, signal;
  std::uint32_t* status;
  std::uint32_t* stop;
};

__device__ void post_all(posters how, shared_work const& work) {
  queue_pair_ref const queue{work.parts};
  auto const thread = threadIdx.x;
  auto const post = [&](auto const& group, std::uint32_t first, std::uint32_t count, queue_use use) {
    post_rounds(group, queue, work.local + first * posted_bytes, work.remote + first * posted_bytes, count, rounds, use,
                limit, work.status);
  };
  if (how == posters::threads) post(single_thread{}, thread, 1, queue_use::many_groups);
  if (how == posters::warps) post(whole_warp{}, thread / 32 * 32, 32, queue_use::many_groups);
  if (how == posters::block) post(whole_block{}, 0, threads, queue_use::one_group);
}

__device__ void post_signal(shared_work const& work) {
  queue_pair_ref const queue{work.parts};
  single_thread const one;
  auto const slots = queue.reserve(one, 1, queue_use::many_groups, limit);
  if (slots.count == 0) return;
  queue.post_signal(slots, 0, work.signal, told);
  queue.commit(one, slots);
  (void)queue.flush(one, slots, limit);
}

__global__ __launch_bounds__(threads) void serve_and_post(posters how, shared_work work) {
  __shared__ device::engine_room room;
  if (blockIdx.x == 0) {
    device::block_engine engine{work.parts,
                                region_table_ref{work.regions, work.region_count},
                                cuda::thread_scope_device,
                                cuda::thread_scope_device,
                                work.stop,
                                room};
    engine.run();
    return;
  }
  post_all(how, work);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (*work.status == 0) post_signal(work);
  detail::store(*work.stop, std::uint32_t{1});
}

class engine_in_one_kernel : public testing::TestWithParam<posters> {
 protected:
  static constexpr std::size_t size = std::size_t{threads} * posted_bytes;

  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU";
    (void)open_gpu(0);
  }
};

TEST_P(engine_in_one_kernel, writes_and_a_signal_arrive) {
  placed_memory source{memory_kind::device, 0, size}, target{memory_kind::device, 0, size + 64};
  placed_memory words{memory_kind::device, 0, 2 * sizeof(std::uint32_t)};
  std::vector<std::byte> sent(size), found(target.size());
  for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<std::byte>(i * 7 + i / 256);
  source.write(0, sent);
  target.write(0, found);
  words.write(0, std::vector<std::byte>(2 * sizeof(std::uint32_t)));
  region_table regions;
  auto const lkey = regions.add(source.data(), size, access::local_read);
  auto const rkey = regions.add(target.data(), size + sizeof told, access::remote_write);
  auto const bytes = std::as_bytes(regions.regions());
  placed_memory known{memory_kind::device, 0, bytes.size()};
  known.write(0, bytes);
  queue_pair const pair{
      {.size = 1024, .number = 3, .queue = memory_kind::device, .cursors = memory_kind::device, .gpu = 0}};
  auto* const word = reinterpret_cast<std::uint32_t*>(words.data());
  memory_place const remote{reinterpret_cast<std::uint64_t>(target.data()), rkey};
  serve_and_post<<<2, threads>>>(GetParam(), {.parts = pair.parts(),
                                              .regions = reinterpret_cast<region const*>(known.data()),
                                              .region_count = static_cast<std::uint32_t>(regions.regions().size()),
                                              .local = {reinterpret_cast<std::uint64_t>(source.data()), lkey},
                                              .remote = remote,
                                              .signal = remote + size,
                                              .status = word,
                                              .stop = word + 1});
  ASSERT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::uint32_t said = 0;
  words.read(0, std::as_writable_bytes(std::span{&said, 1}));
  EXPECT_EQ(said, 0U);
  target.read(0, found);
  EXPECT_EQ(std::memcmp(found.data(), sent.data(), size), 0);
  EXPECT_EQ(std::memcmp(found.data() + size, &told, sizeof told), 0);
  for (auto at = size + sizeof told; at < found.size(); ++at) ASSERT_EQ(found[at], std::byte{0}) << at;
}

INSTANTIATE_TEST_SUITE_P(posters, engine_in_one_kernel,
                         testing::Values(posters::threads, posters::warps, posters::block), [](auto const& one) {
                           return one.param == posters::threads ? "threads"
                                  : one.param == posters::warps ? "warps"
                                                                : "block";
                         });

}  // namespace
}  // namespace packetwarp::rdma::in_one_kernel
