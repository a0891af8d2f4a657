// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// RoCEv2 frames of writes that a GPU posts. Prints one line per measurement.
//   alone: a CPU thread asks the kernel for frames, and no state machine decides which.
//   engine: a kernel posts, and one or more CPU threads run an engine each, which asks the kernel, or makes the frames
//   by itself. The wire is in the process: it reads the transport header of each frame and acknowledges it; nothing
//   reads the payload. The bytes are checked by rdma_device_test, not here.
// Needs a GPU.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/bandwidth/write_test.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/frame_maker.h"
#include "rdma/roce/gpu_frame_maker.h"
#include "rdma/roce/roce_engine.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::size_t rooms = 4096, room_bytes = 4352;
constexpr std::uint32_t posts = 512, mtu = 4096, queues_per_thread = 32, first_number = 0x100;
constexpr frame_path there{.source_mac = wire::mac_address::from_number(2),
                           .destination_mac = wire::mac_address::from_number(4),
                           .source = {0x0a00'0001},
                           .destination = {0x0a00'0002}};
constexpr frame_path back{.source_mac = there.destination_mac,
                          .destination_mac = there.source_mac,
                          .source = there.destination,
                          .destination = there.source};

enum class making : std::uint8_t { by_cpu, by_gpu };

// A thread's engine, its queues, and the wire that acknowledges.
class sender {
 public:
  sender(making how, std::uint32_t bytes, std::uint32_t first_queue)
      : bytes_{bytes},
        source_{how == making::by_gpu ? memory_kind::device : memory_kind::pinned, 0,
                std::size_t{queues_per_thread} * posts * bytes},
        frames_{0, rooms * room_bytes} {
    local_ = {reinterpret_cast<std::uint64_t>(source_.data()),
              regions_.add(source_.data(), source_.size(), access::local_read)};
    if (how == making::by_gpu) on_gpu_ = std::make_unique<gpu_frame_maker>(0);
    engine_.emplace(regions_.ref());
    for (std::uint32_t n = 0; n < queues_per_thread; ++n) {
      auto const number = first_number + first_queue + n;
      queues_.push_back(std::make_unique<queue_pair>(queue_pair_settings{
          .size = 2 * posts, .number = number, .queue = memory_kind::pinned, .cursors = memory_kind::device}));
      engine_->add({.local_number = number,
                    .remote_number = n,
                    .path = there,
                    .how = {.mtu = mtu, .window = 128, .ask_every = 32, .timeout_ns = 1'000'000'000}},
                   &queues_.back()->parts());
      numbers_.push_back(number);
    }
  }
  void add_to(std::vector<posted_queue>& all) const {
    for (std::uint32_t n = 0; n < queues_per_thread; ++n)
      all.push_back({queues_[n]->parts(), local_ + std::uint64_t{n} * posts * bytes_, {0x10000, 1}});
  }
  // Once all memory of all senders is there.
  void start() {
    if (on_gpu_) on_gpu_->start();
    maker_ = on_gpu_ ? static_cast<frame_maker*>(on_gpu_.get()) : &on_cpu_;
    thread_ = std::jthread{[this](std::stop_token const& asked) { run(asked); }};
  }

  // Before any sender's memory is freed.
  void stop() {
    thread_ = {};
    if (on_gpu_) on_gpu_->stop();
  }

 private:
  void run(std::stop_token const& asked) {
    std::uint64_t frames = 0, sent = 0;
    frame_plan plan;
    auto const at = [&](std::uint64_t n) { return frames_.bytes().data() + n % rooms * room_bytes + maker_->lead(); };
    while (!asked.stop_requested()) {
      auto const now = rdma::detail::now_ns();
      engine_->serve(now);
      for (int n = 0; n < 256 && maker_->room() != 0 && frames - sent < rooms; ++n) {
        if (!engine_->next_frame(now, plan)) break;
        maker_->ask(plan, at(frames++));
      }
      for (auto const made = maker_->poll(); sent != made; ++sent) answer(at(sent), now);
    }
  }
  void answer(std::byte const* frame, std::uint64_t now) {
    auto const* const transport = frame + transport_at;
    auto const sequence = wire::load_be<std::uint32_t>(transport + 8);
    if (sequence >> 31 == 0) return;
    std::byte made[transport_at + bth_bytes + aeth_bytes + icrc_bytes];
    write_frame(made, back,
                {.code = opcode::acknowledge,
                 .queue_number = numbers_[wire::load_be<std::uint32_t>(transport + 4) & 0xff'ffff],
                 .psn = sequence & psn_mask,
                 .syndrome = acknowledged},
                nullptr, 0);
    engine_->take(made, now);
  }

  std::uint32_t bytes_;
  placed_memory source_;
  pinned_memory frames_;
  region_table regions_;
  memory_place local_{};
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::vector<std::uint32_t> numbers_;
  std::optional<roce_engine> engine_;
  std::unique_ptr<gpu_frame_maker> on_gpu_;
  cpu_frame_maker on_cpu_;
  frame_maker* maker_{};
  std::jthread thread_;
};

char const* name_of(making how) { return how == making::by_gpu ? "gpu" : "cpu"; }

void measure_engine(making how, std::uint32_t threads, std::uint32_t bytes, std::uint64_t messages) {
  std::vector<std::unique_ptr<sender>> senders;
  std::vector<posted_queue> queues;
  for (std::uint32_t n = 0; n < threads; ++n) {
    senders.push_back(std::make_unique<sender>(how, bytes, n * queues_per_thread));
    senders.back()->add_to(queues);
  }
  gpu_poster poster{0, queues.size()};
  for (auto& one : senders) one->start();
  auto const iterations = static_cast<std::uint32_t>(std::max<std::uint64_t>(2, messages / (queues.size() * posts)));
  post_loop const loop{.bytes = bytes, .posts = posts, .iterations = iterations, .limit = {20'000'000'000}};
  auto const times = poster.post(queues, loop);
  for (auto& one : senders) one->stop();
  auto const result = summarize(times, bytes, posts);
  std::printf("engine, frames by %s, %u thread%s, %zu queues, %u bytes: %.2f M messages/s, %.1f Gb/s\n", name_of(how),
              threads, threads == 1 ? "" : "s", queues.size(), bytes, result.messages / 1e6,
              result.average_bytes * 8 / 1e9);
  std::fflush(stdout);
}

void measure_alone(std::uint32_t bytes, std::uint64_t frames) {
  placed_memory const payload{memory_kind::device, 0, std::size_t{rooms} * bytes};
  pinned_memory const memory{0, rooms * room_bytes};
  gpu_frame_maker maker{0};
  maker.start();
  std::uint64_t asked = 0, made = 0;
  auto const began = std::chrono::steady_clock::now();
  while (made < frames) {
    for (int n = 0; n < 256 && maker.room() != 0 && asked - made < rooms; ++n, ++asked) {
      frame_plan const plan{.path = there,
                            .fields = {.psn = static_cast<std::uint32_t>(asked), .length = bytes},
                            .payload = payload.data() + asked % rooms * bytes,
                            .bytes = bytes,
                            .place = payload_place::region};
      maker.ask(plan, memory.bytes().data() + asked % rooms * room_bytes + maker.lead());
    }
    made = maker.poll();
  }
  std::chrono::duration<double> const took = std::chrono::steady_clock::now() - began;
  std::printf("alone, frames by gpu, 1 thread, %u bytes: %.2f M frames/s, %.1f Gb/s\n", bytes,
              static_cast<double>(made) / took.count() / 1e6,
              static_cast<double>(made) * bytes * 8 / took.count() / 1e9);
  std::fflush(stdout);
}

void measure_all() {
  (void)open_gpu(0);
  constexpr std::uint64_t small = 20'000'000;
  for (std::uint32_t const bytes : {64U, 256U, 1024U, 4096U}) measure_alone(bytes, small / (bytes / 64));
  for (auto const how : {making::by_gpu, making::by_cpu}) {
    for (std::uint32_t const threads : {1U, 2U, 4U}) {
      for (std::uint32_t const bytes : {64U, 256U, 1024U, 4096U})
        measure_engine(how, threads, bytes, small / (bytes / 64) / (how == making::by_gpu ? 1 : 4));
    }
  }
}

}  // namespace
}  // namespace packetwarp::rdma::roce

int main() {
  try {
    packetwarp::rdma::roce::measure_all();
  } catch (std::exception const& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
  }
  return 0;
}
