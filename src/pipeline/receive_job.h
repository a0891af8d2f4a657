// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ring.h>

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "base/thread/thread_sanitizer.h"
#include "burst/burst_ring.h"
#include "burst/epoch_clock.h"
#include "burst/mbuf_ring.h"
#include "capture/packet_capture.h"
#include "pipeline/counters.h"
#include "pipeline/frame_bytes.h"
#include "port/port_queues.h"
#include "twin/twin_link.h"
#include "twin/twin_steering.h"
#include "worker/job.h"

namespace packetwarp {

// The packets from one call of a source.
struct received_packets {
  std::uint32_t count{};
  bool has_chained{};     // some packet may be of several mbufs
  std::uint32_t again{};  // the first packets: a function has seen them before, here or on another GPU
};

// Bytes of packets, and of their first segments alone. Both are equal if no packet is chained, or if the segments
// after the first hold nothing, which no driver makes: all bytes are in the first segment then.
struct length_sums {
  std::uint32_t packets{};
  std::uint32_t first_segments{};
};
// Sums the lengths of a burst, whose packets have fewer than 2^32 bytes. A single load per packet reads the fields that
// drivers fill in one store.
[[nodiscard]] inline length_sums add_lengths(std::span<rte_mbuf* const> packets) {
  using fields = std::uint32_t __attribute__((vector_size(16), may_alias));
  constexpr auto begin = offsetof(rte_mbuf, packet_type);
  static_assert(begin % sizeof(fields) == 0 && offsetof(rte_mbuf, pkt_len) == begin + 4 &&
                offsetof(rte_mbuf, data_len) == begin + 8 && std::endian::native == std::endian::little);
  constexpr fields lengths{0, 0xffffffff, 0xffff, 0};
  fields sum{};
#pragma GCC unroll 4
  for (auto const* packet : packets) sum += *reinterpret_cast<fields const*>(&packet->packet_type) & lengths;
  return {sum[1], sum[2]};
}

// An RX queue that counts the packets that it gives. Some vector drivers give nothing to a caller with room for fewer
// than four packets, so small requests are served from a few packets kept aside.
class counted_rx_queue {
 public:
  counted_rx_queue(rx_queue queue, arrival_counters& counters) : queue_{queue}, counters_{counters} {}
  [[nodiscard]] received_packets receive(std::span<rte_mbuf*> room, cycles now) {
    if (room.size() < least_room_ || holds_packets()) return receive_few(room, now);
    auto const n = queue_.receive(room);
    if (n == 0) return {};
    return {.count = n, .has_chained = count(room.first(n), now)};
  }
  // Received and counted, not yet given.
  [[nodiscard]] bool holds_packets() const { return aside_next_ != aside_end_; }
  // The port is taken away: from here on the queue does not poll it.
  void leave(port_id gone) {
    if (queue_.port() == gone) least_room_ = left;
  }
  // The port that was left is started again.
  void rejoin(port_id back) {
    if (queue_.port() == back) least_room_ = few;
  }
  // Gives the held packets without polling the port.
  [[nodiscard]] received_packets take_held(std::span<rte_mbuf*> room);

 private:
  [[nodiscard]] received_packets receive_few(std::span<rte_mbuf*> room, cycles now);
  // Returns whether some packet is chained: one read of every packet's first line serves both purposes.
  [[nodiscard]] bool count(std::span<rte_mbuf*> packets, cycles now) {
    auto const bytes = add_lengths(packets);
    counters_.packets.add(packets.size());
    counters_.bytes.add(bytes.packets);
    if (counters_.first_seen.read() == 0) counters_.first_seen.add(now);
    counters_.last_seen.set(now);
    return bytes.first_segments != bytes.packets;
  }

  rx_queue queue_;
  arrival_counters& counters_;
  static constexpr std::size_t few = 8;
  // Larger than any room: each receive() is then a small request, which does not poll a port that was left.
  static constexpr auto left = std::numeric_limits<std::size_t>::max();
  std::size_t least_room_{few};
  std::array<rte_mbuf*, few> aside_{};
  std::size_t aside_next_{0};
  std::size_t aside_end_{0};
  bool aside_has_chained_{false};
};

// The conditions for closing a burst that is not full.
struct burst_closing {
  cycles timeout;           // once its first packet has waited this long
  std::uint64_t in_flight;  // at once, if the port has no more and fewer bursts than this are in flight after it
};

// The point at which a receive job's packets are captured, and their labels.
struct arrival_tap {
  capture_tap tap{};
  std::uint16_t port{};  // position among the plan's
};

// Fills bursts from a source and publishes them: when full, when older than the time-out, or at once if the port has no
// more and the executor is not busy, because waiting would then only add latency. A published burst has its epoch
// (burst/epoch_clock.h). Source: receive(room, now), take_held(room) for held packets when the port is no longer
// polled, leave(port) and rejoin(port).
template <class Source>
class receive_job final : public job {
 public:
  // epochs: of all rings whose packets share state.
  receive_job(std::uint16_t number, Source source, burst_ring& ring, receive_counters& counters, burst_closing closing,
              epoch_origin& epochs, arrival_tap seen = {})
      : number_{number},
        source_{std::move(source)},
        ring_{ring},
        counters_{counters},
        closing_{closing},
        seen_{seen},
        epochs_{to_cycles(epoch_length), epochs} {}

  std::uint32_t poll(tick const& t) override {
    burst* const open = ring_.open();
    if (open == nullptr) {
      if (t.phase == run_phase::running) counters_.ring_full.add(1);
      return 0;
    }
    std::span<rte_mbuf*> const room{open->packets + open->size, ring_.capacity() - open->size};
    bool const running = t.phase == run_phase::running;
    auto const [n, has_chained, again] = running ? source_.receive(room, t.now) : source_.take_held(room);
    if (n != 0) {
      if (auto* const capture = seen_.tap.active()) [[unlikely]]
        capture->take({capture_stage::rx, seen_.port, {}}, room.first(n));
      if (open->kept.are_kept()) [[unlikely]]
        open->kept.keep(open->size, room.first(n), again);
      if (open->size == 0) open->opened = t.now;
      open->size += n;
      open->has_chained |= has_chained;
    }
    if (open->size == ring_.capacity() ||
        (open->size != 0 && (!running || closes_early(*open, n, room.size(), t.now)))) {
      ring_.publish(epochs_.stamp(t.now, ring_));
      counters_.bursts.add(1);
    }
    return n;
  }
  void leave(port_id gone, cycles /*now*/) override { source_.leave(gone); }
  void rejoin(port_id back) override { source_.rejoin(back); }
  [[nodiscard]] std::string name() const override { return "receive " + std::to_string(number_); }

 private:
  [[nodiscard]] bool closes_early(burst const& open, std::uint32_t received, std::size_t room, cycles now) {
    return (received < room && ring_.has_fewer_than(closing_.in_flight)) || now - open.opened >= closing_.timeout;
  }

  std::uint16_t number_;
  Source source_;
  burst_ring& ring_;
  receive_counters& counters_;
  burst_closing closing_;
  arrival_tap seen_;
  epoch_clock epochs_;
};

// The pipeline's end of the ring from an isolated receiver. The receiver counts the packets in it.
class isolated_ring_source {
 public:
  explicit isolated_ring_source(rte_ring& ring) : ring_{&ring} {}
  [[nodiscard]] received_packets receive(std::span<rte_mbuf*> room, cycles) { return take_held(room); }
  [[nodiscard]] received_packets take_held(std::span<rte_mbuf*> room) {
    auto const n = dequeue(room);
    take_over(room.first(n));
    return {.count = n, .has_chained = n != 0};  // not read: these lines are in the cache of the receiver's core
  }
  // Packets that the receiver has put into the ring still come.
  void leave(port_id /*gone*/) {}
  void rejoin(port_id /*back*/) {}

 private:
  // DPDK's ring code is inlined here: ThreadSanitizer does not know its way of ordering two threads.
  [[gnu::no_sanitize_thread]] [[nodiscard]] std::uint32_t dequeue(std::span<rte_mbuf*> room) {
    return rte_ring_sc_dequeue_burst(ring_, reinterpret_cast<void**>(room.data()), static_cast<unsigned>(room.size()),
                                     nullptr);
  }
  rte_ring* ring_;
};

// A source, preceded by packets that the control plane has put back: they are rare, and cost no more than a read of the
// line of their ring.
template <class Source>
class with_returned {
 public:
  with_returned(Source source, mbuf_ring& returned, arrival_counters& counters)
      : source_{std::move(source)}, returned_{&returned}, counters_{counters} {}
  [[nodiscard]] received_packets receive(std::span<rte_mbuf*> room, cycles now) {
    if (!returned_->is_empty()) [[unlikely]]
      return take_returned(room);
    return source_.receive(room, now);
  }
  [[nodiscard]] received_packets take_held(std::span<rte_mbuf*> room) {
    if (!returned_->is_empty()) return take_returned(room);
    return source_.take_held(room);
  }
  void leave(port_id gone) { source_.leave(gone); }
  void rejoin(port_id back) { source_.rejoin(back); }

 private:
  [[nodiscard]] received_packets take_returned(std::span<rte_mbuf*> room) {
    auto const n = returned_->take(room);
    counters_.returned.add(n);
    counters_.returned_bytes.add(frame_bytes_of(room.first(n)));
    return {.count = n, .has_chained = n != 0, .again = n};
  }

  Source source_;
  mbuf_ring* returned_;
  arrival_counters& counters_;
};

// A source and the packets that pipelines of other GPUs hand over. Half of the room is the port's, so that neither of
// the two makes the other wait.
template <class Source>
class with_handed_over {
 public:
  with_handed_over(Source source, mbuf_ring& handed, receive_counters& counters)
      : source_{std::move(source)}, handed_{&handed}, counters_{counters} {}
  [[nodiscard]] received_packets receive(std::span<rte_mbuf*> room, cycles now) {
    if (handed_->is_empty()) return source_.receive(room, now);
    auto const n = take(room.first((room.size() + 1) / 2));
    if (n == room.size()) return {.count = n, .has_chained = true, .again = n};
    return {.count = n + source_.receive(room.subspan(n), now).count, .has_chained = true, .again = n};
  }
  [[nodiscard]] received_packets take_held(std::span<rte_mbuf*> room) {
    if (handed_->is_empty()) return source_.take_held(room);
    auto const n = take(room);
    return {.count = n, .has_chained = true, .again = n};
  }
  void leave(port_id gone) { source_.leave(gone); }
  void rejoin(port_id back) { source_.rejoin(back); }

 private:
  [[nodiscard]] std::uint32_t take(std::span<rte_mbuf*> room) {
    auto const n = handed_->take(room);
    counters_.handed_in.add(n);
    return n;
  }

  Source source_;
  mbuf_ring* handed_;
  receive_counters& counters_;
};

// DPVS's isolated receive: it only moves packets from a port into a ring. It stops polling while the ring has no room
// for a burst, so that the port counts missed packets and no received packet is lost. The exception is a receiver whose
// packets for the kernel do not go into the ring: it drops by name the packets that find the ring full, so that they do
// not block the packets for the kernel.
class isolate_job final : public job {
 public:
  isolate_job(std::uint16_t number, counted_rx_queue source, rte_ring& ring, receive_counters& counters)
      : number_{number}, source_{source}, ring_{&ring}, counters_{counters} {}
  // From here on packets of an address flow go straight to the kernel interface. The interface and the counters outlive
  // the job.
  void steer(twin_link& to, arrival_counters& counters, arrival_tap seen = {}) {
    steering_.emplace(to.config());
    twin_ = &to;
    arrivals_ = &counters;
    seen_ = seen;
  }
  std::uint32_t poll(tick const& t) override;
  void leave(port_id gone, cycles /*now*/) override { source_.leave(gone); }
  void rejoin(port_id back) override { source_.rejoin(back); }
  [[nodiscard]] std::string name() const override { return "isolate " + std::to_string(number_); }

 private:
  // Returns the number of packets that remain, at the front and in order.
  [[nodiscard]] std::uint32_t hand_to_host(std::span<rte_mbuf*> packets);
  void drop(std::span<rte_mbuf*> packets, drop_reason why, telemetry::counter& counter);
  // Packets that leave the pipeline here are captured here.
  void show(std::span<rte_mbuf* const> packets, capture_stage stage) const {
    if (auto* const capture = seen_.tap.active()) [[unlikely]]
      capture->take({stage, seen_.port, {}}, packets);
  }

  std::uint16_t number_;
  counted_rx_queue source_;
  rte_ring* ring_;
  receive_counters& counters_;
  std::optional<twin_steering> steering_;
  twin_link* twin_{};
  arrival_counters* arrivals_{};
  arrival_tap seen_;
};

}  // namespace packetwarp
