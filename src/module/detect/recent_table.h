// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>

namespace packetwarp {

// A map with a bound: a new key takes the place of the one that was used the longest ago. For a single thread.
template <class Key, class Value, class Hash = std::hash<Key>>
class recent_table {
 public:
  using entry = std::pair<Key, Value>;

  explicit recent_table(std::size_t room) : room_{room} {}

  // The key's value, which is the most recently used one from now on; a value of its own for a new key.
  [[nodiscard]] Value& use(Key const& key) {
    auto const found = places_.find(key);
    if (found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
    } else {
      if (entries_.size() == room_) {
        places_.erase(entries_.back().first);
        entries_.pop_back();
      }
      entries_.emplace_front(key, Value{});
      places_.emplace(key, entries_.begin());
    }
    return entries_.front().second;
  }
  // The key's value, which stays as recently used as it was; null: the key is not there.
  [[nodiscard]] Value* find(Key const& key) {
    auto const found = places_.find(key);
    return found == places_.end() ? nullptr : &found->second->second;
  }
  // From the most recently used key on: pairs of key and value.
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::size_t room_;
  std::list<entry> entries_;
  std::unordered_map<Key, typename std::list<entry>::iterator, Hash> places_;
};

}  // namespace packetwarp
