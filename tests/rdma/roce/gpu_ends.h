// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/bandwidth/cpu_poster.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/gpu/gpu_requesters.h"
#include "rdma/roce/gpu/gpu_responders.h"
#include "rdma/roce/roce_engine.h"
#include "two_ends.h"

namespace packetwarp::rdma::roce::test {

struct gpu_ends_settings {
  std::uint32_t queues{1};
  std::uint32_t posts{128};
  std::uint32_t bytes{64};                   // of a write
  memory_kind payload{memory_kind::pinned};  // device: the requesters are a kernel's
  memory_kind target{memory_kind::host};     // device: the responders are a kernel's
  initiator posting{initiator::gpu};
  frame_pieces pieces{frame_pieces::one};  // of the frames that kernels make and read
  faults wire{};
  reliability how{.window = 64, .ask_every = 16, .timeout_ns = 20'000'000};
  std::optional<std::uint32_t> dead_queue{};               // the target takes no frame of this queue
  std::function<void(std::span<std::byte const>)> look{};  // at each frame of a kernel, on the engine's thread
};

// A kernel posts, and an engine on a thread reads its queues, or another kernel does, which makes the frames; the
// target's engine is on the same thread, and wires with faults lie between.
class gpu_ends {
 public:
  static constexpr std::size_t guard = 256;

  explicit gpu_ends(gpu_ends_settings const& settings)
      : settings_{settings},
        sent_{make_pattern(std::size_t{settings.queues} * settings.posts * settings.bytes, 5)},
        source_{settings.payload, 0, sent_.size()},
        target_{settings.target, 0, sent_.size() + 2 * guard},
        taken_frames_{0, settings.queues * std::size_t{inbox::most_frames} * blank_bytes},
        taken_rests_{0, taken_frames_.bytes().size()},
        blanks_{0, settings.queues * std::size_t{blanks_of_queue} * blank_bytes},
        rests_{0, blanks_.bytes().size()},
        there_{settings.wire, 11},
        back_{settings.wire, 12} {
    source_.write(0, sent_);
    target_.write(0, std::vector<std::byte>(target_.size(), std::byte{0x5a}));
    local = {reinterpret_cast<std::uint64_t>(source_.data()),
             here_.add(source_.data(), source_.size(), access::local_read)};
    remote = {reinterpret_cast<std::uint64_t>(target_.data() + guard),
              far_.add(target_.data() + guard, sent_.size(), access::remote_write)};
    near_engine_.emplace(here_.ref());
    far_engine_.emplace(far_.ref());
    for (std::uint32_t n = 0; n < settings.queues; ++n) connect(n);
    poster_.emplace(0, settings.queues);
    if (settings.target == memory_kind::device) make_responders();
    if (settings.payload == memory_kind::device) start_requesters();
    if (responders_) responders_->start();
    thread_ = std::jthread{[this](std::stop_token const& asked) { run(asked); }};
  }

  [[nodiscard]] posted_queue queue(std::uint32_t n) const {
    auto const at = std::uint64_t{n} * settings_.posts * settings_.bytes;
    return {queues_[n]->parts(), local + at, remote + at};
  }
  // A byte of queue 0's target, which the thread writes.
  [[nodiscard]] std::uint8_t target_byte(std::size_t at) {
    auto& byte = reinterpret_cast<std::uint8_t&>(target_.data()[guard + at]);
    return std::atomic_ref{byte}.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::vector<post_times> post(std::uint32_t iterations) {
    std::vector<posted_queue> queues;
    for (std::uint32_t n = 0; n < settings_.queues; ++n) queues.push_back(queue(n));
    post_loop const loop{
        .bytes = settings_.bytes, .posts = settings_.posts, .iterations = iterations, .limit = {20'000'000'000}};
    return settings_.posting == initiator::gpu ? poster_->post(queues, loop) : post_by_cpu(queues, loop);
  }
  // Afterwards the counters can be read.
  void stop() {
    thread_.request_stop();
    thread_.join();
    if (requesters_) requesters_->stop();
    if (responders_) responders_->stop();
  }
  // The first byte of the target that is wrong, in words; empty if all is right.
  [[nodiscard]] std::string error() const {
    std::vector<std::byte> expected(target_.size(), std::byte{0x5a});
    std::copy(sent_.begin(), sent_.end(), expected.begin() + guard);
    std::vector<std::byte> found(target_.size());
    target_.read(0, found);
    auto const at = first_difference(found, expected);
    return at == expected.size() ? std::string{} : "byte " + std::to_string(at) + " of the target";
  }
  [[nodiscard]] roce_counters initiator() const {
    auto sum = near_engine_->counters();
    if (requesters_) {
      sum.sent.add(requesters_->sent());
      sum.queues.add(requesters_->queues());
    }
    return sum;
  }
  [[nodiscard]] roce_counters responder() const {
    auto sum = far_engine_->counters();
    if (responders_) {
      sum.received.add(responders_->received());
      sum.bad_icrc += responders_->bad_icrc();
    }
    return sum;
  }

  memory_place local;
  memory_place remote;
  static constexpr frame_path there{.source_mac = wire::mac_address::from_number(2),
                                    .destination_mac = wire::mac_address::from_number(4),
                                    .source = {0x0a00'0001},
                                    .destination = {0x0a00'0002}};

 private:
  static constexpr frame_path back{.source_mac = there.destination_mac,
                                   .destination_mac = there.source_mac,
                                   .source = there.destination,
                                   .destination = there.source};

  void connect(std::uint32_t n) {
    bool const is_by_gpu = settings_.posting == initiator::gpu;
    queues_.push_back(std::make_unique<queue_pair>(
        queue_pair_settings{.size = 2 * std::bit_ceil(settings_.posts),
                            .number = 0x100 + n,
                            .queue = is_by_gpu ? settings_.payload : memory_kind::pinned,
                            .cursors = is_by_gpu ? memory_kind::device : memory_kind::host}));
    connection_settings made{.local_number = 0x100 + n,
                             .remote_number = 0x200 + n,
                             .send_psn = 0xff'fff0 + n,
                             .receive_psn = 7,
                             .path = there,
                             .how = settings_.how};
    if (settings_.payload == memory_kind::device) {
      on_gpu_.push_back({made, queues_.back()->parts()});
    } else {
      near_engine_->add(made, {.queue = &queues_.back()->parts()});
    }
    std::swap(made.local_number, made.remote_number);
    std::swap(made.send_psn, made.receive_psn);
    made.path = back;
    far_engine_->add(made, {});
    far_settings_.push_back(made);
  }
  void start_requesters() {
    requesters_.emplace(0, on_gpu_, here_.regions(),
                        settings_.posting == initiator::gpu ? cuda::thread_scope_device : cuda::thread_scope_system,
                        settings_.pieces);
    for (std::size_t n = 0; n < on_gpu_.size(); ++n)
      near_engine_->add(on_gpu_[n].settings, {.elsewhere = &requesters_->ends()[n]});
    given_.resize(on_gpu_.size());
    taken_.resize(on_gpu_.size());
    requesters_->start();
  }
  void make_responders() {
    responders_.emplace(0, far_settings_, far_.regions(), settings_.pieces);
    frames_given_.resize(far_settings_.size());
  }
  // A frame for the target. Requests of its queues are copied, as a port receives them, for the kernel;
  // every third one begins at another distance from a multiple of 8.
  void take_far(std::span<std::byte const> frame, std::uint64_t now) {
    auto const headers = read_headers(frame.data(), frame.size());
    auto const& found = headers.frame;
    auto const n = std::size_t{found.fields.queue_number} - 0x200;
    if (found.result == frame_result::ok && settings_.dead_queue == n) return;
    if (!responders_ || found.result != frame_result::ok || has_aeth(found.fields.code) || n >= far_settings_.size() ||
        found.payload_bytes > settings_.how.mtu || !is_of_default_partition(found.fields) ||
        !far_engine_->connections()[n].is_from_peer(found))
      return far_engine_->take(frame, now);
    auto& end = responders_->ends()[n];
    if (end.room() == 0) return;
    auto const number = frames_given_[n]++;
    auto const place = (n * inbox::most_frames + number % inbox::most_frames) * blank_bytes;
    auto* const at = taken_frames_.bytes().data() + place + number % 3 * (number % 7);
    std::copy(frame.begin(), frame.end(), at);
    auto const bytes = ethernet_bytes + headers.total;
    if (settings_.pieces == frame_pieces::one) return end.give({at, bytes});
    auto const first = std::min<std::size_t>(bytes, first_piece_bytes);
    auto* const rest = taken_rests_.bytes().data() + place + number % 5 * (number % 11);
    std::copy(at + first, at + bytes, rest);
    end.give({at, first}, {rest, bytes - first});
  }
  void collect_far() {
    for (std::size_t n = 0; responders_ && n < far_settings_.size(); ++n)
      (void)responders_->ends()[n].collect([&](auto const& answer) { far_engine_->connections()[n].answer(answer); });
  }
  [[nodiscard]] std::byte* blank(std::size_t queue, std::uint64_t n) const {
    return blanks_.bytes().data() + (queue * blanks_of_queue + n % blanks_of_queue) * blank_bytes +
           gpu_requesters::lead();
  }
  // The place of a blank's second piece.
  [[nodiscard]] std::byte* rest(std::size_t queue, std::uint64_t n) const {
    if (settings_.pieces == frame_pieces::one) return nullptr;
    return rests_.bytes().data() + (queue * blanks_of_queue + n % blanks_of_queue) * blank_bytes;
  }
  void exchange_blanks() {
    for (std::size_t n = 0; n < given_.size(); ++n) {
      auto& end = requesters_->ends()[n];
      for (auto made = end.made(); made != 0; --made, ++taken_[n]) send(n, end.take_length());
      for (; given_[n] - taken_[n] < blanks_of_queue; ++given_[n]) end.give(blank(n, given_[n]), rest(n, given_[n]));
    }
  }
  // The next frame of a queue, in one piece.
  void send(std::size_t n, std::size_t bytes) {
    auto const first = settings_.pieces == frame_pieces::one ? bytes : std::min<std::size_t>(bytes, first_piece_bytes);
    auto const* const begin = blank(n, taken_[n]);
    std::vector<std::byte> frame(begin, begin + first);
    if (first != bytes) frame.insert(frame.end(), rest(n, taken_[n]), rest(n, taken_[n]) + (bytes - first));
    if (settings_.look) settings_.look(frame);
    there_.send(frame);
  }
  void run(std::stop_token const& asked) {
    std::vector<std::byte> room(far_engine_->most_frame_bytes());
    while (!asked.stop_requested()) {
      auto const now = rdma::detail::now_ns();
      near_engine_->serve(now);
      while (auto const bytes = near_engine_->make_frame(room, now)) there_.send(std::span{room}.first(bytes));
      exchange_blanks();
      while (!there_.is_empty()) take_far(there_.receive(), now);
      collect_far();
      while (auto const bytes = far_engine_->make_frame(room, now)) back_.send(std::span{room}.first(bytes));
      while (!back_.is_empty()) near_engine_->take(back_.receive(), now);
    }
  }
  static constexpr std::uint32_t blanks_of_queue = 128;
  static constexpr std::size_t blank_bytes = 4352;

  gpu_ends_settings settings_;
  std::vector<std::byte> sent_;
  placed_memory source_;
  placed_memory target_;
  pinned_memory taken_frames_;
  pinned_memory taken_rests_;
  pinned_memory blanks_;
  pinned_memory rests_;
  region_table here_;
  region_table far_;
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::optional<roce_engine> near_engine_;
  std::optional<roce_engine> far_engine_;
  faulty_wire there_;
  faulty_wire back_;
  std::optional<gpu_poster> poster_;
  std::vector<connection_settings> far_settings_;
  std::vector<std::uint64_t> frames_given_;
  std::optional<gpu_responders> responders_;
  std::vector<queue_on_gpu> on_gpu_;
  std::vector<std::uint64_t> given_;  // blanks of each queue
  std::vector<std::uint64_t> taken_;
  std::optional<gpu_requesters> requesters_;  // ends before the memory that it reads and writes
  std::jthread thread_;
};

}  // namespace packetwarp::rdma::roce::test
