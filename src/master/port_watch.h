// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "base/cycles.h"
#include "port/port.h"

namespace packetwarp {

enum class port_event : std::uint8_t { lost, removed, given_back, restarted, link_up, link_down };
// The state of a port: lost with its kernel interface, removed with its device.
enum class port_state : std::uint8_t { up, down, lost, removed };
[[nodiscard]] std::string_view to_string(port_state state);

// Detects, twice per second, links that go down or up and kernel interfaces that are deleted, and at each poll devices
// that are removed and ports that were restarted; reports each event once. For the master worker.
class port_watch {
 public:
  explicit port_watch(std::deque<port> const& ports);
  void look(cycles now);
  // Adds a listener for later events; it is called after earlier listeners.
  using listener = std::function<void(port_event, port_facts const&)>;
  void tell(listener whom) { listeners_.push_back(std::move(whom)); }
  // Every port is lost or removed: no packet can arrive or leave any more.
  [[nodiscard]] bool all_gone() const { return gone_ == states_.size(); }
  [[nodiscard]] bool any_removed() const { return removed_ != 0; }
  // The state of the n-th port at the last poll.
  [[nodiscard]] port_state state_of(std::size_t n) const;
  [[nodiscard]] bool is_gone(port_id id) const;

 private:
  struct state {
    port const* watched;
    bool up;
    bool gone;
    port_presence presence{port_presence::here};  // the last reported one
    std::uint64_t restarts{0};                    // the last reported number
  };
  void look_for_removal(state& s);
  void look_for_restart(state& s) const;
  void look_at(state& s);
  void tell(port_event what, state const& s) const {
    for (auto const& one : listeners_) one(what, s.watched->facts());
  }
  std::vector<state> states_;
  std::size_t gone_{0};
  std::size_t removed_{0};
  cycles next_look_{0};
  std::vector<listener> listeners_;
};

}  // namespace packetwarp
