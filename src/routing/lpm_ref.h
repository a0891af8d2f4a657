// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "wire/address.h"

namespace packetwarp {

// Loads a word of a table that the control thread may be writing: old or new, never half of each. On a GPU the load
// does not use the first-level cache, where a kernel that never ends could see the old word for ever.
template <class Word>
[[nodiscard]] HOST_DEVICE Word load_shared(Word const* at) {
  cuda::atomic_ref<Word, cuda::thread_scope_system> const word{const_cast<Word&>(*at)};
#if defined(__CUDA_ARCH__)
  return word.load(cuda::memory_order_relaxed);  // the next load depends on this one; its target is older
#else
  return word.load(cuda::memory_order_acquire);
#endif
}

// The entry of a longest-prefix-match table for a range of addresses: the next hop of the longest prefix that covers
// all of the range, or the group of 256 entries that resolves the next eight bits. Zero, "no route", is next hop 0.
class lpm_entry {
 public:
  static constexpr std::uint32_t index_bits = 23;
  static constexpr std::uint32_t max_index = (1U << index_bits) - 1;

  lpm_entry() = default;
  HOST_DEVICE constexpr explicit lpm_entry(std::uint32_t raw) : raw_{raw} {}
  // length: of the prefix that gives the next hop. Only the thread that changes the table reads it.
  [[nodiscard]] static constexpr lpm_entry of_next_hop(std::uint32_t next_hop, std::uint32_t length) {
    return lpm_entry{length << index_bits | next_hop};
  }
  [[nodiscard]] static constexpr lpm_entry of_group(std::uint32_t group) { return lpm_entry{group_bit | group}; }

  [[nodiscard]] HOST_DEVICE constexpr bool is_group() const { return (raw_ & group_bit) != 0; }
  // The index of a next hop or a group.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t index() const { return raw_ & max_index; }
  // For a next hop only: 0 to 128.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t length() const { return (raw_ & ~group_bit) >> index_bits; }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t raw() const { return raw_; }
  friend constexpr bool operator==(lpm_entry a, lpm_entry b) { return a.raw_ == b.raw_; }

 private:
  static constexpr std::uint32_t group_bit = 1U << 31;
  std::uint32_t raw_;
};
static_assert(sizeof(lpm_entry) == 4 && std::is_trivially_copyable_v<lpm_entry>);

// Longest prefix match as DPDK's rte_lpm and rte_fib do it, DIR-24-8 (Gupta, Lin, McKeown 1998): the first 24 bits are
// an index, each further eight bits one more. IPv4 ends after two loads; IPv6 after two for a /32, four for a /48.
struct lpm_ref {
  static constexpr unsigned root_bits = 24;
  static constexpr unsigned group_bits = 8;
  static constexpr std::size_t root_size = std::size_t{1} << root_bits;
  static constexpr std::size_t group_size = std::size_t{1} << group_bits;

  std::uint32_t const* root;    // root_size entries
  std::uint32_t const* groups;  // group_size entries each
};

namespace routing {

// The entry of the first 24 bits.
[[nodiscard]] HOST_DEVICE inline lpm_entry root_entry(lpm_ref const& table, wire::ipv4_address to) {
  return lpm_entry{load_shared(table.root + (to.number >> lpm_ref::group_bits))};
}
[[nodiscard]] HOST_DEVICE inline lpm_entry root_entry(lpm_ref const& table, wire::ipv6_address to) {
  return lpm_entry{load_shared(table.root + (to.high >> (64 - lpm_ref::root_bits)))};
}

// The index of the next hop; 0 if no route matches. first: root_entry() of the address.
[[nodiscard]] HOST_DEVICE inline std::uint32_t longest_match(lpm_ref const& table, wire::ipv4_address to,
                                                             lpm_entry first) {
  if (!first.is_group()) return first.index();
  auto const at = std::size_t{first.index()} * lpm_ref::group_size + (to.number & (lpm_ref::group_size - 1));
  return lpm_entry{load_shared(table.groups + at)}.index();
}

[[nodiscard]] HOST_DEVICE inline std::uint32_t longest_match(lpm_ref const& table, wire::ipv6_address to,
                                                             lpm_entry entry) {
  constexpr unsigned steps = (128 - lpm_ref::root_bits) / lpm_ref::group_bits;
  // The rest of the address, its next byte on top.
  std::uint64_t high = to.high << lpm_ref::root_bits | to.low >> (64 - lpm_ref::root_bits);
  std::uint64_t low = to.low << lpm_ref::root_bits;
  for (unsigned step = 0; step < steps && entry.is_group(); ++step) {
    auto const at = std::size_t{entry.index()} * lpm_ref::group_size + (high >> (64 - lpm_ref::group_bits));
    entry = lpm_entry{load_shared(table.groups + at)};
    high = high << lpm_ref::group_bits | low >> (64 - lpm_ref::group_bits);
    low <<= lpm_ref::group_bits;
  }
  return entry.index();
}
template <class Address>
[[nodiscard]] HOST_DEVICE std::uint32_t longest_match(lpm_ref const& table, Address to) {
  return longest_match(table, to, root_entry(table, to));
}

}  // namespace routing
}  // namespace packetwarp
