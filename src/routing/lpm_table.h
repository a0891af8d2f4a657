// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "routing/lpm_ref.h"
#include "routing/shared_array.h"
#include "wire/address.h"

namespace packetwarp {

// The first `length` bits of `bits`; an IPv4 address is on top of an IPv6 address's bits.
struct lpm_prefix {
  wire::ipv6_address bits;
  unsigned length{};

  [[nodiscard]] static constexpr lpm_prefix of(wire::ipv4_address address, unsigned length) {
    return lpm_prefix{{std::uint64_t{address.number} << 32, 0}, length}.masked();
  }
  [[nodiscard]] static constexpr lpm_prefix of(wire::ipv6_address address, unsigned length) {
    return lpm_prefix{address, length}.masked();
  }
  // The prefix with zeroes after its bits.
  [[nodiscard]] constexpr lpm_prefix masked() const {
    auto const top = [](unsigned n) { return n == 0 ? 0 : ~std::uint64_t{0} << (64 - n); };
    unsigned const in_high = length < 64 ? length : 64;
    return {{bits.high & top(in_high), bits.low & top(length - in_high)}, length};
  }
  friend constexpr bool operator==(lpm_prefix const&, lpm_prefix const&) = default;
};

// The owner of the tables that an lpm_ref reads: the prefixes as they were set, and the entries that follow from them.
// A single thread changes it while executors read: they find the old next hop or the new one, never a third.
class lpm_table {
 public:
  // copies: where executors read, beside the host. groups: of 256 entries (1 KiB) each, one for every three bytes at
  // least that a prefix longer than 24 bits begins with, for IPv6 one for every four, five and so on, too.
  lpm_table(table_places const& copies, std::uint32_t groups);

  // The groups, one within the other, that lead to a prefix of this length.
  [[nodiscard]] static unsigned levels_below_root(unsigned length);
  static constexpr unsigned max_levels = (128 - lpm_ref::root_bits) / lpm_ref::group_bits;

  // Adds a prefix, or changes its next hop. False, and nothing done, if the groups do not suffice. IPv4 and IPv6
  // prefixes need separate tables.
  [[nodiscard]] bool set(lpm_prefix prefix, std::uint32_t next_hop);
  // False: the table has no such prefix.
  bool remove(lpm_prefix prefix);
  // The same in slices, because a short prefix has millions of entries: begin, then step() until it returns that the
  // change is complete. Each step visits at most `entries` entries, and subtracts the visited ones from it. Changes run
  // one at a time: a new change completes an unfinished one first.
  [[nodiscard]] bool begin_set(lpm_prefix prefix, std::uint32_t next_hop);
  bool begin_remove(lpm_prefix prefix);
  [[nodiscard]] bool step(std::size_t& entries);
  // The next hop of exactly this prefix.
  [[nodiscard]] std::optional<std::uint32_t> find(lpm_prefix prefix) const;
  // The entry of the longest shorter prefix around this one; "no route" without any.
  [[nodiscard]] lpm_entry covering(lpm_prefix prefix) const;
  // The match that executors on the host find for an address at the moment: the next hop, 0 for none, and the length of
  // the prefix that gives it. IPv4 addresses are on top of an IPv6 address's bits.
  struct match {
    std::uint32_t next_hop{};
    unsigned length{};
  };
  [[nodiscard]] match longest(wire::ipv6_address const& bits) const;
  [[nodiscard]] std::size_t size() const { return prefixes_; }
  [[nodiscard]] std::uint32_t groups() const {
    return static_cast<std::uint32_t>(groups_.size() / lpm_ref::group_size);
  }
  [[nodiscard]] std::uint32_t groups_free() const { return static_cast<std::uint32_t>(free_.size()); }

  [[nodiscard]] lpm_ref host() const { return {root_.host(), groups_.host()}; }
  [[nodiscard]] lpm_ref copy(std::size_t n = 0) const { return {root_.copy(n), groups_.copy(n)}; }
  // Brings the copies up to date: the groups before the entries that lead to them.
  void commit();
  // Frees the groups that nothing led to at the last commit(). Only once every executor has finished the packets that
  // it had then.
  void mark() { marked_ = settled_.size(); }
  void reclaim();
  void abandon();

 private:
  struct address_hash {
    std::size_t operator()(wire::ipv6_address const& a) const noexcept {
      auto const mixed = (a.high ^ a.high >> 29 ^ a.low * 0x9e37'79b9'7f4a'7c15ULL) * 0xbf58'476d'1ce4'e5b9ULL;
      return mixed ^ mixed >> 32;
    }
  };
  // The place of an entry: in the root, or in a group.
  struct place {
    shared_array<std::uint32_t>* in;
    std::size_t at;
  };
  // A prefix's own entries are a range, at the end of a path through at most 13 groups.
  struct path {
    std::array<place, 14> slots;  // slots[n] leads to the group that slots[n + 1] is in
    unsigned depth{};             // of the last slot
    std::size_t span{};           // entries from the last slot on
  };
  [[nodiscard]] lpm_entry load(place where) const { return lpm_entry{(*where.in)[where.at]}; }
  static void store(place where, lpm_entry entry) { where.in->set(where.at, entry.raw()); }
  [[nodiscard]] place in_group(lpm_entry group, std::size_t n) {
    return {&groups_, std::size_t{group.index()} * lpm_ref::group_size + n};
  }
  [[nodiscard]] unsigned groups_missing(lpm_prefix prefix);
  [[nodiscard]] path walk(lpm_prefix prefix);
  [[nodiscard]] lpm_entry make_group(lpm_entry of_all);
  // Entries that a change still has to visit, at each depth of groups.
  struct range {
    place next;
    std::size_t left;
  };
  enum class rule : std::uint8_t { paint, uncover };
  struct change {
    rule what{};
    unsigned length{};   // of the prefix
    lpm_entry entry{0};  // to write
    path way{};          // to the prefix's own entries
    std::array<range, 15> ranges{};
    unsigned depth{};  // of the ranges in use; 0: no change is under way
  };
  void begin(rule what, lpm_prefix prefix, lpm_entry entry);
  void write_next();
  void finish();
  void collapse(path const& way);

  shared_array<std::uint32_t> root_;
  shared_array<std::uint32_t> groups_;
  std::vector<std::uint32_t> free_;      // groups
  std::vector<std::uint32_t> left_;      // no entry leads to these in the host's table
  std::vector<std::uint32_t> settled_;   // no entry leads to these in the copies either
  std::size_t marked_{~std::size_t{0}};  // the number of settled_ groups at mark()
  std::array<std::unordered_map<wire::ipv6_address, std::uint32_t, address_hash>, 129> by_length_;
  std::size_t prefixes_{};
  change change_;
};

}  // namespace packetwarp
