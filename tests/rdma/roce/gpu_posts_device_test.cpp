// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A kernel posts writes that engine `roce` sends, and a CPU or a kernel makes the frames. Needs a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/sleep.h"
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
    // A changed bit of a length makes a frame malformed.
    EXPECT_EQ(ends.responder().bad_icrc + ends.responder().malformed != 0, settings.wire.corrupted != 0);
    EXPECT_TRUE(settings.wire.lost == 0 || ends.initiator().sent.sent_again != 0);
  }
};

constexpr faults few{.lost = 5, .doubled = 5, .delayed = 5, .corrupted = 5};

TEST_F(gpu_posts, and_a_cpu_makes_the_frames) {
  for (std::uint32_t const bytes : {1U, 48U, 64U, 1000U, 4096U}) expect_written({.queues = 4, .bytes = bytes}, 20);
}
TEST_F(gpu_posts, and_a_cpu_makes_the_frames_again_that_a_wire_loses) {
  expect_written({.queues = 4, .bytes = 3000, .wire = few}, 20);
}
TEST_F(gpu_posts, and_a_kernel_makes_the_frames) {
  for (std::uint32_t const bytes : {1U, 3U, 48U, 64U, 1000U, 1024U, 1025U, 4096U})
    expect_written({.queues = 4, .bytes = bytes, .payload = memory_kind::device}, 20);
  for (std::uint32_t const bytes : {64U, 4096U, 10'000U})
    expect_written({.queues = 16,
                    .bytes = bytes,
                    .payload = memory_kind::device,
                    .how = {.mtu = 4096, .window = 64, .ask_every = 16}},
                   20);
}
TEST_F(gpu_posts, and_a_kernel_makes_the_frames_again_that_a_wire_loses) {
  expect_written({.queues = 4, .bytes = 3000, .payload = memory_kind::device, .wire = few}, 20);
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

std::string in_hex(std::span<std::byte const> bytes) {
  std::string text;
  for (auto const byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

// Frames of all sizes, places of the payload and opcodes, between frames that the CPU makes because their payload is
// the requester's: in the order in which they were asked for, each byte as a CPU's.
TEST_F(gpu_posts, and_a_kernels_frames_are_a_cpus_byte_by_byte) {
  auto const bytes_of_payload = make_pattern(8192, 3);
  placed_memory const payload{memory_kind::device, 0, bytes_of_payload.size()};
  payload.write(0, bytes_of_payload);
  frame_ring ring{0};
  gpu_frame_maker maker{0};
  maker.start();
  constexpr opcode codes[] = {opcode::write_first, opcode::write_middle, opcode::write_last, opcode::write_only};
  std::vector<std::vector<std::byte>> expected;
  std::uint64_t compared = 0;
  auto const compare = [&](std::uint64_t until) {
    for (; compared < until; ++compared) {
      auto const found = ring.frame(compared, maker.lead());
      ASSERT_EQ(in_hex(found), in_hex(expected[compared])) << compared << " of " << until;
      ASSERT_EQ(load_icrc(found.data() + found.size() - icrc_bytes), icrc_by_zlib(found)) << compared;
    }
  };
  for (std::uint32_t n = 0; n < 20'000; ++n) {
    auto const bytes = n % 5 == 0 ? 4096 - n % 7 : n % 300;
    frame_plan plan{.path = {.source = {n}, .destination = {~n}, .port = static_cast<std::uint16_t>(0xc000 + n)},
                    .fields = {.code = codes[n % 4],
                               .queue_number = n * 3,
                               .asks_acknowledgement = static_cast<std::uint8_t>(n / 4 % 2),
                               .psn = n * 7,
                               .address = n * 0x1'0000'0001ULL,
                               .rkey = n,
                               .length = n * 5},
                    .bytes = bytes};
    auto const* const in_host = bytes_of_payload.data() + n % 61;
    bool const from_cpu = n % 11 == 0;
    plan.payload = from_cpu ? in_host : payload.data() + n % 61;
    plan.place = from_cpu ? payload_place::requester : payload_place::region;
    expected.emplace_back(plan.length());
    write_frame(expected.back().data(), plan.path, plan.fields, in_host, bytes);
    while ((maker.room() == 0 || n - compared >= frame_ring::rooms) && !HasFatalFailure()) compare(maker.poll());
    if (HasFatalFailure()) return;
    ring.set_length(n, plan.length());
    maker.ask(plan, ring.at(n, maker.lead()));
    if (n % 1000 < 3) compare(maker.poll());  // batches that are not full
    if (HasFatalFailure()) return;
  }
  for (int n = 0; compared < expected.size() && n < 10'000; ++n) {
    compare(maker.poll());
    if (HasFatalFailure()) return;
    sleep_for(std::chrono::milliseconds{1});
  }
  EXPECT_EQ(compared, expected.size());
}

}  // namespace
}  // namespace packetwarp::rdma::roce
