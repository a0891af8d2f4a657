// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/offload_executor.h"

#include <cuda/atomic>
#include <fmt/format.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/units.h"

namespace packetwarp {
namespace {

constexpr std::chrono::milliseconds look_period{1};

[[nodiscard]] cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> atomic(done_word& word) {
  return cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{word.value};
}

}  // namespace

offload_executor::offload_executor(burst_ring& ring, offload_ring_ref shared, std::unique_ptr<executor> fallback,
                                   std::chrono::nanoseconds timeout)
    : ring_{ring},
      shared_{shared},
      fallback_{std::move(fallback)},
      timeout_{to_cycles(timeout)},
      look_period_{to_cycles(look_period)},
      break_at_{std::numeric_limits<std::uint64_t>::max()} {}

std::uint32_t offload_executor::poll() {
  if (failed_.load(std::memory_order_relaxed)) return fallback_->poll();
  if (finished_ >= break_at_) [[unlikely]] {
    break_at_ = std::numeric_limits<std::uint64_t>::max();
    cause_fault();
  }
  if (!offer()) [[unlikely]]
    return fail(find_trouble());
  auto const packets = collect();
  if (packets == 0 && finished_ != described_) return look_for_trouble();
  idle_since_ = 0;
  return packets;
}

std::uint32_t offload_executor::describe_ready(std::uint32_t most) {
  std::uint32_t n = 0;
  for (; n < most; ++n) {
    burst const* const next = ring_.ready(described_ - finished_);
    if (next == nullptr) break;
    for (auto const& observer : observers_) observer->given(*next, described_);
    describe(*next, described_);
    ++described_;
  }
  return n;
}

void offload_executor::describe(burst const& work, std::uint64_t position) const {
  auto* const descriptors = shared_.descriptors(position);
  for (std::uint32_t i = 0; i < work.size; ++i) {
    auto* const packet = work.packets[i];
    descriptors[i] = packet_descriptor{rte_pktmbuf_mtod(packet, std::byte*), packet->data_len};
  }
  if (work.has_chained) {
    auto* const lengths = shared_.lengths_of(position);
    for (std::uint32_t i = 0; i < work.size; ++i) lengths[i] = work.packets[i]->pkt_len;
  }
  *shared_.header(position) = {.size = work.size, .has_chained = work.has_chained ? 1u : 0u, .reserved = 0};
}

bool offload_executor::is_done(std::uint64_t position, burst_outcome& outcome) const {
  auto const word = atomic(shared_.done[position & shared_.mask]).load(cuda::memory_order_acquire);
  outcome = burst_outcome::from_raw(static_cast<std::uint32_t>(word >> 32));
  return static_cast<std::uint32_t>(word) == static_cast<std::uint32_t>(position + 1);
}

std::uint32_t offload_executor::take_back(burst_outcome outcome) {
  burst* const work = ring_.next_ready();
  auto const size = work->size;
  if (!outcome.is_uniform()) std::copy_n(shared_.verdicts_of(finished_), size, work->verdicts);
  for (auto const& observer : observers_) observer->taken_back(*work, finished_, outcome);
  return pass_on(size, outcome);
}

std::uint32_t offload_executor::give_up() {
  for (auto const& observer : observers_) observer->lost(finished_);
  return pass_on(ring_.next_ready()->size, burst_outcome::uniform(verdict::drop(drop_reason::gpu_failed)));
}

std::uint32_t offload_executor::pass_on(std::uint32_t size, burst_outcome outcome) {
  ring_.finish(outcome);
  ++finished_;
  return size;
}

std::uint32_t offload_executor::collect() {
  std::uint32_t packets = 0;
  auto outcome = burst_outcome::mixed();
  while (finished_ != described_ && is_done(finished_, outcome)) packets += take_back(outcome);
  return packets;
}

std::uint32_t offload_executor::look_for_trouble() {
  auto const now = now_cycles();
  if (idle_since_ == 0) {
    idle_since_ = now;
    next_look_ = now + look_period_;
  }
  if (now < next_look_) return 0;
  next_look_ = now + look_period_;
  if (auto const why = find_trouble(); !why.empty()) return fail(why);
  if (now - idle_since_ < timeout_) return 0;
  return fail(fmt::format("no progress for {}", format_duration(to_nanoseconds(timeout_))));
}

std::uint32_t offload_executor::fail(std::string const& why) {
  std::uint32_t packets = 0;
  std::uint32_t lost = 0;
  auto outcome = burst_outcome::mixed();
  auto const bursts = described_ - finished_;
  while (finished_ != described_) {
    // Bursts are finished in any order: those that are count, whatever came of those before them.
    if (is_done(finished_, outcome)) {
      packets += take_back(outcome);
    } else {
      lost += give_up();
    }
  }
  failed_.store(true, std::memory_order_relaxed);
  log().error("{}: {}; {} packets of the {} bursts it had are dropped as gpu_failed, and the CPU goes on from the next",
              what(), why, lost, bursts);
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
