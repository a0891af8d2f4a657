// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/log/log.h"
#include "base/sleep.h"
#include "base/units.h"

namespace packetwarp {
namespace {

// The line that reports a loss waits this long for the first packets that the CPU handles.
constexpr std::chrono::milliseconds waits_for_packets{100};

// Most copies are short; a longer one leaves the CPU to other threads, perhaps to the thread that makes the copy.
constexpr std::chrono::microseconds short_copy{20};
constexpr std::chrono::microseconds rest_in_copy{20};

[[nodiscard]] std::string_view name_of(gpu_driver::course way) {
  return way == gpu_driver::course::to_gpu ? "writing tables to its memory" : "reading tables from its memory";
}

}  // namespace

gpu_domain::gpu_domain(int gpu, std::unique_ptr<gpu_driver> driver, patience const& limits)
    : gpu_{gpu}, driver_{std::move(driver)}, limits_{limits} {}
gpu_domain::gpu_domain(int gpu) : gpu_domain{gpu, nullptr, {}} {}
gpu_domain::~gpu_domain() = default;

void gpu_domain::join(gpu_member const& who) { members_.push_back(&who); }

bool gpu_domain::note_first_sign(gpu_member const* who) {
  if (has_sign_.exchange(true, std::memory_order_acq_rel)) return false;
  who_.store(who, std::memory_order_relaxed);
  first_sign_.store(now_cycles(), std::memory_order_relaxed);
  state_.store(health::losing, std::memory_order_release);
  return true;
}

void gpu_domain::lose(gpu_member const& who) { (void)note_first_sign(&who); }

void gpu_domain::lose(std::string why) {
  if (note_first_sign(nullptr)) why_ = std::move(why);
}

void gpu_domain::leave(std::uint64_t bursts, std::uint64_t packets) {
  bursts_.fetch_add(bursts, std::memory_order_relaxed);
  packets_.fetch_add(packets, std::memory_order_relaxed);
  quiet_.fetch_add(1, std::memory_order_release);
}

void gpu_domain::resume() {
  auto const now = now_cycles();
  auto none = cycles{0};
  (void)first_packet_.compare_exchange_strong(none, now, std::memory_order_relaxed);
  last_packet_.store(now, std::memory_order_relaxed);
  resumed_.fetch_add(1, std::memory_order_release);
}

bool gpu_domain::look(cycles now) {
  switch (state()) {
    case health::working:
      return false;
    case health::losing: {
      bool const all_are_quiet = quiet_.load(std::memory_order_acquire) >= members_.size();
      auto const since = now - std::min(now, first_sign_.load(std::memory_order_relaxed));
      if (!all_are_quiet && since < to_cycles(limits_.executors)) return false;
      take_over();
      return true;
    }
    case health::lost:
      break;
  }
  if (is_reported_) return false;
  bool const is_over = now - std::min(now, taken_over_.load(std::memory_order_relaxed)) >= to_cycles(waits_for_packets);
  if (is_over || resumed_.load(std::memory_order_acquire) >= members_.size()) report();
  return false;
}

void gpu_domain::take_over() {
  for (auto const& tell : modules_) tell();
  taken_over_.store(now_cycles(), std::memory_order_relaxed);
  state_.store(health::lost, std::memory_order_release);
}

void gpu_domain::finish() {
  if (state() == health::losing) take_over();
  if (state() == health::lost && !is_reported_) report();
}

void gpu_domain::report() {
  is_reported_ = true;
  auto const* const who = who_.load(std::memory_order_relaxed);
  auto const seen = loss();
  auto const since = [&](cycles then) {
    return format_duration(to_nanoseconds(then - std::min(then, seen.first_sign)));
  };
  auto const end = since(seen.first_packet != 0 ? seen.first_packet : seen.taken_over);
  auto const last = seen.last_packet > seen.first_packet
                        ? fmt::format(", {} for the last pipeline", since(seen.last_packet))
                        : std::string{};
  auto const then = members_.empty() ? std::string_view{"the CPU goes on"} : members_.front()->taking_over();
  log().error("{}; {} packets of the {} bursts its {} pipelines had are dropped as gpu_failed, and {}; failover {}{}",
              who != nullptr ? who->trouble() : fmt::format("GPU {}: {}", gpu_, why_), seen.packets, seen.bursts,
              members_.size(), then, end, last);
}

gpu_loss gpu_domain::loss() const {
  return {.first_sign = first_sign_.load(std::memory_order_relaxed),
          .taken_over = taken_over_.load(std::memory_order_relaxed),
          .first_packet = first_packet_.load(std::memory_order_relaxed),
          .last_packet = last_packet_.load(std::memory_order_relaxed),
          .bursts = bursts_.load(std::memory_order_relaxed),
          .packets = packets_.load(std::memory_order_relaxed)};
}

copied gpu_domain::write(std::byte* to, std::span<std::byte const> from) {
  return copy(to, from.data(), from.size(), gpu_driver::course::to_gpu);
}

copied gpu_domain::read(std::byte const* from, std::span<std::byte> into) {
  return copy(into.data(), from, into.size(), gpu_driver::course::from_gpu);
}

// Copies through the driver's room, piece by piece, so that no call waits for anything but the GPU's work.
copied gpu_domain::copy(std::byte* to, std::byte const* from, std::size_t bytes, gpu_driver::course way) {
  bool const writes = way == gpu_driver::course::to_gpu;
  for (std::size_t done = 0; done < bytes;) {
    if (!is_working()) return copied::lost;
    auto const room = driver_->room();
    auto const piece = std::min(bytes - done, room.size());
    if (writes) std::memcpy(room.data(), from + done, piece);
    if (auto const* const broken = copies_break_.load(std::memory_order_relaxed)) return give_up(name_of(way), broken);
    auto* const in_gpu = writes ? to + done : const_cast<std::byte*>(from) + done;
    if (!driver_->begin(way, in_gpu, piece)) return give_up(name_of(way), driver_->error());
    if (await(way) != copied::done) return copied::lost;
    if (!writes) std::memcpy(to + done, room.data(), piece);
    done += piece;
  }
  return copied::done;
}

copied gpu_domain::await(gpu_driver::course way) {
  // This thread and the one that makes the copy may both have stood still between two checks, with the process or its
  // machine: no time between two checks counts as more than a part of the patience.
  auto const most_a_check = std::max<cycles>(to_cycles(limits_.copies) / 8, 1);
  auto last_check = now_cycles();
  cycles waited = 0;
  for (;;) {
    switch (driver_->look()) {
      case gpu_driver::state::done:
        return copied::done;
      case gpu_driver::state::failed:
        return give_up(name_of(way), driver_->error());
      case gpu_driver::state::under_way:
        break;
    }
    // After a loss the copy is not awaited: the room is never used again.
    if (!is_working()) return copied::lost;
    auto const now = now_cycles();
    waited += std::min(now - last_check, most_a_check);
    last_check = now;
    if (is_running_ && waited >= to_cycles(limits_.copies)) {
      return give_up(name_of(way),
                     fmt::format("not done after {}", format_duration(static_cast<double>(limits_.copies.count()))));
    }
    if (waited >= to_cycles(short_copy)) sleep_for(rest_in_copy);
  }
}

copied gpu_domain::give_up(std::string_view way, std::string const& why) {
  auto told = fmt::format("{} failed: {}", way, why);
  if (!is_running_) throw failure(fmt::format("GPU {}: {}", gpu_, told));
  lose(std::move(told));
  return copied::lost;
}

}  // namespace packetwarp
