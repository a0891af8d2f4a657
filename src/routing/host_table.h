// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "routing/router_ref.h"
#include "routing/shared_array.h"
#include "wire/address.h"

namespace packetwarp {

// A slot of the table of IPv4 hosts: its layout in words, and the order of writes while it is read.
struct ipv4_slot {
  using address = wire::ipv4_address;
  using layout = std::uint64_t;
  static constexpr std::size_t words = 1;
  static constexpr std::uint64_t was_used = 0xffff'ffffULL << 32;  // in use by no host, but not the end of a search

  [[nodiscard]] static bool holds(shared_array<std::uint64_t> const& slots, std::size_t at, address wanted) {
    return slots[at] >> 32 == wanted.number && (slots[at] & 0xffff'ffff) != 0;
  }
  static void write(shared_array<std::uint64_t>& slots, std::size_t at, address host, std::uint32_t entry) {
    slots.set(at, std::uint64_t{host.number} << 32 | entry);
  }
  [[nodiscard]] static std::size_t last_word(std::size_t at) { return at; }
};

struct ipv6_slot {
  using address = wire::ipv6_address;
  using layout = ipv6_host;
  static constexpr std::size_t words = sizeof(ipv6_host) / sizeof(std::uint64_t);
  static constexpr std::uint64_t was_used = 1ULL << 32;

  [[nodiscard]] static bool holds(shared_array<std::uint64_t> const& slots, std::size_t at, address wanted) {
    return slots[at] == wanted.high && slots[at + 1] == wanted.low && (slots[at + 2] & 0xffff'ffff) != 0;
  }
  // The old entry goes before the address changes, and the new one comes after.
  static void write(shared_array<std::uint64_t>& slots, std::size_t at, address host, std::uint32_t entry) {
    if (!holds(slots, at, host)) {
      if (slots[at + 2] != 0) slots.set(at + 2, was_used);
      slots.set(at, host.high);
      slots.set(at + 1, host.low);
    }
    slots.set(at + 2, std::uint64_t{hosts::hash(host)} << 32 | entry);
  }
  [[nodiscard]] static std::size_t last_word(std::size_t at) { return at + 2; }
};

// The owner of the table that routing::find_host reads: from a host's whole address to its next hop. A single thread
// changes it.
template <class Slot>
class host_table {
 public:
  using address = typename Slot::address;

  // At most a quarter of the slots are in use, so that a search is short.
  host_table(table_places const& copies, std::uint32_t capacity)
      : slots_count_{std::bit_ceil(std::size_t{capacity} * 4)},
        capacity_{capacity},
        slots_{copies, slots_count_ * Slot::words} {}

  // entry: an index, with or without hosts::own_bit; not 0. False: the table is full, and nothing is done.
  [[nodiscard]] bool set(address host, std::uint32_t entry) {
    auto const at = find(host);
    if (at) {
      Slot::write(slots_, *at, host, entry);
      return true;
    }
    auto const room = find_room(host);
    if (!room || size_ == capacity_) return false;
    Slot::write(slots_, *room, host, entry);
    ++size_;
    return true;
  }

  bool remove(address host) {
    auto const at = find(host);
    if (!at) return false;
    slots_.set(Slot::last_word(*at), Slot::was_used);
    --size_;
    end_searches_before(*at / Slot::words);
    return true;
  }

  // The entry of a host, 0 if it has none.
  [[nodiscard]] std::uint32_t get(address host) const {
    auto const at = find(host);
    return at ? static_cast<std::uint32_t>(slots_[Slot::last_word(*at)]) : 0;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] std::uint32_t mask() const { return static_cast<std::uint32_t>(slots_count_ - 1); }
  [[nodiscard]] auto const* host() const { return reinterpret_cast<typename Slot::layout const*>(slots_.host()); }
  [[nodiscard]] auto const* copy(std::size_t n = 0) const {
    return reinterpret_cast<typename Slot::layout const*>(slots_.copy(n));
  }
  void commit() { slots_.commit(); }
  void abandon() { slots_.abandon(); }

 private:
  // find() and find_room() return a position in words.
  [[nodiscard]] std::optional<std::size_t> find(address host) const {
    for (std::uint32_t probe = 0; probe < hosts::max_probes; ++probe) {
      auto const at = place(hosts::hash(host) + probe);
      if (slots_[Slot::last_word(at)] == 0) return std::nullopt;
      if (Slot::holds(slots_, at, host)) return at;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::size_t> find_room(address host) const {
    for (std::uint32_t probe = 0; probe < hosts::max_probes; ++probe) {
      auto const at = place(hosts::hash(host) + probe);
      auto const word = slots_[Slot::last_word(at)];
      if (word == 0 || word == Slot::was_used) return at;
    }
    return std::nullopt;
  }
  // No search passes slots that were used and lie directly before an empty slot: they become empty again.
  void end_searches_before(std::size_t slot) {
    if (slots_[Slot::last_word(place(slot + 1))] != 0) return;
    while (slots_[Slot::last_word(place(slot))] == Slot::was_used) {
      slots_.set(Slot::last_word(place(slot)), 0);
      --slot;
    }
  }
  [[nodiscard]] std::size_t place(std::size_t slot) const { return (slot & (slots_count_ - 1)) * Slot::words; }

  std::size_t slots_count_;
  std::uint32_t capacity_;
  shared_array<std::uint64_t> slots_;
  std::size_t size_{};
};

using ipv4_host_table = host_table<ipv4_slot>;
using ipv6_host_table = host_table<ipv6_slot>;

}  // namespace packetwarp
