// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/group/shared_budget.h"
#include "function/inspection/inspection_room.h"

namespace packetwarp::inspection_parts {

// A packet of the group and a rule that it may match, in a word; pairs of one rule are side by side in the order of
// these words. The rule's number is among those that a packet alone may match.
namespace rule_pair {

inline constexpr std::uint32_t rule_bits = 25;
inline constexpr std::uint32_t packet_bits = 5;
static_assert(joint_packets == 1U << packet_bits);
inline constexpr std::uint32_t of_header = 1;             // found by the packet's header, and not by a literal
inline constexpr std::uint32_t is_costly = 1;             // the same bit, once the rule has the packet's header
inline constexpr std::uint32_t none = ~std::uint32_t{0};  // stands for a pair that is there twice

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t make(unsigned packet, std::uint32_t rule) {
  return rule << (packet_bits + 1) | packet << 1;
}
[[nodiscard]] HOST_DEVICE constexpr unsigned packet(std::uint32_t pair) { return pair >> 1 & (joint_packets - 1); }
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t rule(std::uint32_t pair) { return pair >> (packet_bits + 1); }

// The order in which matching pairs are gone through: packets, and a packet's rules.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t rank(unsigned packet, std::uint32_t rule) {
  return packet << rule_bits | rule;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t rule_of_rank(std::uint32_t rank) {
  return rank & ((1U << rule_bits) - 1);
}

}  // namespace rule_pair

// costly: little effort did not suffice.
enum class trial_result : std::uint8_t { no, yes, costly };

// The pairs of several packets of a group, in three parts: those that match, those of which the rule has the packet's
// header, and new ones. They lie where the marks of a packet that is judged alone lie otherwise, which are all 0 before
// begin() and after clear(). Every function but add() and next() is called by all lanes alike.
class rule_pairs {
 public:
  static constexpr std::uint32_t most = 192;
  // A payload has the same literal many times: a pair that is the last one of its slot is not added again.
  static constexpr std::uint32_t slots = 64;
  static_assert(most + slots <= rule_marks::words);

  HOST_DEVICE explicit rule_pairs(inspection_room& room)
      : room_{room}, words_{room.marks.marked}, last_{room.marks.marked + most} {}

  HOST_DEVICE void begin(auto const& group) {
    matching_ = with_header_ = all_ = 0;
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
    all_ = room_.pairs < most ? room_.pairs : most;
    group.sync();
    return found;
  }
  // As of the last without_room(): the new pairs, the pairs that wait for keep_matching(), and the matching ones.
  [[nodiscard]] HOST_DEVICE std::uint32_t fresh() const { return all_ - with_header_; }
  [[nodiscard]] HOST_DEVICE std::uint32_t waiting() const { return with_header_ - matching_; }
  [[nodiscard]] HOST_DEVICE std::uint32_t matching() const { return matching_; }

  // After without_room(): leaves the new pairs for which has_header(pair), each once. Pairs of the packet `complete`
  // and later ones, of which more may come, stay as they are; pairs of `end` and later packets do not count.
  template <class HasHeader>
  HOST_DEVICE void keep_with_header(auto const& group, unsigned complete, unsigned end, HasHeader&& has_header) {
    order_by_rule(group);
    std::uint32_t later[most_of_lane];
    std::uint32_t count = 0;
    with_header_ = all_ = keep(group, with_header_, all_, [&](std::uint32_t pair) {
      if (pair == rule_pair::none || rule_pair::packet(pair) >= end) return false;
      bool const is_later = rule_pair::packet(pair) >= complete;
      if (is_later) later[count++] = pair;
      return !is_later && has_header(pair);
    });
    if (group.sum(count) == 0) return;
    NOT_UNROLLED
    for (std::uint32_t i = 0; i < count; ++i)
      words_[word{room_.pairs}.fetch_add(1, cuda::memory_order_relaxed)] = later[i];
    (void)without_room(group);
  }
  // Leaves those of the waiting pairs for which find(pair, effort) says that they match: first with little effort, then
  // those for which it did not suffice with the whole one. The code of find() is there once.
  template <class Find>
  HOST_DEVICE_COPIED void keep_matching(auto const& group, unsigned end, Find&& find) {
    auto left = with_header_;
    NOT_UNROLLED
    for (auto how = effort::little;; how = effort::whole) {
      std::uint32_t costly = 0;
      left = keep(group, matching_, left, [&](std::uint32_t& pair) {
        if (how == effort::whole && (pair & rule_pair::is_costly) == 0) return true;
        pair &= ~rule_pair::is_costly;
        if (rule_pair::packet(pair) >= end) return false;
        auto const found = find(pair, how);
        if (found == trial_result::costly) {
          pair |= rule_pair::is_costly;
          ++costly;
        }
        return found != trial_result::no;
      });
      if (how == effort::whole || group.sum(costly) == 0) break;
    }
    // The new ones follow.
    for (auto first = with_header_; first < all_; first += group.lanes()) {
      auto const i = first + group.lane();
      auto const pair = i < all_ ? words_[i] : 0;
      group.sync();
      if (i < all_) words_[left + (i - with_header_)] = pair;
    }
    all_ = left + fresh();
    matching_ = with_header_ = left;
    if (group.lane() == 0) room_.pairs = all_;
    group.sync();
  }
  // The rank of the matching pair that is next from this rank on, or ~0. By a lane.
  [[nodiscard]] HOST_DEVICE std::uint32_t next(std::uint32_t from) const {
    auto least = ~std::uint32_t{0};
    for (std::uint32_t i = 0; i < matching_; ++i) {
      auto const rank = rule_pair::rank(rule_pair::packet(words_[i]), rule_pair::rule(words_[i]));
      if (rank >= from && rank < least) least = rank;
    }
    return least;
  }
  HOST_DEVICE void clear(auto const& group) {
    for (auto i = group.lane(); i < most + slots; i += group.lanes()) words_[i] = 0;
    group.sync();
  }

 private:
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block>;
#if defined(__CUDA_ARCH__)
  static constexpr std::uint32_t most_of_lane = most / 32;
#else
  static constexpr std::uint32_t most_of_lane = most;
#endif

  // Leaves the pairs of the places [from, to) for which is_kept(pair), in their order. Returns the end of the pairs
  // left.
  template <class IsKept>
  [[nodiscard]] HOST_DEVICE std::uint32_t keep(auto const& group, std::uint32_t from, std::uint32_t to,
                                               IsKept&& is_kept) const {
    auto end = from;
    for (auto first = from; first < to; first += group.lanes()) {
      auto const i = first + group.lane();
      auto pair = i < to ? words_[i] : 0;
      auto const bit = 1U << group.lane();
      auto const kept = group.sum(i < to && is_kept(pair) ? bit : 0);
      group.sync();  // all lanes have read their pairs
      if ((kept & bit) != 0) words_[end + bits_in(kept & (bit - 1))] = pair;
      end += bits_in(kept);
    }
    if (group.lane() == 0) room_.pairs = end;
    group.sync();
    return end;
  }

  // Puts the new pairs in the order of their rules, and `none` in place of pairs that are there already: lanes side by
  // side then try one rule on several packets, and go the same way through its code. Each lane counts the pairs that
  // come before its own ones: they are few, and a lane waits for others only twice.
  HOST_DEVICE void order_by_rule(auto const& group) const {
    auto* const fresh = words_ + with_header_;
    auto const count = all_ - with_header_;
    ranked_pair own[most_of_lane];
    std::uint32_t owned = 0;
    NOT_UNROLLED
    for (auto i = group.lane(); i < count; i += group.lanes()) own[owned++] = ranked(fresh, count, i);
    group.sync();
    NOT_UNROLLED
    for (std::uint32_t i = 0; i < owned; ++i) fresh[own[i].rank] = own[i].pair;
    group.sync();
  }
  struct ranked_pair {
    std::uint32_t pair;
    std::uint32_t rank;
  };
  [[nodiscard]] HOST_DEVICE static ranked_pair ranked(std::uint32_t const* fresh, std::uint32_t count,
                                                      std::uint32_t i) {
    auto const own = fresh[i];
    std::uint32_t rank = 0;
    bool is_repeated = false;
    UNROLLED_BY_4
    for (std::uint32_t other = 0; other < count; ++other) {
      bool const is_equal_before = fresh[other] == own && other < i;
      if (fresh[other] < own || is_equal_before) ++rank;
      is_repeated = is_repeated || is_equal_before;
    }
    return {is_repeated ? rule_pair::none : own, rank};
  }
  inspection_room& room_;
  std::uint32_t* words_;
  std::uint32_t* last_;
  std::uint32_t matching_{};     // the first ones
  std::uint32_t with_header_{};  // these, too
  std::uint32_t all_{};
};

}  // namespace packetwarp::inspection_parts
