// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A kernel posts writes that engine `roce` sends, by requesters of a CPU or of another kernel. Needs a GPU.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "gpu_ends.h"
#include "rdma/latency/gpu_pinger.h"

namespace packetwarp::rdma::roce {
namespace {

using namespace test;

class gpu_posts : public testing::Test {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU can be used here";
    (void)open_gpu(0);
  }
  static void expect_written(gpu_ends_settings const& settings, std::uint32_t iterations) {
    gpu_ends ends{settings};
    for (auto const& one : ends.post(iterations)) {
      EXPECT_EQ(one.status, work_status::done) << to_string(one.status);
      EXPECT_EQ(one.iterations, iterations);
    }
    ends.stop();
    EXPECT_EQ(ends.error(), "") << settings.bytes << " bytes";
    auto const writes = std::uint64_t{settings.queues} * settings.posts * iterations;
    auto const of_write = (settings.bytes + settings.how.mtu - 1) / settings.how.mtu;
    EXPECT_EQ(ends.initiator().queues.writes, writes);
    EXPECT_EQ(ends.responder().received.messages, writes);
    EXPECT_EQ(ends.responder().received.packets, writes * of_write);
    EXPECT_EQ(ends.responder().received.bytes, writes * settings.bytes);
    // A changed bit of a length makes a frame malformed, and one of an opcode makes it one of another type.
    auto const found = ends.responder();
    EXPECT_EQ(found.bad_icrc + found.malformed + found.of_another_type != 0, settings.wire.corrupted != 0);
    EXPECT_TRUE(settings.wire.lost == 0 || ends.initiator().sent.sent_again != 0);
  }
};

// Per thousand frames.
constexpr faults few{.lost = 10, .doubled = 10, .delayed = 10, .corrupted = 10};

TEST_F(gpu_posts, and_a_cpu_has_the_requesters) {
  for (std::uint32_t const bytes : {1U, 48U, 64U, 1000U, 4096U}) expect_written({.queues = 4, .bytes = bytes}, 20);
}
TEST_F(gpu_posts, and_a_cpu_sends_frames_again_that_a_wire_loses) {
  expect_written({.queues = 4, .bytes = 3000, .wire = few}, 20);
}
TEST_F(gpu_posts, and_a_kernel_has_the_requesters) {
  for (std::uint32_t const bytes : {1U, 3U, 48U, 64U, 1000U, 1024U, 1025U, 4096U})
    expect_written({.queues = 4, .bytes = bytes, .payload = memory_kind::device}, 20);
  for (std::uint32_t const bytes : {64U, 4096U, 10'000U})
    expect_written({.queues = 16,
                    .bytes = bytes,
                    .payload = memory_kind::device,
                    .how = {.mtu = 4096, .window = 64, .ask_every = 16}},
                   20);
}
TEST_F(gpu_posts, and_a_kernel_sends_frames_again_that_a_wire_loses) {
  expect_written({.queues = 4, .bytes = 3000, .payload = memory_kind::device, .wire = few}, 20);
}

TEST_F(gpu_posts, and_a_kernel_has_the_responders) {
  for (auto const payload : {memory_kind::pinned, memory_kind::device})
    for (std::uint32_t const bytes : {1U, 3U, 8U, 48U, 64U, 1000U, 1024U, 1025U, 4096U})
      expect_written({.queues = 4, .bytes = bytes, .payload = payload, .target = memory_kind::device}, 20);
  for (std::uint32_t const bytes : {64U, 4096U, 10'000U})
    expect_written({.queues = 16,
                    .bytes = bytes,
                    .payload = memory_kind::device,
                    .target = memory_kind::device,
                    .how = {.mtu = 4096, .window = 64, .ask_every = 16}},
                   20);
}
TEST_F(gpu_posts, and_a_kernel_answers_frames_of_a_wire_with_faults) {
  for (auto const payload : {memory_kind::pinned, memory_kind::device})
    expect_written({.queues = 4, .bytes = 3000, .payload = payload, .target = memory_kind::device, .wire = few}, 20);
}
TEST_F(gpu_posts, and_kernels_make_and_read_frames_in_two_pieces) {
  gpu_ends_settings settings{
      .queues = 4, .payload = memory_kind::device, .target = memory_kind::device, .pieces = frame_pieces::two};
  for (std::uint32_t const bytes : {1U, 3U, 4U, 8U, 9U, 24U, 64U, 1000U, 1024U, 1025U, 4096U}) {
    settings.bytes = bytes;
    expect_written(settings, 20);
  }
  settings.wire = few;
  settings.bytes = 3000;
  expect_written(settings, 20);
}
// Each end in two pieces beside one that knows whole frames.
TEST_F(gpu_posts, and_frames_in_two_pieces_are_a_cpus) {
  for (std::uint32_t const bytes : {1U, 24U, 64U, 4096U}) {
    expect_written({.queues = 4, .bytes = bytes, .payload = memory_kind::device, .pieces = frame_pieces::two}, 20);
    expect_written({.queues = 4, .bytes = bytes, .target = memory_kind::device, .pieces = frame_pieces::two}, 20);
  }
}
// A kernel at a time, beside which no other has to run: for compute-sanitizer, too, which is slow.
constexpr reliability patient{.window = 64, .ask_every = 16, .timeout_ns = 2'000'000'000};
constexpr reliability less_patient{.window = 64, .ask_every = 16, .timeout_ns = 200'000'000};
TEST_F(gpu_posts, or_a_cpu_does_and_a_kernel_has_the_requesters) {
  gpu_ends_settings settings{.queues = 2, .payload = memory_kind::device, .posting = initiator::cpu, .how = patient};
  for (auto const bytes : {1U, 64U, 1000U, 4096U}) {
    settings.bytes = bytes;
    expect_written(settings, 3);
  }
  settings.wire = few;
  settings.how = less_patient;
  expect_written(settings, 3);
}
TEST_F(gpu_posts, or_a_cpu_does_and_a_kernel_has_the_responders) {
  gpu_ends_settings settings{.queues = 2, .target = memory_kind::device, .posting = initiator::cpu, .how = patient};
  for (auto const bytes : {1U, 8U, 64U, 1000U, 4096U}) {
    settings.bytes = bytes;
    expect_written(settings, 3);
  }
  settings.wire = few;
  settings.how = less_patient;
  expect_written(settings, 3);
}
// A peer that dies costs its own connection, once its retries are over.
TEST_F(gpu_posts, and_a_queue_without_a_peer_fails_after_its_retries_while_another_goes_on) {
  for (auto const payload : {memory_kind::pinned, memory_kind::device}) {
    gpu_ends ends{{.queues = 2, .payload = payload, .dead_queue = 1}};
    auto const times = ends.post(20);
    EXPECT_EQ(times[0].status, work_status::done) << to_string(times[0].status);
    EXPECT_EQ(times[0].iterations, 20U);
    EXPECT_EQ(times[1].status, work_status::transport_retries_exceeded) << to_string(times[1].status);
    EXPECT_EQ(times[1].iterations, 0U);
    ends.stop();
    EXPECT_GE(ends.initiator().sent.timeouts, reliability{}.retries);
    EXPECT_EQ(ends.responder().received.messages, 20U * 128U);
  }
}
TEST_F(gpu_posts, and_a_kernel_refuses_a_wrong_rkey) {
  gpu_ends ends{{.payload = memory_kind::device, .target = memory_kind::device}};
  ends.remote.key ^= 1;
  auto const times = ends.post(5);
  EXPECT_EQ(times.front().status, work_status::remote_access_error);
  ends.stop();
  EXPECT_EQ(ends.responder().received.bytes, 0U);
  EXPECT_EQ(ends.responder().received.access_errors, 1U);
}

TEST_F(gpu_posts, and_a_wrong_rkey_ends_the_kernels_wait_with_the_targets_error) {
  for (auto const payload : {memory_kind::pinned, memory_kind::device}) {
    gpu_ends ends{{.payload = payload}};
    ends.remote.key ^= 1;
    auto const times = ends.post(5);
    EXPECT_EQ(times.front().status, work_status::remote_access_error);
    EXPECT_EQ(times.front().iterations, 0U);
    ends.stop();
    EXPECT_EQ(ends.responder().received.bytes, 0U);
  }
}

// The kernel of rdma-lat, and a peer that is a CPU: it sees a write's last byte, and stores the same number where the
// kernel looks for the answer. It answers `answered` of them.
ping_times ping(gpu_pinger& kernel, memory_kind payload, std::uint32_t iterations, std::uint32_t answered) {
  constexpr std::uint32_t bytes = 7;
  placed_memory const told{memory_kind::pinned, 0, 64};
  gpu_ends ends{{.posts = 1, .bytes = bytes, .payload = payload}};
  std::jthread const peer{[&](std::stop_token const& asked) {
    auto& answer = reinterpret_cast<std::uint8_t&>(told.data()[bytes - 1]);
    for (std::uint32_t n = 1; n <= answered && !asked.stop_requested();) {
      if (ends.target_byte(bytes - 1) != static_cast<std::uint8_t>(n)) continue;
      std::atomic_ref{answer}.store(static_cast<std::uint8_t>(n++), std::memory_order_release);
    }
  }};
  auto made = kernel.ping({.queue = ends.queue(0),
                           .told = reinterpret_cast<std::uint64_t>(told.data()) + bytes - 1,
                           .bytes = bytes,
                           .iterations = iterations,
                           .limit = {2'000'000'000}});
  ends.stop();
  EXPECT_EQ(ends.responder().received.messages, std::min(iterations, answered + 1));
  return made;
}

TEST_F(gpu_posts, and_waits_for_answers_to_each_write) {
  gpu_pinger kernel{0};
  for (auto const payload : {memory_kind::pinned, memory_kind::device}) {
    auto const times = ping(kernel, payload, 600, 600);
    EXPECT_EQ(times.status, work_status::done);
    EXPECT_EQ(times.between.size(), 599U);
    EXPECT_TRUE(std::all_of(times.between.begin(), times.between.end(), [](double ns) { return ns > 0; }));
  }
}

TEST_F(gpu_posts, and_does_not_wait_for_ever_for_a_peer_that_has_gone) {
  gpu_pinger kernel{0};
  auto const times = ping(kernel, memory_kind::pinned, 10, 3);
  EXPECT_EQ(times.status, work_status::waited_too_long);
  EXPECT_EQ(times.between.size(), 3U);
}

// The ICRC of a frame by zlib.
std::uint32_t icrc_by_zlib(std::span<std::byte const> frame) {
  std::vector<std::byte> bytes(8, std::byte{0xff});
  bytes.insert(bytes.end(), frame.begin() + ethernet_bytes, frame.end() - icrc_bytes);
  for (std::size_t const at : {1U, 8U, 10U, 11U, 26U, 27U, 32U}) bytes[8 + at] = std::byte{0xff};
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

// Each byte of a kernel's frames is that of a CPU's frame with the same fields and payload, and zlib has the same ICRC.
TEST_F(gpu_posts, and_a_kernels_frames_are_a_cpus_byte_by_byte) {
  for (std::uint32_t const bytes : {1U, 2U, 63U, 64U, 65U, 299U, 1023U, 4096U, 9001U}) {
    std::uint64_t frames = 0, wrong = 0;
    auto const look = [&](std::span<std::byte const> frame) {
      ++frames;
      auto const found = read_frame(frame.data(), frame.size());
      std::vector<std::byte> expected(frame_bytes(found.fields.code, found.payload_bytes));
      write_frame(expected.data(), gpu_ends::there, found.fields, found.payload, found.payload_bytes);
      bool const is_right = found.result == frame_result::ok && std::ranges::equal(expected, frame) &&
                            load_icrc(frame.data() + frame.size() - icrc_bytes) == icrc_by_zlib(frame);
      wrong += is_right ? 0 : 1;
    };
    expect_written({.queues = 3,
                    .bytes = bytes,
                    .payload = memory_kind::device,
                    .how = {.mtu = 4096, .window = 64, .ask_every = 16, .timeout_ns = 20'000'000},
                    .look = look},
                   8);
    EXPECT_EQ(wrong, 0U) << bytes;
    EXPECT_GE(frames, 3 * 128 * 8U);
  }
}

}  // namespace
}  // namespace packetwarp::rdma::roce
