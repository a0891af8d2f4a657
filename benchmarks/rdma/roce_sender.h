// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/gpu.h"
#include "rdma/bandwidth/pattern.h"
#include "rdma/bandwidth/poster.h"
#include "rdma/network/gpu_frames.h"
#include "rdma/network/gpu_requests.h"
#include "rdma/queue_pair.h"
#include "rdma/region_table.h"
#include "rdma/roce/gpu/gpu_requesters.h"
#include "rdma/roce/gpu/gpu_responders.h"
#include "rdma/roce/roce_engine.h"
#include "roce_case.h"

namespace packetwarp::rdma::roce {

// Binds the calling thread.
inline void run_on(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  (void)::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

// Cycles of a thread in each part of its loop.
struct part_cycles {
  std::uint64_t give{};     // blanks, or the reading of queues
  std::uint64_t make{};     // frames: taken from the kernel, or made
  std::uint64_t send{};     // the port
  std::uint64_t receive{};  // the port, and the frames' headers
  std::uint64_t free{};
};

// A thread's engine and queues.
class sender {
 public:
  sender(frames_way const& with, std::uint32_t thread, own_port& on, std::uint32_t bytes, std::uint32_t queues)
      : bytes_{bytes},
        where_{with.where},
        pieces_{with.pieces()},
        counts_{with.how == way::of_gpu},
        on_{on},
        pools_{on.pools(with.where)},
        arrived_(queues),
        source_{with.how != way::of_cpu ? memory_kind::device : memory_kind::pinned, 0,
                std::size_t{queues} * posts * bytes},
        target_{memory_kind::device, 0, with.how == way::whole ? source_.size() : 64} {
    auto const how = with.how;
    source_.write(0, make_pattern(source_.size(), thread + 1));
    exposed_ = {reinterpret_cast<std::uint64_t>(target_.data()),
                far_.add(target_.data(), target_.size(), access::remote_write)};
    local_ = {reinterpret_cast<std::uint64_t>(source_.data()),
              regions_.add(source_.data(), source_.size(), access::local_read)};
    engine_.emplace(regions_.ref());
    std::vector<queue_on_gpu> on_gpu;
    for (std::uint32_t n = 0; n < queues; ++n) {
      auto const number = first_number + thread * queues + n;
      queues_.push_back(std::make_unique<queue_pair>(
          queue_pair_settings{.size = 2 * posts,
                              .number = number,
                              .queue = how != way::of_cpu ? memory_kind::device : memory_kind::pinned,
                              .cursors = memory_kind::device}));
      numbers_.push_back(number);
      on_gpu.push_back(
          {{.local_number = number, .remote_number = n, .path = there, .how = how_reliable}, queues_.back()->parts()});
    }
    if (how != way::of_cpu) {
      gpu_.emplace(0, on_gpu, regions_.regions(), cuda::thread_scope_device, pieces_);
      frames_.emplace(gpu_->ends(), gpu_requesters::lead());
    }
    for (std::uint32_t n = 0; n < queues; ++n)
      engine_->add(on_gpu[n].settings, how != way::of_cpu ? request_source{.elsewhere = &gpu_->ends()[n]}
                                                          : request_source{.queue = &on_gpu[n].parts});
    if (how == way::whole) add_responders(on_gpu);
  }
  void add_to(std::vector<posted_queue>& all) const {
    for (std::uint32_t n = 0; n < queues_.size(); ++n)
      all.push_back({queues_[n]->parts(), local_ + std::uint64_t{n} * posts * bytes_,
                     gpu_far_ ? exposed_ + std::uint64_t{n} * posts * bytes_ : memory_place{0x10000, 1}});
  }
  // Once all memory of all senders is there.
  void start(unsigned cpu) {
    if (gpu_) gpu_->start();
    if (gpu_far_) gpu_far_->start();
    thread_ = std::jthread{[this, cpu](std::stop_token const& asked) {
      run_on(cpu);
      run(asked);
    }};
  }
  // After stop(): ns per frame in each part, idle rounds included.
  void print_parts() const {
    auto const ns = [&](std::uint64_t cycles) {
      return static_cast<double>(cycles) * 1e9 / static_cast<double>(rte_get_tsc_hz()) / static_cast<double>(received_);
    };
    std::printf("  ns per frame: give %.1f, make %.1f, send %.1f, receive %.1f, free %.1f\n", ns(cycles_.give),
                ns(cycles_.make), ns(cycles_.send), ns(cycles_.receive), ns(cycles_.free));
  }
  // Before any sender's memory is freed. Returns how many of the frames that were checked were wrong.
  std::uint64_t stop() {
    thread_ = {};
    if (gpu_) gpu_->stop();
    if (gpu_far_) gpu_far_->stop();
    if (frames_) frames_->release();
    if (requests_) requests_->release();
    if (gpu_far_) compare();
    return wrong_;
  }

 private:
  // Connections from the peer's side: with the peer's addresses and numbers.
  void add_responders(std::vector<queue_on_gpu> const& near) {
    std::vector<connection_settings> far;
    for (auto const& one : near) {
      auto made = one.settings;
      std::swap(made.local_number, made.remote_number);
      made.path = back;
      far.push_back(made);
    }
    gpu_far_.emplace(0, far, far_.regions(), pieces_);
    requests_.emplace(gpu_far_->ends(), far, pieces_);
    far_engine_.emplace(far_.ref());
    for (auto const& one : far) far_engine_->add(one, {});
  }
  void compare() {
    std::vector<std::byte> sent(source_.size()), found(source_.size());
    source_.read(0, sent);
    target_.read(0, found);
    wrong_ += first_difference(sent, found) == sent.size() ? 0U : 1U;
  }
  // The frames that the kernel's responders do not keep come to the front; returns how many. Their answers go from one
  // engine to the other.
  std::size_t respond(std::span<rte_mbuf*> got, std::uint64_t now) {
    std::size_t done = 0;
    received_ += got.size();
    gpu_requests::look_ahead(got);
    for (auto* const packet : got)
      if (requests_->take(*packet) != gpu_requests::fate::kept) got[done++] = packet;
    std::array<std::byte, most_overhead + mtu> room;
    for (auto answers = requests_->collect(*far_engine_); answers != 0; --answers)
      if (auto const bytes = far_engine_->make_frame(room, now)) engine_->take(std::span{room}.first(bytes), now);
    return done;
  }
  std::size_t answer(std::span<rte_mbuf*> got, std::uint64_t now) {
    for (auto* const packet : got) answer(*packet, now);
    return got.size();
  }
  void run(std::stop_token const& asked) {
    bool const is_known = rte_thread_register() == 0;
    while (!asked.stop_requested()) {
      auto const now = rdma::detail::now_ns();
      for (int n = 0; n < 8; ++n) {
        auto const began = rte_rdtsc();
        frames_ ? frames_->give(pools_) : engine_->serve(now);
        cycles_.give += rte_rdtsc() - began;
        send(now);
        receive(now);
      }
    }
    if (is_known) rte_thread_unregister();
  }
  void send(std::uint64_t now) {
    std::array<rte_mbuf*, 4 * burst> made{};
    auto const began = rte_rdtsc();
    auto const count = frames_ ? frames_->take(made) : make(made, now);
    auto const taken = rte_rdtsc();
    auto const sent = on_.opened.tx(queue_id{0}).send(std::span{made}.first(count));
    rte_pktmbuf_free_bulk(made.data() + sent, static_cast<unsigned>(count - sent));  // the wire loses them
    if (counts_) wrong_ += count - sent;
    cycles_.make += taken - began;
    cycles_.send += rte_rdtsc() - taken;
  }
  std::size_t make(std::span<rte_mbuf*> into, std::uint64_t now) {
    frame_plan plan;
    std::size_t count = 0;
    for (; count < burst && engine_->next_frame(now, plan); ++count) {
      auto* const packet = into[count] = rte_pktmbuf_alloc(pools_.frames);
      auto* const at = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(plan.length()));
      write_frame(reinterpret_cast<std::byte*>(at), plan.path, plan.fields, plan.payload, plan.bytes);
    }
    return count;
  }
  void receive(std::uint64_t now) {
    std::array<rte_mbuf*, 4 * burst> got{};
    auto const began = rte_rdtsc();
    auto const count = on_.opened.rx(queue_id{0}).receive(got);
    constexpr int into_second_cache = 2;
    for (std::size_t n = 0; n < count && !counts_; ++n)
      __builtin_prefetch(at(*got[n]) + transport_at, 0, into_second_cache);
    auto const all = std::span{got}.first(count);
    auto const done = requests_ ? respond(all, now) : answer(all, now);
    auto const read = rte_rdtsc();
    free(std::span{got}.first(done));
    cycles_.receive += read - began;
    cycles_.free += rte_rdtsc() - read;
  }
  // As a driver with fast free does: all are of one pool, and no other thread knows them.
  void free(std::span<rte_mbuf*> packets) const {
    std::array<rte_mbuf*, 4 * burst> rests{};
    unsigned count = 0;
    for (auto* const packet : packets) {
      if (pieces_ == frame_pieces::one) break;
      if (packet->next == nullptr) continue;
      rests[count++] = std::exchange(packet->next, nullptr);
      packet->nb_segs = 1;
    }
    auto const put = [](rte_mempool* pool, rte_mbuf** first, std::size_t n) {
      if (n != 0) rte_mempool_put_bulk(pool, reinterpret_cast<void**>(first), static_cast<unsigned>(n));
    };
    put(pools_.frames, packets.data(), packets.size());
    put(pools_.rests, rests.data(), count);
  }
  // Whether a frame is as read_frame() wants it, ICRC included.
  [[nodiscard]] bool is_right(rte_mbuf& packet) const {
    if (where_ == placement::host) return read_frame(at(packet), packet.data_len).result == frame_result::ok;
    std::array<std::byte, most_overhead + mtu> whole;
    std::size_t done = 0;
    for (auto* piece = &packet; piece != nullptr; done += piece->data_len, piece = piece->next)
      if (piece->data_len > whole.size() - done ||
          cudaMemcpyAsync(whole.data() + done, at(*piece), piece->data_len, cudaMemcpyDefault, cudaStreamPerThread) !=
              cudaSuccess)
        return false;
    return cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess &&
           read_frame(whole.data(), packet.pkt_len).result == frame_result::ok;
  }
  [[nodiscard]] static std::byte const* at(rte_mbuf& packet) { return rte_pktmbuf_mtod(&packet, std::byte const*); }

  void answer(rte_mbuf& packet, std::uint64_t now) {
    if (++received_ % (where_ == placement::host ? 1000 : 100'000) == 0) wrong_ += is_right(packet) ? 0U : 1U;
    if (counts_) {
      auto const n = packet.hash.fdir.hi;
      if (++arrived_[n] % how_reliable.ask_every == 0) acknowledge(n, arrived_[n] - 1, now);
      return;
    }
    auto const* const transport = at(packet) + transport_at;
    auto const sequence = wire::load_be<std::uint32_t>(transport + 8);
    if (sequence >> 31 != 0) acknowledge(wire::load_be<std::uint32_t>(transport + 4) & 0xff'ffff, sequence, now);
  }
  void acknowledge(std::uint32_t queue, std::uint32_t sequence, std::uint64_t now) {
    std::byte made[transport_at + bth_bytes + aeth_bytes + icrc_bytes];
    write_frame(made, back,
                {.code = opcode::acknowledge,
                 .queue_number = numbers_[queue],
                 .psn = sequence & psn_mask,
                 .syndrome = acknowledged},
                nullptr, 0);
    engine_->take(made, now);
  }

  std::uint32_t bytes_;
  placement where_;
  frame_pieces pieces_;
  bool counts_;  // the wire counts the frames of a queue, and reads samples
  own_port& on_;
  frame_pools pools_;
  std::vector<std::uint32_t> arrived_;  // frames of each queue, as the wire counts them
  placed_memory source_;
  placed_memory target_;
  region_table regions_;
  memory_place local_{};
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::vector<std::uint32_t> numbers_;
  std::optional<roce_engine> engine_;
  std::optional<gpu_requesters> gpu_;
  std::optional<gpu_frames> frames_;
  region_table far_;
  memory_place exposed_{};
  std::optional<roce_engine> far_engine_;
  std::optional<gpu_responders> gpu_far_;
  std::optional<gpu_requests> requests_;
  std::uint64_t received_{};
  std::uint64_t wrong_{};
  part_cycles cycles_;
  std::jthread thread_;
};

}  // namespace packetwarp::rdma::roce
