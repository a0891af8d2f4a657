// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
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

// Whether a watch shuts a port's link_gate while the port's link is down or its kernel interface is gone. A generator's
// gates stay open: its result says by itself what did not arrive.
enum class link_gates : std::uint8_t { stay_open, follow_links };

// Detects links that go down or up and kernel interfaces that are deleted, and at each poll devices that are removed
// and ports that were restarted; reports each event once. For the master worker.
class port_watch {
 public:
  static constexpr std::chrono::milliseconds between_looks{500};
  // At a port with a link_gate: meanwhile its driver loses packets after a change, or its queues refuse packets that
  // could leave.
  static constexpr std::chrono::milliseconds between_looks_at_gates{20};
  // The kernel may call a link down for up to a second after it has come up, and interfaces often come up just before a
  // run: for this long after the first look, gates of ports that have not been seen up stay open.
  static constexpr std::chrono::seconds settling{1};

  explicit port_watch(std::deque<port> const& ports, link_gates gates = link_gates::stay_open);
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
    bool was_up;  // at any look
    bool gone;
    port_presence presence{port_presence::here};  // the last reported one
    std::uint64_t restarts{0};                    // the last reported number
    cycles next_look{0};
  };
  void look_for_removal(state& s);
  void look_for_restart(state& s) const;
  void look_at(state& s, cycles now);
  // Shuts the gate of a port that is lost or has no link, and opens that of another.
  void set_gate(state const& s, cycles now) const;
  void tell(port_event what, state const& s) const {
    for (auto const& one : listeners_) one(what, s.watched->facts());
  }
  link_gates gates_;
  cycles settled_{0};  // when links of the start are known; 0 before the first look
  std::vector<state> states_;
  std::size_t gone_{0};
  std::size_t removed_{0};
  std::vector<listener> listeners_;
};

}  // namespace packetwarp
