// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/inspection_room.h"
#include "function/network/unroll.h"

namespace packetwarp::inspection_parts {

// A packet of the group and a rule that it may match, in a word. The rule's number is among those that a packet alone
// may match.
namespace rule_pair {

inline constexpr std::uint32_t rule_bits = 25;
inline constexpr std::uint32_t of_header = 1U << 30;    // found by the packet's header, and not by a literal
inline constexpr std::uint32_t is_repeated = 1U << 31;  // an earlier pair is the same
static_assert(joint_packets << rule_bits == of_header);

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t make(unsigned packet, std::uint32_t rule) {
  return packet << rule_bits | rule;
}
// Packet and rule alone: pairs of earlier packets, and of earlier rules of a packet, are less.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t key(std::uint32_t pair) { return pair & (of_header - 1); }
[[nodiscard]] HOST_DEVICE constexpr unsigned packet(std::uint32_t pair) { return key(pair) >> rule_bits; }
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t rule(std::uint32_t pair) { return pair & ((1U << rule_bits) - 1); }
// Pairs of one rule are side by side in this order.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t by_rule(std::uint32_t pair) {
  return rule(pair) << 6 | packet(pair) << 1 | ((pair & of_header) != 0 ? 1U : 0U);
}

}  // namespace rule_pair

// The pairs of several packets of a group. They lie where the marks of a packet that is judged alone lie otherwise,
// which are all 0 before begin() and after clear(). Every function but add() and next() is called by all lanes alike.
class rule_pairs {
 public:
  static constexpr std::uint32_t most = 192;
  // A payload has the same literal many times: a pair that is the last one of its slot is not added again.
  static constexpr std::uint32_t slots = 64;
  static_assert(most + slots <= rule_marks::words);

  HOST_DEVICE explicit rule_pairs(inspection_room& room)
      : room_{room}, words_{room.marks.marked}, last_{room.marks.marked + most} {}

  HOST_DEVICE void begin(auto const& group) {
    kept_ = 0;
    for (auto i = group.lane(); i < slots; i += group.lanes()) last_[i] = ~std::uint32_t{0};
    if (group.lane() == 0) {
      room_.pairs = 0;
      room_.without_room = joint_packets;
    }
    group.sync();
  }
  // By a lane.
  HOST_DEVICE void add(std::uint32_t pair) {
    auto const slot = rule_pair::rule(pair) % slots;
    if (word{last_[slot]}.exchange(pair, cuda::memory_order_relaxed) == pair) return;
    auto const place = word{room_.pairs}.fetch_add(1, cuda::memory_order_relaxed);
    if (place < most) {
      words_[place] = pair;
    } else {
      (void)word{room_.without_room}.fetch_min(rule_pair::packet(pair), cuda::memory_order_relaxed);
    }
  }
  // The first packet that may have more pairs than there was room for; joint_packets: none.
  [[nodiscard]] HOST_DEVICE unsigned without_room(auto const& group) {
    group.sync();
    auto const found = room_.without_room;
    added_ = room_.pairs < most ? room_.pairs : most;
    group.sync();
    return found;
  }
  // After without_room(): how many pairs keep() has not seen, and how many it has kept.
  [[nodiscard]] HOST_DEVICE std::uint32_t unseen() const { return added_ - kept_; }
  [[nodiscard]] HOST_DEVICE std::uint32_t kept() const { return kept_; }

  // After without_room(): leaves those for which keeps(pair), each once, without the order; pairs of `end` and later
  // packets do not count. A packet's pairs are all added between two calls.
  template <class Keeps>
  HOST_DEVICE void keep(auto const& group, unsigned end, Keeps&& keeps) {
    order_by_rule(group);
    mark_repeated(group);
    if (group.lane() == 0) room_.pairs = kept_;
    group.sync();
    for (auto first = kept_; first < added_; first += group.lanes()) {
      auto const i = first + group.lane();
      auto const pair = i < added_ ? words_[i] : rule_pair::is_repeated;
      bool const is_one = (pair & rule_pair::is_repeated) == 0 && rule_pair::packet(pair) < end;
      bool const is_kept = is_one && keeps(pair);
      // The kept ones take the places of pairs that all lanes have read.
      group.sync();
      if (is_kept) words_[word{room_.pairs}.fetch_add(1, cuda::memory_order_relaxed)] = rule_pair::key(pair);
    }
    group.sync();
    kept_ = room_.pairs;
    group.sync();
  }
  // The least kept pair that is not less than `from`, or ~0. By a lane.
  [[nodiscard]] HOST_DEVICE std::uint32_t next(std::uint32_t from) const {
    auto least = ~std::uint32_t{0};
    for (std::uint32_t i = 0; i < kept_; ++i) {
      if (words_[i] >= from && words_[i] < least) least = words_[i];
    }
    return least;
  }
  HOST_DEVICE void clear(auto const& group) {
    for (auto i = group.lane(); i < most + slots; i += group.lanes()) words_[i] = 0;
    group.sync();
  }

 private:
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block>;

  // The unseen pairs in the order of their rules: lanes side by side then try one rule on several packets, and go the
  // same way through its code. Bitonic sort, in the form in which the lesser one of two always comes first (Batcher,
  // "Sorting networks and their applications", AFIPS 1968), so that the count need be no power of two.
  HOST_DEVICE void order_by_rule(auto const& group) const {
    auto const count = added_ - kept_;
    NOT_UNROLLED
    for (std::uint32_t size = 2; size < 2 * count; size *= 2) {
      put_in_order(group, size - 1);
      NOT_UNROLLED
      for (auto step = size / 4; step != 0; step /= 2) put_in_order(group, step);
    }
  }
  // Pairs whose places differ in these bits.
  HOST_DEVICE void put_in_order(auto const& group, std::uint32_t bits) const {
    auto* const unseen = words_ + kept_;
    auto const count = added_ - kept_;
    for (auto i = group.lane(); i < count; i += group.lanes()) {
      auto const other = i ^ bits;
      if (other <= i || other >= count) continue;
      auto const first = unseen[i];
      auto const second = unseen[other];
      if (rule_pair::by_rule(second) >= rule_pair::by_rule(first)) continue;
      unseen[i] = second;
      unseen[other] = first;
    }
    group.sync();
  }

  // After order_by_rule().
  HOST_DEVICE void mark_repeated(auto const& group) const {
    for (auto first = kept_; first < added_; first += group.lanes()) {
      auto const i = first + group.lane();
      bool const has_other = i > kept_ && i < added_;
      bool const is_repeated = has_other && rule_pair::key(words_[i - 1]) == rule_pair::key(words_[i]);
      group.sync();
      if (is_repeated) words_[i] |= rule_pair::is_repeated;
      group.sync();
    }
  }

  inspection_room& room_;
  std::uint32_t* words_;
  std::uint32_t* last_;
  std::uint32_t added_{};
  std::uint32_t kept_{};
};

}  // namespace packetwarp::inspection_parts
