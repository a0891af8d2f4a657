// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "control/action.h"
#include "function/router/neighbour.h"
#include "function/router/router_table.h"
#include "wire/address.h"

namespace packetwarp {

struct neighbour_settings {
  control_time between_asks{std::chrono::seconds{1}};  // RFC 4861, 10: RETRANS_TIMER
  unsigned asks{3};                                    // MAX_MULTICAST_SOLICIT, MAX_UNICAST_SOLICIT
  control_time trusted{std::chrono::seconds{60}};      // without a sign of life (RFC 1122, 2.3.2.1)
  std::size_t held_each{8};                            // packets that wait for one neighbour; the oldest goes first
  std::size_t held{1024};                              // for all of them
  std::size_t neighbours{16384};
};

enum class neighbour_state : std::uint8_t {
  incomplete,  // asked for; packets wait
  reachable,
  stale,     // trusted for too long: in use, while it is asked itself
  permanent  // by configuration: neither asked nor changed
};

// A packet that waits for a neighbour's MAC address.
struct held_packet {
  enum class origin : std::uint8_t { punted, own };
  rte_mbuf* packet{};
  interface_index interface {};  // by which it came in; its own: by which it leaves
  origin from{};
};

// A neighbour to be asked for its MAC address: all hosts on the wire, or the one that had it last.
struct neighbour_question {
  neighbour_key about;
  std::optional<wire::mac_address> last_known;
};

// What is to be done after a call, in order. The packets are the caller's.
struct neighbour_events {
  struct refusal {
    held_packet packet;
    control_drop why;
  };
  std::vector<neighbour_question> questions;
  std::vector<held_packet> ready;
  std::vector<held_packet> silent;  // its neighbour does not answer
  std::vector<refusal> refused;
};

// Who is on the wires: what ARP and neighbour discovery have in common (RFC 826, RFC 1122 2.3.2, RFC 4861 7.3). Writes
// what it learns into the router's tables. One thread.
class neighbour_cache {
 public:
  neighbour_cache(router_table& tables, neighbour_settings const& settings) : tables_{tables}, settings_{settings} {}
  neighbour_cache(neighbour_cache const&) = delete;
  neighbour_cache& operator=(neighbour_cache const&) = delete;
  // Frees what is still held.
  ~neighbour_cache();

  // A packet has to wait for this neighbour.
  void hold(neighbour_key const& neighbour, held_packet const& packet, control_time now, neighbour_events& events);
  // A neighbour has said what its MAC address is. known_only: of others nothing is learnt. False: nothing was.
  enum class learning : std::uint8_t { anyone, known_only };
  bool learn(neighbour_key const& neighbour, wire::mac_address const& mac, learning of, control_time now,
             neighbour_events& events);
  // From configuration. Throws usage_error as router_table::set_neighbour does, failure where there is no room.
  void add_permanent(neighbour_key const& neighbour, wire::mac_address const& mac, neighbour_events& events);
  void forget(neighbour_key const& neighbour, neighbour_events& events);

  // What time brings: further questions, packets that waited in vain. As often as the caller likes.
  void tick(control_time now, neighbour_events& events);
  // Everything that is held, as silent.
  void give_up(neighbour_events& events);

  [[nodiscard]] std::optional<neighbour_state> state_of(neighbour_key const& neighbour) const;
  // Nothing of one that is not known, or incomplete.
  [[nodiscard]] std::optional<wire::mac_address> mac_of(neighbour_key const& neighbour) const;
  [[nodiscard]] std::size_t size() const { return neighbours_.size(); }
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  using timers = std::multimap<control_time, neighbour_key>;
  struct record {
    neighbour_state state{neighbour_state::incomplete};
    wire::mac_address mac;
    unsigned asked{};
    std::optional<timers::iterator> timer;
    std::deque<held_packet> waiting;
  };
  using records = std::map<neighbour_key, record, neighbour_less>;

  void set_timer(neighbour_key const& neighbour, record& of, control_time due);
  void ask(neighbour_key const& neighbour, record& of, control_time now, neighbour_events& events);
  void expire(records::iterator at, control_time now, neighbour_events& events);
  void hand_out(record& of, std::vector<held_packet>& to);
  void erase(records::iterator at);

  router_table& tables_;
  neighbour_settings settings_;
  records neighbours_;
  timers timers_;  // one of each but permanent ones
  std::size_t held_{};
};

}  // namespace packetwarp
