// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Writes into the memory of a second GPU, by engine `gpu` and by stores. Needs two GPUs that reach each other; tests of
// one GPU run with one.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/error.h"
#include "gpu/gpu.h"
#include "gpu/peer_access.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/bandwidth/write_test.h"
#include "rdma/direct_put.h"
#include "rdma/engine/gpu_engine.h"
#include "rdma/latency/pair_latency.h"
#include "rdma/queue_pair.h"
#include "rdma/target_gpu.h"

namespace packetwarp::rdma {
namespace {

constexpr patience wait_limit{5'000'000'000};

[[nodiscard]] bool can_reach(int gpu, int peer) {
  int possible = 0;
  return static_cast<int>(find_gpus().size()) > std::max(gpu, peer) &&
         cudaDeviceCanAccessPeer(&possible, gpu, peer) == cudaSuccess && possible != 0;
}

// The GPU with the target: 0 is the writing GPU itself.
class writing_to : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU";
    if (GetParam() != 0 && !(can_reach(0, GetParam()) && can_reach(GetParam(), 0)))
      GTEST_SKIP() << "no two GPUs that reach each other's memory";
    there = open_target_gpu(0, GetParam());
    back = open_target_gpu(GetParam(), 0);
    (void)cudaSetDevice(0);
  }
  peer_access there, back;
};

INSTANTIATE_TEST_SUITE_P(gpus, writing_to, testing::Values(0, 1),
                         [](auto const& one) { return one.param == 0 ? "the_same_gpu" : "a_second_gpu"; });

// Each run checks every byte of the target and those after it.
TEST_P(writing_to, every_byte_is_written_by_all_initiators_and_transports) {
  struct way {
    initiator posting;
    transport mover;
  };
  for (auto const& [posting, mover] : {way{initiator::cpu, transport::gpu}, way{initiator::gpu, transport::gpu},
                                       way{initiator::gpu, transport::store}}) {
    write_test test{
        {.queues = 3, .posts = 600, .largest = 4096, .posting = posting, .engine = mover, .target_gpu = GetParam()}};
    std::uint64_t writes = 0;
    for (std::uint32_t size : {1U, 4U, 8U, 16U, 24U, 48U, 64U, 65U, 100U, 264U, 512U, 1024U, 4095U, 4096U}) {
      EXPECT_EQ(test.run(size, 20).checked_bytes, 3ULL * 600 * size);
      writes += 3ULL * 600 * 20;
    }
    EXPECT_EQ(test.stop().writes, writes);
  }
}

TEST_P(writing_to, large_writes_of_few_posts_are_whole) {
  for (auto const mover : {transport::gpu, transport::store}) {
    write_test test{{.queues = 2,
                     .posts = 3,
                     .largest = 1 << 20,
                     .posting = initiator::gpu,
                     .engine = mover,
                     .target_gpu = GetParam()}};
    for (std::uint32_t size : {100'000U, 1U << 20, (1U << 20) - 1})
      EXPECT_EQ(test.run(size, 4).checked_bytes, 2ULL * 3 * size);
    (void)test.stop();
  }
}

TEST_P(writing_to, a_write_and_a_signal_there_and_back) {
  for (auto const way : {put_way::store, put_way::queue}) {
    pair_latency test{{.gpu = 0, .target_gpu = GetParam(), .way = way, .largest = 1 << 20}};
    for (std::uint32_t size : {1U, 8U, 17U, 1024U, 5000U, 1U << 20}) {
      auto const times = test.run(size, 50);
      EXPECT_EQ(times.between.size(), 49U) << size;
      for (auto const one : times.between) EXPECT_GT(one, 0);
    }
  }
}

enum class groups : std::uint8_t { thread, warp, block };

__global__ void put_all_places(groups which, std::byte* to, std::byte const* from, std::uint64_t bytes) {
  switch (which) {
    case groups::thread:
      if (threadIdx.x == 0) put(single_thread{}, to, from, bytes);
      break;
    case groups::warp:
      if (threadIdx.x < 32) put(whole_warp{}, to, from, bytes);
      break;
    case groups::block:
      put(whole_block{}, to, from, bytes);
      break;
  }
}

TEST_P(writing_to, puts_of_all_places_are_those_of_memcpy) {
  constexpr std::size_t room = 20'000;
  device_memory const source{0, room}, target{GetParam(), room};
  auto const sent = make_pattern(room, 9);
  source.write(0, sent);
  std::vector<std::byte> found(room);
  for (auto const which : {groups::thread, groups::warp, groups::block}) {
    for (std::size_t const to : {0, 1, 4, 8, 15}) {
      for (std::size_t const from : {0, 1, 7, 8, 12}) {
        for (std::size_t const bytes : {0, 1, 15, 16, 255, 4096, 17'001}) {
          std::vector<std::byte> expected(room, std::byte{0xee});
          target.write(0, expected);
          std::memcpy(expected.data() + to, sent.data() + from, bytes);
          (void)cudaSetDevice(0);
          put_all_places<<<1, 128>>>(which, target.data() + to, source.data() + from, bytes);
          ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
          target.read(0, found);
          ASSERT_EQ(first_difference(found, expected), room)
              << static_cast<int>(which) << " to " << to << " from " << from << ", " << bytes << " bytes";
        }
      }
    }
  }
}

constexpr std::uint32_t words = 1000;

// An end writes words that change with each round, and then a signal; the other end checks them.
__global__ void send_rounds(std::uint64_t* source, std::uint64_t* target, std::uint64_t* told_at,
                            std::uint64_t const* answer, std::uint32_t rounds, std::uint32_t* wrong) {
  whole_block const block;
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    for (auto i = threadIdx.x; i < words; i += blockDim.x) source[i] = n * words + i;
    block.sync();
    put_with_signal(block, target, source, words * sizeof *source, told_at, n);
    bool const has_come = threadIdx.x != 0 || await_signal(*answer, n, wait_limit);
    if (block.broadcast(has_come ? 1 : 0) == 0) {
      if (threadIdx.x == 0) atomicAdd(wrong, 1000);
      return;
    }
  }
}
__global__ void check_rounds(std::uint64_t const* target, std::uint64_t const* told, std::uint64_t* answer_at,
                             std::uint32_t rounds, std::uint32_t* wrong) {
  whole_block const block;
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    bool const has_come = threadIdx.x != 0 || await_signal(*told, n, wait_limit);
    if (block.broadcast(has_come ? 1 : 0) == 0) {
      if (threadIdx.x == 0) atomicAdd(wrong, 1000);
      return;
    }
    for (auto i = threadIdx.x; i < words; i += blockDim.x)
      if (target[i] != n * words + i) atomicAdd(wrong, 1);
    put_with_signal(block, nullptr, nullptr, 0, answer_at, n);
  }
}

[[nodiscard]] std::uint32_t read_word(device_memory const& from) {
  std::uint32_t word = 0;
  from.read(0, std::as_writable_bytes(std::span{&word, 1}));
  return word;
}

TEST_P(writing_to, a_receiver_that_sees_the_signal_sees_the_bytes) {
  constexpr std::uint32_t rounds = 2000;
  auto const other = GetParam();
  device_memory const source{0, words * 8}, target{other, words * 8}, told{other, 64}, answer{0, 64};
  device_memory const wrong{0, 64}, wrong_there{other, 64};
  cudaStream_t sending{}, checking{};
  (void)cudaSetDevice(other);
  ASSERT_EQ(cudaStreamCreateWithFlags(&checking, cudaStreamNonBlocking), cudaSuccess);
  check_rounds<<<1, 256, 0, checking>>>(
      reinterpret_cast<std::uint64_t const*>(target.data()), reinterpret_cast<std::uint64_t const*>(told.data()),
      reinterpret_cast<std::uint64_t*>(answer.data()), rounds, reinterpret_cast<std::uint32_t*>(wrong_there.data()));
  (void)cudaSetDevice(0);
  ASSERT_EQ(cudaStreamCreateWithFlags(&sending, cudaStreamNonBlocking), cudaSuccess);
  send_rounds<<<1, 256, 0, sending>>>(
      reinterpret_cast<std::uint64_t*>(source.data()), reinterpret_cast<std::uint64_t*>(target.data()),
      reinterpret_cast<std::uint64_t*>(told.data()), reinterpret_cast<std::uint64_t const*>(answer.data()), rounds,
      reinterpret_cast<std::uint32_t*>(wrong.data()));
  EXPECT_EQ(cudaStreamSynchronize(sending), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(checking), cudaSuccess);
  EXPECT_EQ(read_word(wrong), 0U);
  EXPECT_EQ(read_word(wrong_there), 0U);
  (void)cudaStreamDestroy(sending);
  (void)cudaStreamDestroy(checking);
}

// Two queues, each with a block that posts, on an engine of GPU 0. Queue 0 writes to GPU GetParam(), queue 1 within
// GPU 0.
struct queue_end {
  queue_parts parts;
  memory_place local, remote;
  std::uint32_t bytes;
};
__global__ void post_on_both(queue_end const* ends, std::uint32_t rounds, std::uint32_t* status) {
  auto const own = ends[blockIdx.x];
  queue_pair_ref const queue{own.parts};
  whole_block const block;
  for (std::uint32_t n = 0; n < rounds; ++n) {
    auto const slots = queue.reserve(block, blockDim.x, queue_use::one_group, wait_limit);
    queue.post_writes(block, slots, [&](std::uint32_t i) {
      return write_request{own.local + i * own.bytes, own.remote + i * own.bytes, own.bytes};
    });
    queue.commit(block, slots, release_to_device);
    auto const said = slots.count == 0 ? queue.status() : queue.flush(block, slots, wait_limit, acquire_from_device);
    if (threadIdx.x == 0) status[blockIdx.x] = static_cast<std::uint32_t>(said);
    if (said != work_status::done) return;
  }
}

class engine_writing_to : public writing_to {
 protected:
  static constexpr std::uint32_t posts = 128;
  static constexpr std::uint32_t bytes = 80;
  static constexpr std::size_t size = posts * bytes;

  void SetUp() override {
    writing_to::SetUp();
    if (IsSkipped()) return;
    source = device_memory{0, size};
    targets[0] = device_memory{GetParam(), size + 64};
    targets[1] = device_memory{0, size + 64};
    sent = make_pattern(size, 5);
    source.write(0, sent);
    status = device_memory{0, 2 * sizeof(std::uint32_t)};
    auto const lkey = regions.add(source.data(), size, access::local_read);
    for (std::uint32_t i = 0; i < 2; ++i) {
      pairs.emplace_back(queue_pair_settings{
          .size = 256, .number = i + 1, .queue = memory_kind::device, .cursors = memory_kind::device, .gpu = 0});
      auto const rkey = regions.add(targets[i].data(), size, access::remote_write);
      ends.push_back({pairs.back().parts(),
                      {reinterpret_cast<std::uint64_t>(source.data()), lkey},
                      {reinterpret_cast<std::uint64_t>(targets[i].data()), rkey},
                      bytes});
    }
  }
  // Both queues post; returns their status.
  std::vector<work_status> post(std::uint32_t rounds) {
    device_memory const given{0, ends.size() * sizeof(queue_end)};
    given.write(0, std::as_bytes(std::span{ends}));
    std::vector<queue_parts> const parts{ends[0].parts, ends[1].parts};
    gpu_engine engine{0, parts, regions.regions(), {cuda::thread_scope_device, cuda::thread_scope_system}};
    cudaStream_t stream{};
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    post_on_both<<<2, posts, 0, stream>>>(reinterpret_cast<queue_end const*>(given.data()), rounds,
                                          reinterpret_cast<std::uint32_t*>(status.data()));
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    (void)cudaStreamDestroy(stream);
    engine.stop();
    counters = engine.counters();
    std::vector<std::uint32_t> said(2);
    status.read(0, std::as_writable_bytes(std::span{said}));
    return {static_cast<work_status>(said[0]), static_cast<work_status>(said[1])};
  }
  void expect_written(device_memory const& target, std::size_t count) const {
    std::vector<std::byte> found(target.size()), expected(target.size());
    std::memcpy(expected.data(), sent.data(), count);
    target.read(0, found);
    EXPECT_EQ(first_difference(found, expected), expected.size());
  }
  // Queue 0 fails with its first write; the other queue's writes arrive.
  void expect_error(work_status error) {
    EXPECT_EQ(post(3), (std::vector{error, work_status::done}));
    EXPECT_EQ(counters.writes, 3U * posts);
    EXPECT_EQ(counters.flushed, posts - 1);
    expect_written(targets[0], 0);
    expect_written(targets[1], size);
  }

  device_memory source, targets[2], status;
  region_table regions;
  std::vector<queue_pair> pairs;
  std::vector<queue_end> ends;
  std::vector<std::byte> sent;
  engine_counters counters;
};

INSTANTIATE_TEST_SUITE_P(gpus, engine_writing_to, testing::Values(0, 1),
                         [](auto const& one) { return one.param == 0 ? "the_same_gpu" : "a_second_gpu"; });

TEST_P(engine_writing_to, two_queues_with_targets_of_their_own) {
  EXPECT_EQ(post(600), (std::vector{work_status::done, work_status::done}));
  EXPECT_EQ(counters.writes, 2U * 600 * posts);
  expect_written(targets[0], size);
  expect_written(targets[1], size);
}
TEST_P(engine_writing_to, a_wrong_rkey_writes_nothing) {
  ends[0].remote.key ^= 1;
  expect_error(work_status::remote_access_error);
  EXPECT_EQ(counters.access_errors, 1U);
}
TEST_P(engine_writing_to, a_region_that_may_only_be_read_is_not_written) {
  ends[0].remote.key = regions.add(targets[0].data(), size, access::local_read);
  expect_error(work_status::remote_access_error);
}
TEST_P(engine_writing_to, an_address_before_the_region_is_not_written) {
  ends[0].remote.address -= 1;
  expect_error(work_status::remote_access_error);
}
TEST_P(engine_writing_to, bytes_beyond_the_region_are_not_written) {
  ends[0].remote.address += 1;  // the last write of a round ends after the region
  EXPECT_EQ(post(1), (std::vector{work_status::remote_access_error, work_status::done}));
  EXPECT_EQ(counters.writes, 2U * posts - 1);
  std::vector<std::byte> found(targets[0].size()), expected(targets[0].size());
  std::memcpy(expected.data() + 1, sent.data(), size - bytes);
  targets[0].read(0, found);
  EXPECT_EQ(first_difference(found, expected), expected.size());
  expect_written(targets[1], size);
}
TEST_P(engine_writing_to, a_wrong_lkey_writes_nothing) {
  ends[0].local.key ^= 1;
  expect_error(work_status::local_protection_error);
  EXPECT_EQ(counters.protection_errors, 1U);
}

TEST(target_gpu, a_gpu_that_is_not_there_is_refused) {
  auto const count = static_cast<int>(find_gpus().size());
  if (count == 0) GTEST_SKIP() << "no GPU";
  EXPECT_THROW((void)open_target_gpu(0, count), usage_error);
  EXPECT_THROW((void)open_target_gpu(count, 0), usage_error);
  EXPECT_THROW((write_test{{.posting = initiator::gpu, .engine = transport::store, .target_gpu = count}}), usage_error);
}

}  // namespace
}  // namespace packetwarp::rdma
