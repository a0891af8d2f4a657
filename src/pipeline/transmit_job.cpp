// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/transmit_job.h"

#include <rte_prefetch.h>

#include <algorithm>
#include <cstdlib>

#include "burst/front_moves.h"
#include "pipeline/frame_bytes.h"

namespace packetwarp {

namespace {

// Fetches both lines of every header: freeing a packet reads the second.
void fetch(std::span<rte_mbuf*> packets) {
  for (auto const* packet : packets) {
    rte_prefetch0(packet);
    rte_prefetch0(reinterpret_cast<std::byte const*>(packet) + RTE_CACHE_LINE_SIZE);
  }
}

}  // namespace

transmit_job::transmit_job(std::uint16_t number, burst_ring& ring, std::vector<egress> egresses,
                           departure_counters& counters, packets_lie where, control_link control, departure_tap seen)
    : number_{number},
      ring_{ring},
      egresses_{std::move(egresses)},
      limits_lengths_{std::ranges::any_of(egresses_, &egress::limits_lengths)},
      counters_{counters},
      where_{where},
      control_{std::move(control)},
      outbox_{control_.desk != nullptr ? &control_.desk->doors_of(control_.pipeline).outbox : nullptr},
      seen_{std::move(seen)} {
  waiting_.reserve(egresses_.size());
  if (egresses_.size() == 1) egresses_.front().hold_up_for_ever();
}

namespace {

// now: when the clock was read. A burst that other lcores received and worked on since then is older than it seems.
[[nodiscard]] cycles age_of(burst const& done, cycles now) {
  if (now < done.opened) now = now_cycles();
  return now > done.opened ? now - done.opened : 0;
}

}  // namespace

std::uint32_t transmit_job::poll(tick const& t) {
  if (!waiting_.empty()) [[unlikely]]
    flush_waiting(t);
  std::uint32_t sent = 0;
  if (outbox_ != nullptr && !outbox_->is_empty()) [[unlikely]]
    sent = send_for_control(t);
  burst* const done = ring_.next_done();
  if (done == nullptr) return sent;
  if (mirror_) [[unlikely]]
    mirror_->mirror(*done, ring_.outcome(), egresses_[mirror_->egress()], t, counters_, seen_);
  if (!waiting_.empty() && is_held_up(*done, ring_.outcome(), t)) [[unlikely]]
    return sent + dispatch_past(*done, ring_.outcome(), t);
  auto const size = done->size;
  if (where_ == packets_lie::in_other_caches) fetch(done->all());
  // A clock that was read before the packets came would make latency seem zero. Latency is recorded in the iterations
  // that are timed job by job: without bias, and without another read of the clock.
  if (t.read == tick::clock::fresh) counters_.latency.record(age_of(*done, t.now), size);
  dispatch(*done, ring_.outcome(), t);
  ring_.release();
  return sent + size;
}

// Tries waiting packets again, and gives up egresses that are stuck.
void transmit_job::flush_waiting(tick const& t) {
  std::erase_if(waiting_, [&](std::uint16_t n) {
    auto& to = egresses_[n];
    if (t.phase == run_phase::abandoning) {
      give_up_first(to);
      drop(drop_reason::shutdown, to.take_waiting());
    } else {
      if (!to.first_in_line().empty()) flush_first(n, t);
      counters_.packets.add(to.flush(t.now));
      if (to.is_stuck(t.now)) {
        give_up_first(to);
        drop(drop_reason::tx_full, to.give_up(t.now));
      }
    }
    if (to.is_waiting()) return false;
    to.allowance().rest(t.now);
    return true;
  });
}

void transmit_job::leave(port_id gone, cycles now) {
  for (std::size_t n = 0; n < egresses_.size(); ++n) {
    auto& to = egresses_[n];
    if (to.port() != gone) continue;
    give_up_first(to);
    drop(drop_reason::tx_full, to.leave(now));
    std::erase(waiting_, static_cast<std::uint16_t>(n));
  }
}

void transmit_job::rejoin(port_id back) {
  for (auto& to : egresses_) {
    if (to.port() == back) to.rejoin();
  }
}

namespace {

[[nodiscard]] bool leaves_by(verdict v, std::size_t n) {
  return v.what() == verdict::action::forward && static_cast<std::size_t>(v.to()) == n;
}

// The number of packets of the burst that leave by the n-th egress.
[[nodiscard]] std::uint32_t packets_for(std::size_t n, burst const& work, burst_outcome outcome) {
  if (outcome.is_uniform()) return leaves_by(outcome.of_all(), n) ? work.size : 0;
  return static_cast<std::uint32_t>(
      std::count_if(work.verdicts, work.verdicts + work.size, [&](verdict v) { return leaves_by(v, n); }));
}

}  // namespace

// Whether the burst waits for an egress that has no room for its packets. All egresses with waiting packets are asked:
// each accounts for the time for which it holds up the ring.
bool transmit_job::is_held_up(burst const& work, burst_outcome outcome, tick const& t) {
  bool is_held = false;
  for (auto const n : waiting_) {
    auto& to = egresses_[n];
    if (to.has_room_for(work.size) || to.has_room_for(packets_for(n, work, outcome))) {
      to.allowance().rest(t.now);
    } else {
      is_held |= to.allowance().spend(t.now);
    }
  }
  return is_held;
}

// Carries out the verdicts of a waiting burst's packets, except packets for the full egresses, which stay in it.
// Returns how many packets it took out.
std::uint32_t transmit_job::dispatch_past(burst& work, burst_outcome outcome, tick const& t) {
  if (outcome.is_uniform()) return 0;
  if (may_refuse(work)) refuse_unsendable(work);
  std::uint32_t kept = 0;
  for (std::uint32_t begin = 0, end = 0; begin < work.size; begin = end) {
    end = begin + 1;
    auto const v = work.verdicts[begin];
    while (end < work.size && work.verdicts[end] == v) ++end;
    bool const waits =
        v.what() == verdict::action::forward && egresses_[static_cast<std::size_t>(v.to())].allowance().is_holding();
    if (!waits) {
      act(v, work.all().subspan(begin, end - begin), t);
      continue;
    }
    std::copy(work.packets + begin, work.packets + end, work.packets + kept);
    std::copy(work.verdicts + begin, work.verdicts + end, work.verdicts + kept);
    kept += end - begin;
  }
  auto const gone = work.size - kept;
  work.size = kept;
  return gone;
}

inline void transmit_job::dispatch(burst& work, burst_outcome outcome, tick const& t) {
  if (outcome.is_uniform() && !may_refuse(work)) {
    act(outcome.of_all(), work.all(), t);
    return;
  }
  if (outcome.is_uniform()) std::fill_n(work.verdicts, work.size, outcome.of_all());
  if (may_refuse(work)) refuse_unsendable(work);
  // Works on runs of packets with the same verdict: the order among them is kept, and most runs are long.
  for (std::uint32_t begin = 0, end = 0; begin < work.size; begin = end) {
    end = begin + 1;
    while (end < work.size && work.verdicts[end] == work.verdicts[begin]) ++end;
    act(work.verdicts[begin], work.all().subspan(begin, end - begin), t);
  }
}

// A port without multi-segment transmit would send the first mbuf only, or worse, and a kernel interface would lose a
// frame that is longer than its MTU: such packets are dropped by name.
void transmit_job::refuse_unsendable(burst& work) const {
  for (std::uint32_t i = 0; i < work.size; ++i) {
    auto& v = work.verdicts[i];
    if (v.what() != verdict::action::forward) continue;
    auto const& to = egresses_[static_cast<std::size_t>(v.to())];
    auto const& packet = *work.packets[i];
    auto const pushed = bytes_pushed(v.move());
    if (to.is_too_long(packet, pushed)) {
      v = verdict::drop(drop_reason::tx_too_long, v.move());
    } else if (!to.takes_mbufs(packet, pushed)) {
      v = verdict::drop(drop_reason::tx_chained, v.move());
    }
  }
}

// Nothing else changes the length of a pipeline's packets.
void transmit_job::move_fronts(front_move how, std::span<rte_mbuf*> packets) {
  auto const pushed = bytes_pushed(how);
  for (auto* const packet : packets) move_front(*packet, pushed);
  auto const all = static_cast<std::uint64_t>(std::abs(pushed)) * packets.size();
  (pushed > 0 ? counters_.pushed_bytes : counters_.popped_bytes).add(all);
}

void transmit_job::act(verdict what, std::span<rte_mbuf*> packets, tick const& t) {
  if (what.move() != front_move::none) move_fronts(what.move(), packets);
  if (t.phase == run_phase::abandoning) {
    drop(drop_reason::shutdown, packets);
    return;
  }
  switch (what.what()) {
    case verdict::action::forward:
      return forward(static_cast<std::size_t>(what.to()), packets, t);
    case verdict::action::drop:
      drop(what.why(), packets);
      return;
    case verdict::action::punt:
      punt(what.why_punted(), packets, t);
      return;
    case verdict::action::hand_over:
      hand_to_gpu(what.to_gpu(), packets);
      return;
  }
}

inline void transmit_job::forward(std::size_t n, std::span<rte_mbuf*> packets, tick const& t) {
  auto& to = egresses_[n];
  if (!to.is_clear()) [[unlikely]]
    return forward_impeded(n, packets, t);
  show_leaving(n, packets);
  auto const taken = to.send(packets, t.now);
  counters_.packets.add(taken);
  if (taken < packets.size()) waiting_.push_back(static_cast<std::uint16_t>(n));
}

// Forwards by an egress that has waiting packets or is given up.
void transmit_job::forward_impeded(std::size_t n, std::span<rte_mbuf*> packets, tick const& t) {
  auto& to = egresses_[n];
  if (!to.is_given_up()) {
    auto const room = std::min<std::size_t>(to.room(), packets.size());
    show_leaving(n, packets.first(room));
    (void)to.send(packets.first(room), t.now);
    return drop(drop_reason::tx_full, packets.subspan(room));
  }
  if (!to.is_probe_due(t.now)) return drop(drop_reason::tx_full, packets);
  show_leaving(n, packets);
  auto const taken = to.probe(packets, t.now);
  if (taken == 0) return drop(drop_reason::tx_full, packets);
  counters_.packets.add(taken);
  if (taken < packets.size()) waiting_.push_back(static_cast<std::uint16_t>(n));
}

void transmit_job::drop(drop_reason why, std::span<rte_mbuf*> packets) {
  if (packets.empty()) return;
  if (auto* const capture = seen_.tap.active()) [[unlikely]]
    capture->take_dropped(seen_.ingress, why, packets);
  auto const bytes = frame_bytes_of(packets);
  hand_over(packets);  // to the thread that allocates them next
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
  counters_.dropped[static_cast<std::size_t>(why)].add(packets.size());
  counters_.dropped_bytes.add(bytes);
  counters_.dropped_packets.add(packets.size());
}

}  // namespace packetwarp
