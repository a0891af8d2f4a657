// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A GPU's threads post; the host engine or the gpu engine executes. Needs a GPU.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "../../examples/rdma-writes/write_bandwidth.cu"
#include "gpu/gpu.h"
#include "posters.cuh"
#include "rdma/bandwidth/write_test.h"
#include "rdma/engine/gpu_engine.h"
#include "rdma/engine/host_engine.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t bytes = posted_bytes;
constexpr patience limit{5'000'000'000};

// How threads post.
enum class posters : std::uint8_t { threads, warps, block, cooperative_block };

__global__ void post_as(posters how, queue_parts parts, memory_place local, memory_place remote, std::uint32_t rounds,
                        std::uint32_t* status) {
  queue_pair_ref const queue{parts};
  auto const thread = threadIdx.x;
  switch (how) {
    case posters::threads:
      post_rounds(single_thread{}, queue, local + thread * bytes, remote + thread * bytes, 1, rounds,
                  queue_use::many_groups, limit, status);
      break;
    case posters::warps:
      post_rounds(whole_warp{}, queue, local + thread / 32 * 32 * bytes, remote + thread / 32 * 32 * bytes, 32, rounds,
                  queue_use::many_groups, limit, status);
      break;
    case posters::block:
      post_rounds(whole_block{}, queue, local, remote, blockDim.x, rounds, queue_use::one_group, limit, status);
      break;
    case posters::cooperative_block:
      post_rounds(cooperative_groups::this_thread_block(), queue, local, remote, blockDim.x, rounds,
                  queue_use::one_group, limit, status);
      break;
  }
}

// Writes, then a signal of the round; another block polls the signal, and checks the bytes that it has seen then.
__global__ void write_and_signal(queue_parts parts, memory_place local, memory_place remote, memory_place signal,
                                 std::uint64_t* source, std::uint64_t const* target, std::uint32_t rounds,
                                 std::uint32_t* wrong) {
  auto const* const told = reinterpret_cast<std::uint64_t const*>(signal.address);
  queue_pair_ref const queue{parts};
  single_thread const one;
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    if (blockIdx.x == 0) {
      *source = n * 3;
      auto const slots = queue.reserve(one, 2, queue_use::one_group, limit);
      if (slots.count == 0) return;
      queue.post_write(slots, 0, local, remote, sizeof *source);
      queue.post_signal(slots, 1, signal, n);
      queue.commit(one, slots);
      if (queue.flush(one, slots, limit) != work_status::done) return;
    } else {
      auto const began = detail::now_ns();
      while (detail::load(*told) < n) {
        if (detail::now_ns() - began > limit.nanoseconds) {
          atomicAdd(wrong, 1000);
          return;
        }
      }
      detail::load_fence(acquire_from_system);
      if (detail::load(*target) < n * 3) atomicAdd(wrong, 1);
    }
  }
}

class posting_by_gpu : public testing::TestWithParam<transport> {
 protected:
  static constexpr std::uint32_t threads = 128;

  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU";
    (void)open_gpu(0);
    bool const in_gpu = GetParam() == transport::gpu;
    auto const payload = in_gpu ? memory_kind::device : memory_kind::pinned;
    source = placed_memory{payload, 0, 65536};
    target = placed_memory{payload, 0, 65536};
    status = placed_memory{memory_kind::device, 0, sizeof(std::uint32_t)};
    local = {reinterpret_cast<std::uint64_t>(source.data()),
             regions.add(source.data(), source.size(), access::local_read)};
    remote = {reinterpret_cast<std::uint64_t>(target.data()),
              regions.add(target.data(), target.size(), access::remote_write)};
    sent.resize(source.size());
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::byte>(i * 7 + 1);
    source.write(0, sent);
    pair = std::make_unique<queue_pair>(queue_pair_settings{.size = 256,
                                                            .number = 3,
                                                            .queue = in_gpu ? memory_kind::device : memory_kind::pinned,
                                                            .cursors = memory_kind::device,
                                                            .gpu = 0});
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    on_gpu.reset();
    if (stream != nullptr) (void)cudaStreamDestroy(stream);
  }
  void start_engine() {
    std::vector<queue_parts> const parts{pair->parts()};
    if (GetParam() == transport::gpu) {
      on_gpu = std::make_unique<gpu_engine>(0, parts, regions.regions(), cuda::thread_scope_device);
    } else {
      on_host = std::make_unique<host_engine>(parts, regions.ref());
    }
  }
  engine_counters stop_engine() {
    if (on_gpu) {
      on_gpu->stop();
      return on_gpu->counters();
    }
    on_host->stop();
    return on_host->counters();
  }
  void post(posters how, std::uint32_t rounds) {
    post_as<<<1, threads, 0, stream>>>(how, pair->parts(), local, remote, rounds,
                                       reinterpret_cast<std::uint32_t*>(status.data()));
    ASSERT_EQ(cudaGetLastError(), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  [[nodiscard]] std::uint32_t read_status() const {
    std::uint32_t said = 0;
    status.read(0, std::as_writable_bytes(std::span{&said, 1}));
    return said;
  }
  void expect_written(std::size_t count) const {
    std::vector<std::byte> found(target.size());
    target.read(0, found);
    EXPECT_EQ(std::memcmp(found.data(), sent.data(), count), 0);
    for (auto at = count; at < found.size(); ++at) ASSERT_EQ(found[at], std::byte{0}) << at;
  }
  void expect_posted(posters how) {
    start_engine();
    constexpr std::uint32_t rounds = 600;  // indices of 16 bits wrap
    post(how, rounds);
    EXPECT_EQ(read_status(), 0U);
    auto const counters = stop_engine();
    EXPECT_EQ(counters.writes, rounds * threads);
    EXPECT_EQ(counters.bytes, std::uint64_t{rounds} * threads * bytes);
    EXPECT_EQ(counters.completion_overruns, 0U);
    expect_written(threads * bytes);
  }

  placed_memory source, target, status;
  region_table regions;
  memory_place local, remote;
  std::vector<std::byte> sent;
  std::unique_ptr<queue_pair> pair;
  std::unique_ptr<host_engine> on_host;
  std::unique_ptr<gpu_engine> on_gpu;
  cudaStream_t stream{};
};

TEST_P(posting_by_gpu, threads_share_a_queue) { expect_posted(posters::threads); }
TEST_P(posting_by_gpu, warps_share_a_queue) { expect_posted(posters::warps); }
TEST_P(posting_by_gpu, a_block_has_a_queue) { expect_posted(posters::block); }
TEST_P(posting_by_gpu, a_cooperative_group_is_a_group) { expect_posted(posters::cooperative_block); }

TEST_P(posting_by_gpu, the_example_writes) {
  start_engine();
  placed_memory const given{memory_kind::pinned, 0, sizeof(queue_parts)};
  std::memcpy(given.data(), &pair->parts(), sizeof(queue_parts));
  write_bandwidth<<<1, threads, 0, stream>>>(reinterpret_cast<queue_parts const*>(given.data()), local, remote, bytes,
                                             50);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(stop_engine().writes, 50U * threads);
  expect_written(threads * bytes);
}

TEST_P(posting_by_gpu, a_wrong_rkey_is_an_error_and_the_rest_is_flushed) {
  start_engine();
  remote.key ^= 1;
  post(posters::block, 1);
  EXPECT_EQ(read_status(), post_failed + static_cast<std::uint32_t>(work_status::remote_access_error));
  auto const counters = stop_engine();
  EXPECT_EQ(counters.access_errors, 1U);
  EXPECT_EQ(counters.flushed, threads - 1);
  EXPECT_EQ(counters.writes, 0U);
  expect_written(0);
}

TEST_P(posting_by_gpu, a_signal_is_seen_after_earlier_writes) {
  placed_memory const wrong{memory_kind::device, 0, sizeof(std::uint32_t)};
  start_engine();
  write_and_signal<<<2, 1, 0, stream>>>(
      pair->parts(), local, remote, remote + 4096, reinterpret_cast<std::uint64_t*>(source.data()),
      reinterpret_cast<std::uint64_t const*>(target.data()), 500, reinterpret_cast<std::uint32_t*>(wrong.data()));
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(stop_engine().writes, 1000U);
  std::uint32_t said = 0;
  wrong.read(0, std::as_writable_bytes(std::span{&said, 1}));
  EXPECT_EQ(said, 0U);
}

INSTANTIATE_TEST_SUITE_P(engines, posting_by_gpu, testing::Values(transport::host, transport::gpu),
                         [](auto const& one) { return one.param == transport::gpu ? "gpu" : "host"; });

// Every initiator with every engine, aligned and unaligned sizes, small and large; each run checks every byte.
TEST(write_test_on_gpu, all_pairs_of_initiator_and_transport) {
  if (find_gpus().empty()) GTEST_SKIP() << "no GPU";
  for (auto const posting : {initiator::cpu, initiator::gpu}) {
    for (auto const engine : {transport::host, transport::gpu}) {
      if (posting == initiator::cpu && engine == transport::host) continue;
      write_test test{{.queues = 3, .posts = 600, .largest = 4096, .posting = posting, .engine = engine}};
      std::uint64_t writes = 0;
      for (std::uint32_t size : {1U, 16U, 48U, 64U, 65U, 100U, 1024U, 4095U, 4096U}) {
        EXPECT_EQ(test.run(size, 20).checked_bytes, 3ULL * 600 * size);
        writes += 3ULL * 600 * 20;
      }
      EXPECT_EQ(test.stop().writes, writes);
    }
  }
}

}  // namespace
}  // namespace packetwarp::rdma
