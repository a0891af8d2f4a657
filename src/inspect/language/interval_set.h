// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "wire/address.h"

namespace packetwarp::inspect {

__extension__ using uint128 = unsigned __int128;

[[nodiscard]] inline uint128 number_of(wire::ipv6_address const& address) {
  return uint128{address.high} << 64 | address.low;
}

template <class Value>
struct interval {
  Value first;
  Value last;  // in it
  friend bool operator==(interval const&, interval const&) = default;
};

// Numbers, as ascending intervals that neither touch nor overlap. Value is an unsigned type.
template <class Value>
class interval_set {
 public:
  static constexpr Value most = static_cast<Value>(~Value{0});

  interval_set() = default;
  [[nodiscard]] static interval_set all() { return of(0, most); }
  [[nodiscard]] static interval_set of(Value first, Value last) {
    interval_set made;
    made.intervals_.push_back({first, last});
    return made;
  }

  void add(interval_set const& other) {
    if (other.intervals_.empty()) return;
    intervals_.insert(intervals_.end(), other.intervals_.begin(), other.intervals_.end());
    std::sort(intervals_.begin(), intervals_.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    std::vector<interval<Value>> merged{intervals_.front()};
    for (auto const& next : intervals_) {
      auto& last = merged.back();
      bool const touches = last.last == most || next.first <= last.last + 1;
      if (touches) {
        last.last = std::max(last.last, next.last);
      } else {
        merged.push_back(next);
      }
    }
    intervals_ = std::move(merged);
  }

  [[nodiscard]] interval_set complement() const {
    interval_set made;
    Value begin = 0;
    for (auto const& part : intervals_) {
      if (part.first > begin) made.intervals_.push_back({begin, static_cast<Value>(part.first - 1)});
      if (part.last == most) return made;
      begin = static_cast<Value>(part.last + 1);
    }
    made.intervals_.push_back({begin, most});
    return made;
  }

  // Takes the other's numbers out.
  void subtract(interval_set const& other) {
    auto outside = complement();
    outside.add(other);
    *this = outside.complement();
  }

  // All numbers, if there are none here and some in the other: a group that has negated parts only means all others.
  void fill_for(interval_set const& negated) {
    if (is_empty() && !negated.is_empty()) *this = all();
  }

  [[nodiscard]] bool has(Value value) const {
    auto const after = std::upper_bound(intervals_.begin(), intervals_.end(), value,
                                        [](Value v, interval<Value> const& part) { return v < part.first; });
    return after != intervals_.begin() && (after - 1)->last >= value;
  }
  [[nodiscard]] bool is_all() const { return *this == all(); }
  [[nodiscard]] bool is_empty() const { return intervals_.empty(); }
  [[nodiscard]] std::vector<interval<Value>> const& intervals() const { return intervals_; }
  friend bool operator==(interval_set const&, interval_set const&) = default;

 private:
  std::vector<interval<Value>> intervals_;
};

using port_set = interval_set<std::uint16_t>;

struct address_set {
  interval_set<std::uint32_t> ipv4;
  interval_set<uint128> ipv6;
  bool is_negated{};  // its text, or the value of a variable there, has a !

  [[nodiscard]] static address_set all() { return {interval_set<std::uint32_t>::all(), interval_set<uint128>::all()}; }
  void add(address_set const& other) {
    ipv4.add(other.ipv4);
    ipv6.add(other.ipv6);
  }
  void subtract(address_set const& other) {
    ipv4.subtract(other.ipv4);
    ipv6.subtract(other.ipv6);
  }
  void fill_for(address_set const& negated) {
    ipv4.fill_for(negated.ipv4);
    ipv6.fill_for(negated.ipv6);
  }
  [[nodiscard]] bool is_all() const { return ipv4.is_all() && ipv6.is_all(); }
  [[nodiscard]] bool is_empty() const { return ipv4.is_empty() && ipv6.is_empty(); }
  friend bool operator==(address_set const&, address_set const&) = default;
};

}  // namespace packetwarp::inspect
