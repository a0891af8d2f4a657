// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/offload/offload_executor.h"

#include <cuda/atomic>
#include <fmt/format.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log/log.h"
#include "base/units.h"

namespace packetwarp {
namespace {

[[nodiscard]] cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> atomic(std::uint64_t& word) {
  return cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{word};
}

}  // namespace

offload_executor::offload_executor(burst_ring& ring, offload_ring_ref shared, std::unique_ptr<executor> fallback,
                                   std::chrono::nanoseconds timeout, std::shared_ptr<gpu_domain> domain)
    : ring_{ring},
      shared_{shared},
      fallback_{std::move(fallback)},
      domain_{std::move(domain)},
      timeout_{to_cycles(timeout)},
      most_a_check_{std::max<cycles>(to_cycles(timeout) / 8, 1)},
      unsuspicious_{std::min(to_cycles(timeout) / 8, to_cycles(std::chrono::milliseconds{2}))},
      break_at_{std::numeric_limits<std::uint64_t>::max()} {
  domain_->join(*this);
}

void offload_executor::give() {
  if (!domain_->is_working()) [[unlikely]] {
    gave_last_.store(true, std::memory_order_release);
    return;
  }
  if (finished() >= break_at_) [[unlikely]] {
    if (cause_fault()) break_at_ = std::numeric_limits<std::uint64_t>::max();
  }
  if (!refused_.load(std::memory_order_relaxed) && !offer()) refused_.store(true, std::memory_order_release);
}

std::uint32_t offload_executor::collect() {
  if (auto const now = domain_->state(); now != gpu_domain::health::working) [[unlikely]]
    return collect_after_loss(now);
  auto const packets = take_back_finished();
  // More may be finished than is counted as described: the giving thread counts its bursts after the last of them.
  bool const waits =
      packets == 0 && finished_.load(std::memory_order_relaxed) < described_.load(std::memory_order_relaxed);
  if (waits || refused_.load(std::memory_order_relaxed)) {
    wait_for_progress();
  } else if (last_check_ != 0) {
    last_check_ = idle_ = 0;
    wants_watching_.store(false, std::memory_order_relaxed);
  }
  return packets;
}

std::uint32_t offload_executor::describe_ready(std::uint32_t most) {
  auto position = described();
  std::uint32_t n = 0;
  for (; n < most; ++n) {
    burst const* const next = ring_.next_ready();
    if (next == nullptr) break;
    for (auto const& observer : observers_) observer->given(*next, position);
    show_received();
    describe(*next, position++);
    ring_.take();
  }
  described_.store(position, std::memory_order_release);
  return n;
}

void offload_executor::describe(burst const& work, std::uint64_t position) const {
  auto const turn = turn_of(position, shared_.mask);
  auto* const descriptors = shared_.descriptors(position);
  shared_.epoch(position) = slot_epoch{work.epoch, turn}.raw();
  for (std::uint32_t i = 0; i < work.size; ++i) {
    auto* const packet = work.packets[i];
    descriptors[i] = packet_descriptor{rte_pktmbuf_mtod(packet, std::byte*), packet->data_len, turn}.raw();
  }
  for (auto i = work.size; i < front_descriptors; ++i) descriptors[i] = packet_descriptor{nullptr, 0, turn}.raw();
  if (work.has_chained) {
    auto* const lengths = shared_.lengths_of(position);
    auto* const rests = shared_.rests_of(position);
    for (std::uint32_t i = 0; i < work.size; ++i) {
      auto const* const rest = work.packets[i]->next;
      lengths[i] = work.packets[i]->pkt_len;
      rests[i] = rest == nullptr ? packet_descriptor{nullptr, 0, turn}
                                 : packet_descriptor{rte_pktmbuf_mtod(rest, std::byte*), rest->data_len, turn};
    }
  }
  atomic(shared_.header(position))
      .store(slot_header{position, work.size, work.has_chained ? 1u : 0u}.raw(), cuda::memory_order_release);
}

bool offload_executor::is_done(std::uint64_t position, burst_outcome& outcome) const {
  auto const word = atomic(shared_.done[position & shared_.mask].value).load(cuda::memory_order_acquire);
  outcome = burst_outcome::from_raw(static_cast<std::uint32_t>(word >> 32));
  return static_cast<std::uint32_t>(word) == static_cast<std::uint32_t>(position + 1);
}

std::uint32_t offload_executor::take_back(burst_outcome outcome) {
  auto const position = finished_.load(std::memory_order_relaxed);
  auto& work = ring_.oldest_taken();
  auto const size = work.size;
  if (!outcome.is_uniform()) std::copy_n(shared_.verdicts_of(position), size, work.verdicts);
  for (auto const& observer : observers_) observer->taken_back(work, position, outcome);
  return pass_on(size, outcome);
}

std::uint32_t offload_executor::give_up() {
  for (auto const& observer : observers_) observer->lost(finished_.load(std::memory_order_relaxed));
  auto const& work = ring_.oldest_taken();
  held_.hold(work.all());
  return pass_on(work.size, burst_outcome::uniform(verdict::drop(drop_reason::gpu_failed)));
}

std::uint32_t offload_executor::pass_on(std::uint32_t size, burst_outcome outcome) {
  ring_.finish(outcome);
  finished_.store(finished_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return size;
}

std::uint32_t offload_executor::take_back_finished() {
  std::uint32_t packets = 0;
  auto outcome = burst_outcome::mixed();
  // A burst that the processor has finished was described before, and all of its description is seen with the done
  // word; described_ may follow later.
  while (is_done(finished_.load(std::memory_order_relaxed), outcome)) packets += take_back(outcome);
  return packets;
}

// This thread does not ask the driver: its answer may take seconds when something is wrong. The thread itself may have
// stood still since its last check, with the process or its machine; this says nothing about the processor, whose
// bursts may be finished by now. So no time between two checks counts as more than a part of the time-out.
void offload_executor::wait_for_progress() {
  auto const now = now_cycles();
  if (last_check_ != 0) idle_ += std::min(now - last_check_, most_a_check_);
  last_check_ = now;
  if (idle_ >= unsuspicious_) wants_watching_.store(true, std::memory_order_relaxed);
  bool const is_over =
      idle_ >= timeout_ || in_trouble_.load(std::memory_order_acquire) || refused_.load(std::memory_order_acquire);
  if (is_over) domain_->lose(*this);
}

std::uint32_t offload_executor::collect_after_loss(gpu_domain::health now) {
  if (!has_left_.load(std::memory_order_relaxed)) {
    return gave_last_.load(std::memory_order_acquire) ? leave(now) : 0;
  }
  if (now != gpu_domain::health::lost) return 0;
  auto const packets = fallback_->poll();
  if (packets != 0 && !has_resumed_) [[unlikely]] {
    has_resumed_ = true;
    domain_->resume();
  }
  return packets;
}

void offload_executor::watch() {
  if (!wants_watching_.load(std::memory_order_relaxed) || in_trouble_.load(std::memory_order_relaxed)) return;
  auto found = find_trouble();
  // The processor is asked first: it ends after it was told to.
  if (found.empty() && has_ended() && !told_to_end_.load(std::memory_order_acquire))
    found = "its kernel ended by itself";
  if (found.empty()) return;
  // A driver may need longer to find the error than packets can wait for.
  if (has_failed()) log().error("{}: the driver says now: {}", what(), found);
  trouble_ = std::move(found);
  in_trouble_.store(true, std::memory_order_release);
}

end_state offload_executor::stop() {
  told_to_end_.store(true, std::memory_order_release);
  auto const how = end();
  if (how == end_state::ended) {
    held_.release();
  } else {
    held_.abandon();
  }
  return how;
}

std::string offload_executor::why_failed() const {
  if (refused_.load(std::memory_order_acquire)) return refusal();
  if (in_trouble_.load(std::memory_order_acquire)) return trouble_;
  return fmt::format("no progress for {}", format_duration(to_nanoseconds(timeout_)));
}

std::string offload_executor::trouble() const { return fmt::format("{}: {}", what(), why_failed()); }

// If the other members could not wait for this one, modules have been told of the loss by now, and may not know of
// bursts that were finished since: none of these counts.
std::uint32_t offload_executor::leave(gpu_domain::health now) {
  bool const counts = now == gpu_domain::health::losing;
  std::uint32_t packets = 0;
  std::uint32_t lost = 0;
  auto outcome = burst_outcome::mixed();
  auto const end = described_.load(std::memory_order_acquire);
  auto const bursts = end - finished_.load(std::memory_order_relaxed);
  for (auto position = end - bursts; position != end; ++position) {
    // Bursts are finished in any order: finished ones count, whatever became of the bursts before them.
    if (counts && is_done(position, outcome)) {
      packets += take_back(outcome);
    } else {
      lost += give_up();
    }
  }
  told_to_end_.store(true, std::memory_order_release);
  let_go();
  has_left_.store(true, std::memory_order_relaxed);
  domain_->leave(bursts, lost);
  return packets + lost;
}

check_counts offload_executor::checked() const {
  check_counts all;
  for (auto const& observer : observers_) {
    all.packets += observer->checked().packets;
    all.wrong += observer->checked().wrong;
  }
  return all;
}

}  // namespace packetwarp
