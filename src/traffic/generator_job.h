// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/packet_shuttle.h"
#include "memory/packet_pool.h"
#include "port/port_queues.h"
#include "telemetry/counter.h"
#include "traffic/pacer.h"
#include "traffic/starting_line.h"
#include "worker/job.h"

namespace packetwarp::traffic {

// The source of a generator's packets: packet number `index` is always the same, except the time written into it.
template <class Source>
concept packet_source = requires(Source const& source, std::uint64_t index, std::byte* frame) {
  { source.length(index) } -> std::same_as<std::uint16_t>;
  { source.largest_length() } -> std::same_as<std::uint16_t>;
  { source.write(index, index, frame) } -> std::same_as<void>;
};

// A source whose packets have times of their own: keeps_times() says whether they are sent at them, and due() is in
// nanoseconds after the first packet.
template <class Source>
concept has_times = packet_source<Source> && requires(Source const& source, std::uint64_t index) {
  { source.keeps_times() } -> std::same_as<bool>;
  { source.due(index) } -> std::same_as<std::uint64_t>;
};

// The fate of packets that a port does not take: they wait until it does, or are dropped and count as sent, as on a
// wire whose far end does not listen.
enum class when_full : std::uint8_t { wait, drop };

// The end of a generator's sending, and the number of packets per burst.
struct sending_limits {
  std::optional<std::uint64_t> packets{};  // nothing: no limit; 0: the share of a queue that sends none
  cycles duration{};                       // 0: no limit
  std::uint32_t burst{32};
  when_full full{when_full::wait};
};

// Written by the generator's worker; any thread may read.
struct alignas(64) sending_counters {
  telemetry::counter packets;     // taken by the port, or dropped for it
  telemetry::counter bytes;       // of these packets, without FCS
  telemetry::counter tx_full;     // polls in which the port did not take all offered packets
  telemetry::counter no_mbuf;     // polls in which the packet pool was dry
  telemetry::counter first_sent;  // cycles; 0 before the first packet
  telemetry::counter last_sent;
};

// Sends on one TX queue: the part that does not depend on the source. Packets of a pool in GPU memory are written in
// host memory and copied there, burst by burst.
class generator : public job {
 public:
  generator(std::string name, tx_queue queue, packet_pool const& pool, sending_limits const& limits, pacer const& pace);
  ~generator() override;

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] sending_counters const& counters() const { return counters_; }

  // Sends nothing before the line is clear. The line outlives the job.
  void await(starting_line const& line) { line_ = &line; }
  // Asks it to make no more packets. Any thread.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  // A GPU did not take packets. Called when the job is no longer polled.
  [[nodiscard]] bool has_lost_gpu() const { return has_lost_gpu_; }
  void abandon() {
    if (shuttle_) shuttle_->abandon();
  }
  // The source had an end, and the end has been reached. Called when the job is no longer polled.
  [[nodiscard]] virtual bool has_sent_all_there_is() const { return false; }
  // The pace that it kept, of the requested rate. Called when the job is no longer polled.
  [[nodiscard]] virtual kept_pace kept() const { return pace_.kept(); }
  // The job will send no more, and the counters are final. Any thread.
  [[nodiscard]] bool is_finished() const { return finished_.load(std::memory_order_acquire); }

 protected:
  // The time for which a port may take none of the last packets before they are given up.
  static constexpr std::chrono::seconds patience{1};

  // Its time begins when it may send.
  [[nodiscard]] bool has_begun(tick const& t);
  [[nodiscard]] bool wants_more(tick const& t) const;
  // Whether the packet of this index is beyond the limit.
  [[nodiscard]] bool is_beyond(std::uint64_t index) const { return limits_.packets && index >= *limits_.packets; }
  [[nodiscard]] std::uint32_t waiting() const { return end_ - begin_; }
  // Hands waiting packets to the port; returns how many it took.
  std::uint32_t send_waiting(cycles now);
  // Finishes if no work is left, or if no more work is possible.
  void conclude(tick const& t);
  void drop_waiting();
  // The place where the bytes of packet i of a burst are written; deliver() brings them to the packets, and returns
  // false if it cannot.
  [[nodiscard]] std::byte* room_for(std::uint32_t i) const {
    return shuttle_ ? shuttle_->room(i) : rte_pktmbuf_mtod(packets_[i], std::byte*);
  }
  [[nodiscard]] bool deliver(std::uint32_t packets);

  std::string name_;
  tx_queue queue_;
  rte_mempool* pool_;
  sending_limits limits_;
  pacer pace_;
  std::unique_ptr<packet_shuttle> shuttle_;  // of a pool in GPU memory
  bool has_lost_gpu_{false};
  std::uint64_t made_{};  // packets written so far: the index of the next
  std::uint32_t due_{};   // packets paid for and not made
  // The last burst: packets that the port has not taken wait from begin_ to end_. The port owns the packets that it
  // took, and may hand an mbuf to another thread, so the lengths are kept here.
  std::vector<rte_mbuf*> packets_;
  std::vector<std::uint16_t> lengths_;
  std::uint32_t begin_{};
  std::uint32_t end_{};
  starting_line const* line_{nullptr};
  cycles began_{};
  cycles last_progress_{};
  sending_counters counters_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> finished_{false};
};

// The source outlives the job.
template <packet_source Source>
class generator_job final : public generator {
 public:
  generator_job(std::string name, Source const& source, tx_queue queue, packet_pool const& pool,
                sending_limits const& limits, pacer const& pace)
      : generator{std::move(name), queue, pool, limits, pace}, source_{source} {}

  std::uint32_t poll(tick const& t) override {
    if (finished_.load(std::memory_order_relaxed)) return 0;
    if (!has_begun(t)) return 0;
    if (t.phase == run_phase::abandoning) drop_waiting();
    if (waiting() == 0 && wants_more(t)) make_packets(t.now);
    auto const taken = waiting() == 0 ? 0 : send_waiting(t.now);
    if (!wants_more(t)) conclude(t);
    return taken;
  }

 private:
  void make_packets(cycles now) {
    pace_.refill(now);
    put_off(now);
    while (due_ < limits_.burst && is_due(now) && !is_beyond(made_ + due_)) {
      lengths_[due_] = source_.length(made_ + due_);
      pace_.charge(lengths_[due_]);
      ++due_;
    }
    if (due_ == 0) return;
    if (rte_pktmbuf_alloc_bulk(pool_, packets_.data(), due_) != 0) {
      counters_.no_mbuf.add(1);
      return;
    }
    cycles const stamp = now_cycles();
    for (std::uint32_t i = 0; i < due_; ++i) {
      rte_mbuf& packet = *packets_[i];
      packet.data_len = lengths_[i];
      packet.pkt_len = lengths_[i];
      source_.write(made_ + i, stamp, room_for(i));
    }
    if (!deliver(due_)) {
      rte_pktmbuf_free_bulk(packets_.data(), due_);
      has_lost_gpu_ = true;
      stop();
      return;
    }
    made_ += due_;
    begin_ = 0;
    end_ = due_;
    due_ = 0;
    last_progress_ = now;
  }

  [[nodiscard]] bool is_due(cycles now) const {
    if constexpr (has_times<Source>) {
      if (source_.keeps_times()) return now - began_ >= put_off_ + time_of_next();
    }
    return pace_.is_due();
  }
  [[nodiscard]] cycles time_of_next() const { return to_cycles(std::chrono::nanoseconds{source_.due(made_ + due_)}); }

  // After a longer stall than a pacer makes up for, packets with times of their own all come later: the gaps between
  // them stay, and no flood comes.
  void put_off(cycles now) {
    if constexpr (has_times<Source>) {
      if (!source_.keeps_times()) return;
      auto const latest = put_off_ + time_of_next() + to_cycles(most_lag);
      if (now - began_ > latest) put_off_ += now - began_ - latest;
    }
  }

  static constexpr auto most_lag =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>{pacer::catch_up_seconds});
  Source const& source_;
  cycles put_off_{};
};

}  // namespace packetwarp::traffic
