// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "feature/access.h"
#include "feature/host_record.h"
#include "feature/packed_counts.h"

namespace packetwarp::feature {

// The counts of a group's packets for their hosts, which a thread of a CPU keeps by itself, and adds to the hosts'
// records after the last packet of the group. Many packets have few hosts, as a flood has one victim: without this each
// packet of each core would wait for the line of memory that another core has just written
// (docs/performance/detect.md). No row depends on it: a packet's row has none of the counts of its own epoch.
class alignas(64) kept_adds {
 public:
  // to: of a record that the caller has begun for the packet's epoch. peer: as in add_packet() of host_record.h.
  void keep(host_side_adds& to, std::uint32_t length, host_part const& part, std::uint64_t peer) {
    auto const number = place_of(to);
    auto& one = places_[number];
    if (one.to != &to) take(one, number, to);
    one.sum.traffic += one_packet(length);
    one.sum.kinds += part.kinds;
    one.sum.icmp_errors += part.icmp_errors;
    one.sum.ports |= part.port;
    one.sum.peers |= peer;
  }
  // Before the group's burst is released: later epochs count on it.
  void add_all() {
    for (; used_ != 0; used_ &= used_ - 1) add_to_host(places_[static_cast<std::size_t>(__builtin_ctzll(used_))]);
  }

 private:
  struct place {
    host_side_adds* to;
    host_side_adds sum;
  };
  static constexpr unsigned place_bits = 6;
  static_assert(std::size_t{1} << place_bits == 8 * sizeof(std::uint64_t));

  // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4).
  [[nodiscard]] static std::size_t place_of(host_side_adds const& to) {
    return reinterpret_cast<std::uintptr_t>(&to) / sizeof(std::uint64_t) * 0x9e37'79b9'7f4a'7c15U >> (64 - place_bits);
  }
  void take(place& one, std::size_t number, host_side_adds& to) {
    auto const bit = std::uint64_t{1} << number;
    if ((used_ & bit) != 0) add_to_host(one);
    used_ |= bit;
    one = {.to = &to, .sum = {}};
  }
  static void add_to_host(place& one) {
    auto& to = *one.to;
    auto const& sum = one.sum;
    (void)add(to.traffic, sum.traffic);
    if (sum.kinds != 0) (void)add(to.kinds, sum.kinds);
    if (sum.icmp_errors != 0) (void)add(to.icmp_errors, sum.icmp_errors);
    if (sum.ports != 0) (void)include(to.ports, sum.ports);
    (void)include(to.peers, sum.peers);
    one.to = nullptr;
  }

  std::array<place, std::size_t{1} << place_bits> places_{};
  std::uint64_t used_{};  // a bit per place
};

}  // namespace packetwarp::feature
