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

#include "address/interface_index.h"
#include "address/neighbour.h"
#include "control/action.h"
#include "control/neighbour_budget.h"
#include "routing/router_table.h"
#include "wire/address.h"

namespace packetwarp {

struct discovery_message;

enum class neighbour_state : std::uint8_t {
  incomplete,  // asked for; packets wait
  reachable,
  stale,     // trusted for too long: in use, while the neighbour itself is asked
  permanent  // by configuration: neither asked nor changed
};

// A packet that waits for a neighbour's MAC address.
struct held_packet {
  enum class origin : std::uint8_t { punted, own };
  rte_mbuf* packet{};
  interface_index interface {};  // by which it came in; for an own packet, by which it leaves
  origin from{};
  std::uint32_t source{};  // a hash of its source address
};

// A neighbour to be asked for its MAC address, by a question to all hosts on the wire or to the host that had it last.
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
  std::vector<held_packet> silent;  // packets whose neighbour does not answer
  std::vector<refusal> refused;
};

// A neighbour, for its readers.
struct known_neighbour {
  neighbour_key who;
  neighbour_state state{};
  std::optional<wire::mac_address> mac{};  // nothing while incomplete
  control_time heard{};                    // when it last told its address; while incomplete: when it was first asked
  std::size_t waiting{};                   // packets
};

// The hosts on the wires: the common part of ARP and neighbour discovery (RFC 826, RFC 1122 2.3.2, RFC 4861 7.3).
// Writes what it learns into the router's tables. A single thread.
//
// A host is proved when it has answered a question, or has spoken while packets waited for it. A host that is known
// only by its own messages is asked itself after a few seconds. If an interface has no room for another neighbour,
// unproved ones make room, the oldest first; proved and configured ones never do.
class neighbour_cache {
 public:
  neighbour_cache(router_table& tables, neighbour_settings const& settings) : tables_{tables}, settings_{settings} {}
  neighbour_cache(neighbour_cache const&) = delete;
  neighbour_cache& operator=(neighbour_cache const&) = delete;
  // Frees the held packets.
  ~neighbour_cache();

  // Makes a packet wait for this neighbour.
  void hold(neighbour_key const& neighbour, held_packet const& packet, control_time now, neighbour_events& events);
  // Handles a neighbour's message about its MAC address. known_only: new neighbours are not learnt. False: nothing was
  // learnt, for example for lack of room.
  enum class learning : std::uint8_t { anyone, known_only };
  bool learn(neighbour_key const& neighbour, wire::mac_address const& mac, learning of, control_time now,
             neighbour_events& events);
  // Handles a neighbour advertisement, of a neighbour that is known or was asked for (RFC 4861, 7.2.5). False: nothing
  // was learnt.
  bool learn(neighbour_key const& neighbour, discovery_message const& said, control_time now, neighbour_events& events);
  // Adds a neighbour by configuration. Throws usage_error like router_table::set_neighbour, failure if room is short.
  void add_permanent(neighbour_key const& neighbour, wire::mac_address const& mac, neighbour_events& events);
  void forget(neighbour_key const& neighbour, neighbour_events& events);

  // Does the work that depends on time: further questions, and packets that waited without success. The caller chooses
  // how often.
  void tick(control_time now, neighbour_events& events);
  // Returns every held packet, as silent.
  void give_up(neighbour_events& events);

  [[nodiscard]] std::optional<neighbour_state> state_of(neighbour_key const& neighbour) const;
  // Nothing for a neighbour that is unknown, or incomplete.
  [[nodiscard]] std::optional<wire::mac_address> mac_of(neighbour_key const& neighbour) const;
  [[nodiscard]] std::size_t size() const { return neighbours_.size(); }
  // Visits up to `most` neighbours in the order of interfaces and addresses, from this one on or the next after it.
  using visitor = std::function<void(known_neighbour const&)>;
  void visit(std::optional<neighbour_key> const& from, std::size_t most, visitor const& look) const;
  // The number of an interface's neighbours with known MAC addresses, without configured ones, and the most that it may
  // have.
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
    neighbour_asker asker;  // the sender of the packet that caused the first question
    std::optional<timers::iterator> timer;
    std::deque<held_packet> waiting;
    std::optional<neighbour_budget::ages::iterator> age;  // its place in the order for making room
  };
  using records = std::map<neighbour_key, record, neighbour_less>;

  [[nodiscard]] neighbour_budget& budget_of(interface_index interface);
  // Whether the interface may have another known neighbour.
  [[nodiscard]] bool has_room(interface_index interface);
  [[nodiscard]] bool make_room(interface_index interface);
  [[nodiscard]] records::iterator begin_asking(neighbour_key const& neighbour, held_packet const& packet,
                                               control_time now, neighbour_events& events);
  void give_up_oldest(neighbour_budget& of, neighbour_events& events);
  void become_known(neighbour_key const& neighbour, record& of);
  void become_stale(neighbour_key const& neighbour, record& of, control_time now);
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
  timers timers_;  // one per neighbour, except permanent ones
  std::map<interface_index, neighbour_budget> budgets_;
  std::size_t held_{};
};

}  // namespace packetwarp
