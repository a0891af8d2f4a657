// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/positions/positions.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "regex/positions/empty_steps.h"
#include "regex/positions/place_kind.h"
#include "regex/refusal.h"

namespace packetwarp::regex {
namespace {

constexpr std::uint32_t match_node = 0;

class resolver {
 public:
  explicit resolver(graph const& of) : of_{of}, steps_{of} {
    for (auto const& set : of.sets) kinds_.push_back(kinds_of(set));
  }

  [[nodiscard]] positions resolve() {
    made_.emplace_back();
    keys_.push_back({.before = byte_before::none});
    for (std::uint32_t i = 0; i < made_.size(); ++i) {
      if (i == 0 || keys_[i].node != match_node) follow(i);
    }
    return in_order(leading_to_match());
  }

 private:
  // Positions are told apart by this.
  struct key {
    std::uint32_t node{};
    std::uint8_t kinds{};  // of its bytes
    byte_before before{};  // what its byte is for assertions after it
  };

  void follow(std::uint32_t number) {
    auto const from = keys_[number];
    bool const is_last = from.before == byte_before::last_newline;
    auto const first = number == 0 ? of_.start : of_.nodes[from.node].next;
    auto const reached = steps_.from(first, from.before, is_last ? place_kind::end : every_place);
    for (auto const& to : reached) {
      if (to.node != match_node) continue;
      made_[number].accepts_at_end = (to.places & place_kind::end) != 0;
      made_[number].accepts = to.places == every_place;
      if (made_[number].accepts) return;  // whatever follows
    }
    for (auto const& to : reached) connect(number, to);
  }

  void connect(std::uint32_t number, reached_node const& to) {
    bool const is_match = to.node == match_node;
    auto const kinds = is_match ? every_byte : kinds_[of_.nodes[to.node].set];
    auto const taken = static_cast<std::uint8_t>(kinds & to.places);
    if (!is_match && steps_.asks_after(to.node)) {
      if ((taken & place_kind::word) != 0) link(number, {to.node, place_kind::word, byte_before::word});
      if ((taken & place_kind::other) != 0) link(number, {to.node, place_kind::other, byte_before::other});
      if ((taken & place_kind::newline) != 0) link(number, {to.node, place_kind::newline, byte_before::newline});
    } else if (taken != 0) {
      link(number, {to.node, taken, byte_before::other});
    }
    // If any newline may be there, the last one may be, too.
    auto const newlines = to.places & (place_kind::newline | place_kind::last_newline);
    if (newlines == place_kind::last_newline && (kinds & place_kind::newline) != 0)
      link(number, {to.node, place_kind::newline, byte_before::last_newline});
  }

  void link(std::uint32_t number, key const& to) {
    auto const text =
        std::uint64_t{to.node} << 16 | std::uint64_t{to.kinds} << 8 | static_cast<std::uint64_t>(to.before);
    auto const [found, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(made_.size()));
    if (is_new) add(to);
    made_[number].next.push_back(found->second);
  }

  void add(key const& to) {
    if (made_.size() >= most_positions) throw refused{refusal::positions};
    position made{.bytes = bytes_of(to.kinds)};
    if (to.node == match_node) {
      made.accepts = to.before != byte_before::last_newline;
      made.accepts_at_end = true;
    } else {
      made.bytes = made.bytes & of_.sets[of_.nodes[to.node].set];
    }
    made_.push_back(std::move(made));
    keys_.push_back(to);
  }

  // By position.
  [[nodiscard]] std::vector<bool> leading_to_match() const {
    std::vector<std::vector<std::uint32_t>> before(made_.size());
    std::vector<std::uint32_t> left;
    std::vector<bool> leads(made_.size());
    for (std::uint32_t i = 0; i < made_.size(); ++i) {
      for (auto const next : made_[i].next) before[next].push_back(i);
      leads[i] = made_[i].accepts || made_[i].accepts_at_end;
      if (leads[i]) left.push_back(i);
    }
    while (!left.empty()) {
      auto const at = left.back();
      left.pop_back();
      for (auto const i : before[at]) {
        if (leads[i]) continue;
        leads[i] = true;
        left.push_back(i);
      }
    }
    return leads;
  }

  [[nodiscard]] positions in_order(std::vector<bool> const& is_kept) {
    std::vector<std::uint32_t> order(made_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](auto left, auto right) { return keys_[left].node > keys_[right].node; });
    std::vector<std::uint32_t> places(made_.size());
    positions kept;
    for (auto const i : order) {
      if (i != 0 && !is_kept[i]) continue;
      places[i] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(made_[i]));
    }
    for (auto& one : kept) {
      std::erase_if(one.next, [&](auto next) { return !is_kept[next]; });
      for (auto& next : one.next) next = places[next];
      std::sort(one.next.begin(), one.next.end());
    }
    return kept;
  }

  graph const& of_;
  empty_steps steps_;
  std::vector<std::uint8_t> kinds_{};  // by the graph's set
  positions made_{};
  std::vector<key> keys_{};  // by position
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_{};
};

}  // namespace

positions resolve(graph const& of) { return resolver{of}.resolve(); }

}  // namespace packetwarp::regex
