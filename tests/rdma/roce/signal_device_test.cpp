// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A signal over RoCEv2: a kernel that polls it in GPU memory has the payload that was written before, also over wires
// with faults. Needs a GPU.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "gpu/cuda_check.h"
#include "gpu_ends.h"
#include "rdma/roce/signal_reader.h"

namespace packetwarp::rdma::roce {
namespace {

using namespace test;

constexpr std::uint32_t rounds = 200;

struct signal_case {
  std::uint32_t bytes;  // of a payload
  memory_kind payload;
  frame_pieces pieces;
  faults wire;
};

class signals_over_roce : public testing::TestWithParam<signal_case> {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU can be used here";
    (void)open_gpu(0);
  }
};

// Waits until the kernel has read a round; false if it has given up.
[[nodiscard]] bool await_round(std::uint32_t const& seen, std::uint32_t n) {
  for (auto const until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
       rdma::detail::load_acquire(seen) < n;) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_P(signals_over_roce, come_after_the_payload_before_them) {
  auto const& of = GetParam();
  // Calls that wait for the GPU, such as the first start of a kernel, come before the kernels that run until they are
  // told.
  placed_memory const said{memory_kind::pinned, 0, 2 * sizeof(std::uint32_t)};
  auto* const words = reinterpret_cast<std::uint32_t*>(said.data());
  cudaStream_t stream{};
  require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  require_cuda(read_signals({}, stream), "reading no signals");
  require_cuda(cudaStreamSynchronize(stream), "reading no signals");
  // Round n writes the n-th part of the source to the begin of the target. The signal lies in its last eight bytes.
  gpu_ends ends{{.posts = rounds + 1,
                 .bytes = of.bytes,
                 .payload = of.payload,
                 .target = memory_kind::device,
                 .posting = initiator::cpu,
                 .pieces = of.pieces,
                 .wire = of.wire}};
  auto const queue = ends.queue(0);
  queue_pair_ref const posts{queue.parts};
  auto const signal = queue.remote + std::uint64_t{rounds} * of.bytes;
  require_cuda(read_signals({.signal = reinterpret_cast<std::uint64_t const*>(signal.address),
                             .payload = reinterpret_cast<std::byte const*>(queue.remote.address),
                             .expected = reinterpret_cast<std::byte const*>(queue.local.address),
                             .bytes = of.bytes,
                             .rounds = rounds,
                             .seen = words,
                             .wrong = words + 1},
                            stream),
               "reading signals");
  std::uint32_t done = 0;
  for (std::uint32_t n = 1; n <= rounds && done == n - 1; ++n) {
    auto const slots = posts.reserve(single_thread{}, 2);
    posts.post_write(slots, 0, queue.local + std::uint64_t{n - 1} * of.bytes, queue.remote, of.bytes);
    posts.post_signal(slots, 1, signal, n);
    posts.commit(single_thread{}, slots);
    ASSERT_EQ(posts.flush(single_thread{}, slots, {10'000'000'000}), work_status::done);
    if (await_round(words[0], n)) done = n;
  }
  require_cuda(cudaStreamSynchronize(stream), "reading signals");
  ends.stop();
  (void)cudaStreamDestroy(stream);
  EXPECT_EQ(done, rounds) << "signals";
  EXPECT_EQ(words[1], 0U) << "bytes that were not there yet";
  EXPECT_EQ(ends.responder().received.messages, 2U * rounds);
  EXPECT_TRUE(of.wire.lost == 0 || ends.initiator().sent.sent_again != 0);
}

constexpr faults of_each_kind{.lost = 10, .doubled = 10, .delayed = 10, .corrupted = 10};

INSTANTIATE_TEST_SUITE_P(ways, signals_over_roce,
                         testing::Values(signal_case{64, memory_kind::pinned, frame_pieces::one, {}},
                                         signal_case{4096, memory_kind::pinned, frame_pieces::one, of_each_kind},
                                         signal_case{64, memory_kind::device, frame_pieces::one, of_each_kind},
                                         signal_case{4096, memory_kind::device, frame_pieces::one, {}},
                                         signal_case{4096, memory_kind::device, frame_pieces::two, {}},
                                         signal_case{10'000, memory_kind::device, frame_pieces::two, of_each_kind}),
                         [](auto const& one) {
                           return std::to_string(one.param.bytes) +
                                  (one.param.payload == memory_kind::device ? "_of_a_gpu" : "_of_a_cpu") +
                                  (one.param.pieces == frame_pieces::two ? "_in_two_pieces" : "") +
                                  (one.param.wire.lost != 0 ? "_with_faults" : "");
                         });

}  // namespace
}  // namespace packetwarp::rdma::roce
