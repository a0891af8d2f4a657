// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "base/cycles.h"
#include "port/port.h"

namespace packetwarp {

enum class port_event : std::uint8_t { lost, link_up, link_down };

// Notices, twice a second, links that go down or up and kernel interfaces that are deleted, and says each once.
// For the master worker.
class port_watch {
 public:
  explicit port_watch(std::deque<port> const& ports);
  void look(cycles now);
  // To be called, too, with what is noticed from then on; after those who asked for it before.
  using listener = std::function<void(port_event, port_facts const&)>;
  void tell(listener whom) { listeners_.push_back(std::move(whom)); }
  // Every port has lost its kernel interface: nothing can come or go any more.
  [[nodiscard]] bool all_gone() const { return gone_ == states_.size(); }

 private:
  struct state {
    port const* watched;
    bool up;
    bool gone;
  };
  void look_at(state& s);
  void tell(port_event what, state const& s) const {
    for (auto const& one : listeners_) one(what, s.watched->facts());
  }
  std::vector<state> states_;
  std::size_t gone_{0};
  cycles next_look_{0};
  std::vector<listener> listeners_;
};

}  // namespace packetwarp
