// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "control/action.h"
#include "control/neighbour_budget.h"
#include "function/router/neighbour.h"
#include "function/router/router_table.h"
#include "wire/address.h"

namespace packetwarp {

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
  std::uint32_t source{};  // a hash of its source address
};

// A neighbour to be asked for its MAC address: all hosts on the wire, or the one that had it last.
struct neighbour_question {
  neighbour_key about;
  std::optional<wire::mac_address> last_known;
};

// The actions after a call, in order. The packets are the caller's.
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

// A neighbour, for its readers.
struct known_neighbour {
  neighbour_key who;
  neighbour_state state{};
  std::optional<wire::mac_address> mac{};  // nothing of an incomplete one
  control_time heard{};                    // when it last said its MAC address; of an incomplete one: was first asked
  std::size_t waiting{};                   // packets
};

// The hosts on the wires: the common part of ARP and neighbour discovery (RFC 826, RFC 1122 2.3.2, RFC 4861 7.3).
// Writes what it learns into the router's tables. A single thread.
//
// Hosts are proved when they have answered a question, or have spoken while packets waited for them. A host that is
// known by its own word only is asked itself after a few seconds. If an interface has no room for another neighbour,
// those not proved make room, the oldest first; proved ones and those by configuration never do.
class neighbour_cache {
 public:
  neighbour_cache(router_table& tables, neighbour_settings const& settings) : tables_{tables}, settings_{settings} {}
  neighbour_cache(neighbour_cache const&) = delete;
  neighbour_cache& operator=(neighbour_cache const&) = delete;
  // Frees what is still held.
  ~neighbour_cache();

  // A packet has to wait for this neighbour.
  void hold(neighbour_key const& neighbour, held_packet const& packet, control_time now, neighbour_events& events);
  // A neighbour has said what its MAC address is. known_only: of others nothing is learnt. False: nothing was, for want
  // of room too.
  enum class learning : std::uint8_t { anyone, known_only };
  bool learn(neighbour_key const& neighbour, wire::mac_address const& mac, learning of, control_time now,
             neighbour_events& events);
  // From configuration. Throws usage_error as router_table::set_neighbour does, failure where there is no room.
  void add_permanent(neighbour_key const& neighbour, wire::mac_address const& mac, neighbour_events& events);
  void forget(neighbour_key const& neighbour, neighbour_events& events);

  // The work of time: further questions, packets that waited in vain. As often as the caller likes.
  void tick(control_time now, neighbour_events& events);
  // Everything that is held, as silent.
  void give_up(neighbour_events& events);

  [[nodiscard]] std::optional<neighbour_state> state_of(neighbour_key const& neighbour) const;
  // Nothing of one that is not known, or incomplete.
  [[nodiscard]] std::optional<wire::mac_address> mac_of(neighbour_key const& neighbour) const;
  [[nodiscard]] std::size_t size() const { return neighbours_.size(); }
  // Visits up to `most` neighbours in the order of interfaces and addresses, from this one on or the next after it.
  using visitor = std::function<void(known_neighbour const&)>;
  void visit(std::optional<neighbour_key> const& from, std::size_t most, visitor const& look) const;
  // An interface's neighbours with known MAC addresses, without those by configuration, and how many that may be.
  [[nodiscard]] std::size_t known(interface_index interface) const;
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  using timers = std::multimap<control_time, neighbour_key>;
  enum class trust : std::uint8_t { unproved, proved };
  struct record {
    neighbour_state state{neighbour_state::incomplete};
    trust word{trust::unproved};
    wire::mac_address mac;
    control_time heard{};
    unsigned asked{};
    neighbour_asker asker;  // whose packet it was first asked for
    std::optional<timers::iterator> timer;
    std::deque<held_packet> waiting;
    std::optional<neighbour_budget::ages::iterator> age;  // where it stands in line for making room
  };
  using records = std::map<neighbour_key, record, neighbour_less>;

  [[nodiscard]] neighbour_budget& budget_of(interface_index interface);
  // Whether another neighbour may become known there.
  [[nodiscard]] bool has_room(interface_index interface);
  [[nodiscard]] bool make_room(interface_index interface);
  [[nodiscard]] records::iterator begin_asking(neighbour_key const& neighbour, held_packet const& packet,
                                               control_time now, neighbour_events& events);
  void give_up_oldest(neighbour_budget& of, neighbour_events& events);
  void become_known(neighbour_key const& neighbour, record& of);
  void stand_in_line(neighbour_key const& neighbour, record& of);
  void leave_line(neighbour_key const& neighbour, record& of);
  void set_timer(neighbour_key const& neighbour, record& of, control_time due);
  void ask(neighbour_key const& neighbour, record& of, control_time now, neighbour_events& events);
  void expire(records::iterator at, control_time now, neighbour_events& events);
  void hand_out(neighbour_key const& neighbour, record& of, std::vector<held_packet>& to);
  void erase(records::iterator at);

  router_table& tables_;
  neighbour_settings settings_;
  records neighbours_;
  timers timers_;  // one of each but permanent ones
  std::map<interface_index, neighbour_budget> budgets_;
  std::size_t held_{};
};

}  // namespace packetwarp
