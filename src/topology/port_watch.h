// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "base/cycles.h"
#include "port/port.h"

namespace packetwarp {

// Notices, twice a second, links that go down or up and kernel interfaces that are deleted, and says each once.
// For the master worker.
class port_watch {
 public:
  explicit port_watch(std::deque<port> const& ports);
  void look(cycles now);
  // Every port has lost its kernel interface: nothing can come or go any more.
  [[nodiscard]] bool all_gone() const { return gone_ == states_.size(); }

 private:
  struct state {
    port const* watched;
    bool up;
    bool gone;
  };
  void look_at(state& s);
  std::vector<state> states_;
  std::size_t gone_{0};
  cycles next_look_{0};
};

}  // namespace packetwarp
