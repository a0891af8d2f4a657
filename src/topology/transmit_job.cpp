// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/transmit_job.h"

#include <rte_prefetch.h>

#include <algorithm>
#include <array>

#include "topology/front_moves.h"

namespace packetwarp {

egress::egress(tx_queue queue, std::uint32_t longest_chain, std::uint32_t capacity, cycles timeout)
    : queue_{queue}, longest_chain_{longest_chain}, timeout_{timeout}, waiting_(capacity) {}

std::uint32_t egress::send(std::span<rte_mbuf*> packets, cycles now) {
  // Behind waiting packets there is no overtaking.
  if (waiting() != 0) {
    keep(packets);
    return 0;
  }
  auto const taken = queue_.send(packets);
  if (taken < packets.size()) {
    last_progress_ = now;
    keep(packets.subspan(taken));
  }
  return taken;
}

std::uint32_t egress::flush(cycles now) {
  if (waiting() == 0) return 0;
  auto const taken = queue_.send(std::span{waiting_}.subspan(begin_, waiting()));
  begin_ += taken;
  if (taken != 0) last_progress_ = now;
  return taken;
}

std::span<rte_mbuf*> egress::take_waiting() {
  auto const all = std::span{waiting_}.subspan(begin_, waiting());
  begin_ = end_ = 0;
  return all;
}

void egress::keep(std::span<rte_mbuf*> packets) {
  if (end_ + packets.size() > waiting_.size()) {
    std::copy(waiting_.begin() + begin_, waiting_.begin() + end_, waiting_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  std::copy(packets.begin(), packets.end(), waiting_.begin() + end_);
  end_ += static_cast<std::uint32_t>(packets.size());
}

namespace {

// Both lines of every header: freeing a packet looks at the second.
void fetch(std::span<rte_mbuf*> packets) {
  for (auto const* packet : packets) {
    rte_prefetch0(packet);
    rte_prefetch0(reinterpret_cast<std::byte const*>(packet) + RTE_CACHE_LINE_SIZE);
  }
}

void move_fronts(std::span<rte_mbuf*> packets, int pushed) {
  for (auto* const packet : packets) move_front(*packet, pushed);
}

}  // namespace

std::uint32_t transmit_job::poll(tick const& t) {
  bool const can_send = flush_waiting(t);
  std::uint32_t sent = 0;
  if (outbox_ != nullptr && can_send && !outbox_->is_empty()) [[unlikely]]
    sent = send_for_control(t);
  burst* const done = ring_.next_done();
  if (done == nullptr || !can_send) return sent;
  auto const size = done->size;
  if (where_ == packets_lie::in_other_caches) fetch(done->all());
  // With a clock read before the packets came, latency would come out as nothing: it is taken of the turns that are
  // timed job by job, without bias, and without reading the clock for it.
  if (t.read == tick::clock::fresh) counters_.latency.record(t.now - done->opened, size);
  dispatch(*done, ring_.outcome(), t);
  ring_.release();
  return sent + size;
}

// Whether every egress has room for one more burst.
inline bool transmit_job::flush_waiting(tick const& t) {
  bool all_have_room = true;
  for (auto& to : egresses_) {
    if (to.waiting() == 0) continue;
    if (t.phase != run_phase::abandoning) counters_.packets.add(to.flush(t.now));
    if (t.phase == run_phase::abandoning) {
      drop(drop_reason::shutdown, to.take_waiting());
    } else if (to.is_stuck(t.now)) {
      drop(drop_reason::tx_full, to.take_waiting());
    }
    all_have_room &= to.has_room_for(ring_.capacity());
  }
  return all_have_room;
}

inline void transmit_job::dispatch(burst& work, burst_outcome outcome, tick const& t) {
  if (outcome.is_uniform() && !work.has_chained) {
    act(outcome.of_all(), work.all(), t);
    return;
  }
  if (outcome.is_uniform()) std::fill_n(work.verdicts, work.size, outcome.of_all());
  if (work.has_chained) refuse_chained(work);
  // Runs of packets that go the same way: the order within each way is kept, and most runs are long.
  for (std::uint32_t begin = 0, end = 0; begin < work.size; begin = end) {
    end = begin + 1;
    while (end < work.size && work.verdicts[end] == work.verdicts[begin]) ++end;
    act(work.verdicts[begin], work.all().subspan(begin, end - begin), t);
  }
}

// A port without multi-segment transmit would send the first mbuf only, or worse: such packets are dropped by name.
void transmit_job::refuse_chained(burst& work) const {
  for (std::uint32_t i = 0; i < work.size; ++i) {
    auto& v = work.verdicts[i];
    bool const leaves = v.what() == verdict::action::forward;
    if (leaves && !egresses_[static_cast<std::size_t>(v.to())].takes(*work.packets[i])) {
      v = verdict::drop(drop_reason::tx_chained);
    }
  }
}

void transmit_job::act(verdict what, std::span<rte_mbuf*> packets, tick const& t) {
  if (t.phase == run_phase::abandoning) {
    drop(drop_reason::shutdown, packets);
    return;
  }
  switch (what.what()) {
    case verdict::action::forward: {
      if (what.move() != front_move::none) move_fronts(packets, bytes_pushed(what.move()));
      auto const n = static_cast<std::size_t>(what.to());
      if (auto* const capture = seen_.tap.active()) [[unlikely]]
        capture->take({capture_stage::tx, seen_.egresses[n], {}}, packets);
      auto& to = egresses_[n];
      counters_.packets.add(to.send(packets, t.now));
      return;
    }
    case verdict::action::drop:
      drop(what.why(), packets);
      return;
    case verdict::action::punt:
      punt(what.why_punted(), packets);
      return;
  }
}

void transmit_job::punt(punt_reason why, std::span<rte_mbuf*> packets) {
  if (why == punt_reason::to_kernel && control_.kernel != nullptr) return hand_to_kernel(packets);
  if (control_.desk == nullptr) {
    drop(drop_reason::no_kernel_interface, packets);
    return;
  }
  // Those taken are others' already when it says how many.
  if (auto* const capture = seen_.tap.active()) [[unlikely]]
    capture->take({capture_stage::punted, seen_.ingress, to_string(why)}, packets);
  auto const taken = control_.desk->punt(packets, {.why = why, .port = control_.ingress});
  counters_.punted.add(taken);
  drop(drop_reason::punt_full, packets.subspan(taken));
}

// What the kernel does not see of them by way of the control plane: it finishes none of these.
void transmit_job::hand_to_kernel(std::span<rte_mbuf*> packets) {
  std::uint64_t bytes = 0;
  for (auto const* packet : packets) bytes += packet->pkt_len;
  if (auto* const capture = seen_.tap.active()) [[unlikely]]
    capture->take({capture_stage::kernel, seen_.ingress, {}}, packets);
  auto const taken = control_.kernel->hand_over(packets);
  auto const rest = packets.subspan(taken);
  for (auto const* packet : rest) bytes -= packet->pkt_len;
  counters_.to_kernel_bytes.add(bytes);
  counters_.to_kernel.add(taken);
  counters_.punted.add(taken);
  drop(drop_reason::kernel_full, rest);
}

// Few at a time, so that those that come in do not wait long. Packets that find no room in their port are gone: who
// sends them will send them again.
std::uint32_t transmit_job::send_for_control(tick const& t) {
  std::array<rte_mbuf*, 32> packets;
  auto const n = outbox_->take(packets);
  for (auto* packet : std::span{packets}.first(n)) {
    auto const tag = send_tag_of(*packet);
    auto& to = egresses_[tag.port];
    if (auto* const capture = seen_.tap.active()) [[unlikely]]
      capture->take({capture_stage::tx, seen_.egresses[tag.port], {}}, {&packet, 1});
    bool const leaves = t.phase != run_phase::abandoning && to.takes(*packet) && to.send_at_once({&packet, 1}) == 1;
    count_control(tag, leaves);
    if (!leaves) rte_pktmbuf_free(packet);
  }
  return n;
}

void transmit_job::count_control(send_tag const& tag, bool leaves) {
  if (tag.from == send_tag::sender::control_plane)
    return (leaves ? counters_.control_sent : counters_.control_lost).add(1);
  auto& departed = control_.kernels[tag.port]->departures;
  (leaves ? departed.sent : departed.tx_full).add(1);
}

void transmit_job::drop(drop_reason why, std::span<rte_mbuf*> packets) {
  if (packets.empty()) return;
  if (auto* const capture = seen_.tap.active()) [[unlikely]]
    capture->take_dropped(seen_.ingress, why, packets);
  std::uint64_t bytes = 0;
  for (auto const* packet : packets) bytes += packet->pkt_len;
  hand_over(packets);  // to whoever allocates them next
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
  counters_.dropped[static_cast<std::size_t>(why)].add(packets.size());
  counters_.dropped_bytes.add(bytes);
  counters_.dropped_packets.add(packets.size());
}

}  // namespace packetwarp
