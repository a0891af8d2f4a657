// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A GPU's threads make and read RoCEv2 frames, and respond to requests, as a CPU does. Needs a GPU.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/queue_pair.h"
#include "rdma/roce/frame.h"
#include "rdma/roce/responder.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t frames = 256, room = 512;
constexpr std::uint32_t first_psn = 0xff'ff80;

// Frame n has n bytes of payload, and asks for an acknowledgement if n is even.
HOST_DEVICE std::uint32_t make(std::byte* at, std::uint32_t n, std::uint64_t address) {
  std::byte payload[frames]{};
  for (std::uint32_t i = 0; i < n; ++i) payload[i] = static_cast<std::byte>(i * 3 + n);
  packet_fields const fields{.queue_number = 9,
                             .asks_acknowledgement = static_cast<std::uint8_t>(n % 2 == 0 ? 1 : 0),
                             .psn = first_psn + n,
                             .address = address,
                             .rkey = 0x5a,
                             .length = n};
  write_frame(at, {.source = {1}, .destination = {2}}, fields, payload, n);
  return static_cast<std::uint32_t>(frame_bytes(fields.code, n));
}

__global__ void make_all(std::byte* at, std::uint32_t* bytes, std::uint64_t address) {
  bytes[threadIdx.x] = make(at + threadIdx.x * room, threadIdx.x, address);
}

// A sum over a responder's answers to all frames in order.
HOST_DEVICE std::uint64_t respond(std::byte const* at, std::uint32_t const* bytes, region const& target) {
  responder one{first_psn, 256};
  std::uint64_t sum = 0;
  for (std::uint32_t n = 0; n < frames; ++n) {
    auto const frame = read_frame(at + n * room, bytes[n]);
    if (frame.result != frame_result::ok) return 0;
    auto const verdict = one.take(frame.fields, frame.payload_bytes, {&target, 1});
    sum = sum * 31 + static_cast<std::uint64_t>(verdict.answer) + verdict.psn + verdict.message_number + verdict.bytes +
          static_cast<std::uint64_t>(frame.payload_bytes == 0 ? 0 : static_cast<unsigned>(frame.payload[0]));
  }
  return sum;
}

__global__ void respond_to_all(std::byte const* at, std::uint32_t const* bytes, region target, std::uint64_t* sum) {
  *sum = respond(at, bytes, target);
}

TEST(roce_on_a_gpu, frames_and_answers_are_a_cpus) {
  if (find_gpus().empty()) GTEST_SKIP() << "no GPU can be used here";
  (void)open_gpu(0);
  constexpr std::uint64_t address = 0x10000;
  region const target{address, frames, 0x5a, access::remote_write};
  std::vector<std::byte> expected(frames * room);
  std::vector<std::uint32_t> lengths(frames);
  for (std::uint32_t n = 0; n < frames; ++n) lengths[n] = make(expected.data() + n * room, n, address);
  placed_memory const made{memory_kind::device, 0, expected.size()};
  placed_memory const bytes{memory_kind::device, 0, frames * sizeof(std::uint32_t)};
  placed_memory const sum{memory_kind::device, 0, sizeof(std::uint64_t)};
  made.write(0, std::vector<std::byte>(expected.size()));
  auto* const at = made.data();
  auto* const length_at = reinterpret_cast<std::uint32_t*>(bytes.data());
  make_all<<<1, frames>>>(at, length_at, address);
  respond_to_all<<<1, 1>>>(at, length_at, target, reinterpret_cast<std::uint64_t*>(sum.data()));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::vector<std::byte> found(expected.size());
  made.read(0, found);
  EXPECT_EQ(found, expected);
  std::uint64_t said = 0;
  sum.read(0, std::as_writable_bytes(std::span{&said, 1}));
  EXPECT_NE(said, 0U);
  EXPECT_EQ(said, respond(expected.data(), lengths.data(), target));
}

}  // namespace
}  // namespace packetwarp::rdma::roce
