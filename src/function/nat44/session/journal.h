// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/host_device.h"
#include "function/nat44/session/session.h"

// Executors tell the control thread of sessions by a ring of fixed records in memory that the host reads.
namespace packetwarp::nat {

enum class event : std::uint8_t { made = 1, ended = 2 };

// Four words, each with the lap of the ring that it belongs to: a record is complete when all four have the same lap,
// so no order is needed on the way over PCIe. Bits 8 to 15 of keys have no other use, nor do those of the other words.
struct alignas(32) journal_record {
  std::uint64_t inside;   // key; bits 8 to 15: lap
  std::uint64_t outside;  // key; bits 8 to 15: lap
  std::uint64_t what;     // record's number above; bits 16 to 23: event; bits 8 to 15: lap
  std::uint64_t when;     // seconds above; bits 8 to 15: lap
};
static_assert(sizeof(journal_record) == 32 && std::is_trivially_copyable_v<journal_record>);

// The cursors lie beside the tables, where executors count fast.
struct alignas(64) journal_cursors {
  std::uint64_t written;           // records that executors have begun, ever
  std::uint64_t lost;              // of these, records that found no room
  std::uint64_t evicted;           // sessions that ended before their time, for another's room
  std::uint64_t looked_at;         // records inspected for an expired session, ever (expired.h)
  std::uint64_t untracked;         // TCP connections of inside hosts that found no room to be known
  alignas(64) std::uint64_t read;  // written by the control thread
};

struct journal_ref {
  journal_record* records;
  journal_cursors* cursors;
  std::uint32_t mask;  // size - 1

  // 1 to 255, so that a record of zeroes belongs to no lap.
  [[nodiscard]] HOST_DEVICE static constexpr std::uint64_t lap_of(std::uint64_t ticket, std::uint32_t mask) {
    return (ticket / (std::uint64_t{mask} + 1)) % 255 + 1;
  }

  // If the ring is full the record is counted as lost: the control thread then reads all sessions instead.
  HOST_DEVICE void write(event what, std::uint32_t number, std::uint64_t inside, std::uint64_t outside,
                         std::uint32_t now) const {
    if (records == nullptr) return;
    auto const ticket = shared(cursors->written).fetch_add(1, cuda::memory_order_relaxed);
    if (ticket - shared(cursors->read).load(cuda::memory_order_acquire) > mask) {
      shared(cursors->lost).fetch_add(1, cuda::memory_order_release);
      return;
    }
    auto const lap = lap_of(ticket, mask) << 8;
    auto& to = records[ticket & mask];
    put(to.inside, inside | lap);
    put(to.outside, outside | lap);
    put(to.what, std::uint64_t{number} << 32 | std::uint64_t{static_cast<std::uint8_t>(what)} << 16 | lap);
    put(to.when, std::uint64_t{now} << 32 | lap);
  }

 private:
  HOST_DEVICE static void put(std::uint64_t& to, std::uint64_t word) {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{to}.store(word, cuda::memory_order_relaxed);
  }
};

}  // namespace packetwarp::nat
