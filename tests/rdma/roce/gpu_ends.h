// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/frame_maker.h"
#include "rdma/roce/gpu_frame_maker.h"
#include "rdma/roce/roce_engine.h"
#include "two_ends.h"

namespace packetwarp::rdma::roce::test {

// Frames in pinned host memory, each in a room of its own, in the order in which they were asked for.
class frame_ring {
 public:
  static constexpr std::size_t rooms = 4096, room_bytes = 4352;
  explicit frame_ring(int gpu) : memory_{gpu, rooms * room_bytes}, lengths_(rooms) {}
  [[nodiscard]] std::byte* at(std::uint64_t frame, std::size_t lead) const {
    return memory_.bytes().data() + frame % rooms * room_bytes + lead;
  }
  void set_length(std::uint64_t frame, std::size_t bytes) { lengths_[frame % rooms] = bytes; }
  [[nodiscard]] std::span<std::byte const> frame(std::uint64_t number, std::size_t lead) const {
    return {at(number, lead), lengths_[number % rooms]};
  }

 private:
  pinned_memory memory_;
  std::vector<std::size_t> lengths_;
};

struct gpu_ends_settings {
  std::uint32_t queues{1};
  std::uint32_t posts{128};
  std::uint32_t bytes{64};                   // of a write
  memory_kind payload{memory_kind::pinned};  // device: a kernel makes the frames
  faults wire{};
  reliability how{.window = 64, .ask_every = 16, .timeout_ns = 20'000'000};
};

// A kernel posts, an engine on a thread reads its queues, and a CPU or another kernel makes the frames; the target's
// engine is on the same thread, and wires with faults lie between.
class gpu_ends {
 public:
  static constexpr std::size_t guard = 256;

  explicit gpu_ends(gpu_ends_settings const& settings)
      : settings_{settings},
        sent_{make_pattern(std::size_t{settings.queues} * settings.posts * settings.bytes, 5)},
        source_{settings.payload, 0, sent_.size()},
        target_(sent_.size() + 2 * guard, std::byte{0x5a}),
        ring_{0},
        there_{settings.wire, 11},
        back_{settings.wire, 12} {
    source_.write(0, sent_);
    local = {reinterpret_cast<std::uint64_t>(source_.data()),
             here_.add(source_.data(), source_.size(), access::local_read)};
    remote = {reinterpret_cast<std::uint64_t>(target_.data() + guard),
              far_.add(target_.data() + guard, sent_.size(), access::remote_write)};
    near_engine_.emplace(here_.ref());
    far_engine_.emplace(far_.ref());
    for (std::uint32_t n = 0; n < settings.queues; ++n) connect(n);
    poster_.emplace(0, settings.queues);
    if (settings.payload == memory_kind::device) {
      auto on_gpu = std::make_unique<gpu_frame_maker>(0);
      on_gpu->start();
      maker_ = std::move(on_gpu);
    } else {
      maker_ = std::make_unique<cpu_frame_maker>();
    }
    thread_ = std::jthread{[this](std::stop_token const& asked) { run(asked); }};
  }

  [[nodiscard]] posted_queue queue(std::uint32_t n) const {
    auto const at = std::uint64_t{n} * settings_.posts * settings_.bytes;
    return {queues_[n]->parts(), local + at, remote + at};
  }
  // A byte of queue 0's target, which the thread writes.
  [[nodiscard]] std::uint8_t target_byte(std::size_t at) {
    auto& byte = reinterpret_cast<std::uint8_t&>(target_[guard + at]);
    return std::atomic_ref{byte}.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::vector<post_times> post(std::uint32_t iterations) {
    std::vector<posted_queue> queues;
    for (std::uint32_t n = 0; n < settings_.queues; ++n) queues.push_back(queue(n));
    return poster_->post(
        queues,
        {.bytes = settings_.bytes, .posts = settings_.posts, .iterations = iterations, .limit = {20'000'000'000}});
  }
  // Afterwards the counters can be read.
  void stop() {
    thread_.request_stop();
    thread_.join();
    if (auto* const on_gpu = dynamic_cast<gpu_frame_maker*>(maker_.get())) on_gpu->stop();
  }
  // The first byte of the target that is wrong, in words; empty if all is right.
  [[nodiscard]] std::string error() const {
    std::vector<std::byte> expected(target_.size(), std::byte{0x5a});
    std::copy(sent_.begin(), sent_.end(), expected.begin() + guard);
    auto const at = first_difference(target_, expected);
    return at == expected.size() ? std::string{} : "byte " + std::to_string(at) + " of the target";
  }
  [[nodiscard]] roce_counters initiator() const { return near_engine_->counters(); }
  [[nodiscard]] roce_counters responder() const { return far_engine_->counters(); }

  memory_place local;
  memory_place remote;

 private:
  static constexpr frame_path there{.source_mac = wire::mac_address::from_number(2),
                                    .destination_mac = wire::mac_address::from_number(4),
                                    .source = {0x0a00'0001},
                                    .destination = {0x0a00'0002}};
  static constexpr frame_path back{.source_mac = there.destination_mac,
                                   .destination_mac = there.source_mac,
                                   .source = there.destination,
                                   .destination = there.source};

  void connect(std::uint32_t n) {
    queues_.push_back(std::make_unique<queue_pair>(queue_pair_settings{.size = 2 * std::bit_ceil(settings_.posts),
                                                                       .number = 0x100 + n,
                                                                       .queue = memory_kind::pinned,
                                                                       .cursors = memory_kind::device}));
    connection_settings made{.local_number = 0x100 + n,
                             .remote_number = 0x200 + n,
                             .send_psn = 0xff'fff0 + n,
                             .receive_psn = 7,
                             .path = there,
                             .how = settings_.how};
    near_engine_->add(made, &queues_.back()->parts());
    std::swap(made.local_number, made.remote_number);
    std::swap(made.send_psn, made.receive_psn);
    made.path = back;
    far_engine_->add(made, nullptr);
  }
  void run(std::stop_token const& asked) {
    std::vector<std::byte> room(far_engine_->most_frame_bytes());
    std::uint64_t frames = 0, sent = 0;
    frame_plan plan;
    while (!asked.stop_requested()) {
      auto const now = rdma::detail::now_ns();
      near_engine_->serve(now);
      while (maker_->room() != 0 && frames - sent < frame_ring::rooms) {
        if (!near_engine_->next_frame(now, plan)) break;
        ring_.set_length(frames, plan.length());
        maker_->ask(plan, ring_.at(frames++, maker_->lead()));
      }
      for (auto const made = maker_->poll(); sent != made; ++sent) there_.send(ring_.frame(sent, maker_->lead()));
      while (!there_.is_empty()) far_engine_->take(there_.receive(), now);
      while (auto const bytes = far_engine_->make_frame(room, now)) back_.send(std::span{room}.first(bytes));
      while (!back_.is_empty()) near_engine_->take(back_.receive(), now);
    }
  }

  gpu_ends_settings settings_;
  std::vector<std::byte> sent_;
  placed_memory source_;
  std::vector<std::byte> target_;
  frame_ring ring_;
  region_table here_;
  region_table far_;
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::optional<roce_engine> near_engine_;
  std::optional<roce_engine> far_engine_;
  faulty_wire there_;
  faulty_wire back_;
  std::optional<gpu_poster> poster_;
  std::unique_ptr<frame_maker> maker_;  // ends before the memory that it reads and writes
  std::jthread thread_;
};

}  // namespace packetwarp::rdma::roce::test
