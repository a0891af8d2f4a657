// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <utility>

#include "address/interface_index.h"
#include "address/neighbour.h"
#include "control/action.h"
#include "control/icmp_error.h"

namespace packetwarp {

// Bounds of a neighbour_cache. Any host can make a router ask for neighbours, by packets to addresses on one of its
// interfaces, and any host on a wire can claim to be many: each interface has its own share of every bound.
struct neighbour_settings {
  control_time between_asks{std::chrono::seconds{1}};  // RFC 4861, 10: RETRANS_TIMER
  unsigned asks{3};                                    // MAX_MULTICAST_SOLICIT, MAX_UNICAST_SOLICIT
  control_time trusted{std::chrono::seconds{60}};      // without a sign of life (RFC 1122, 2.3.2.1)
  control_time unproved{std::chrono::seconds{5}};      // RFC 4861, 10: DELAY_FIRST_PROBE_TIME, for hosts not asked for
  std::size_t held_each{8};                            // packets that wait for one neighbour; the oldest goes first
  // The bounds of each interface.
  std::size_t held{512};                     // packets that wait for neighbours
  std::size_t neighbours{16384};             // with known MAC addresses, without configured ones
  std::size_t asked{512};                    // neighbours that have not answered yet
  std::uint32_t questions_per_second{1000};  // for packets: see neighbour_budget::may_ask
  std::uint32_t questions_at_once{500};
  std::uint32_t proofs_per_second{200};  // questions to hosts that were not asked for
  std::uint32_t learnt_per_second{500};  // hosts that were not asked for
  std::uint32_t learnt_at_once{1000};
  // For all interfaces together, each an equal part: as many next hops and hosts as router_limits leaves to them.
  std::size_t all_neighbours{49152};
};

// The packet's sender, for a packet that needs a neighbour.
struct neighbour_asker {
  interface_index interface {};  // by which the packet came in
  std::uint32_t source{};        // a hash of its source address
};

// The share of one interface: its tokens, and the neighbours that make room for others.
class neighbour_budget {
 public:
  using ages = std::list<neighbour_key>;  // the oldest first

  explicit neighbour_budget(neighbour_settings const& settings)
      : settings_{settings},
        questions_{settings.questions_per_second, settings.questions_at_once},
        proofs_{settings.proofs_per_second, settings.proofs_per_second},
        learning_{settings.learnt_per_second, settings.learnt_at_once} {}

  // Whether a packet may cause a question. Packets of one source have a quarter of the questions at most, and packets
  // that came in by one interface half: a scan leaves questions to others, and a scan with forged sources leaves some
  // to other interfaces.
  [[nodiscard]] bool may_ask(neighbour_asker const& asker, control_time now);
  // Whether a host that is known only by its own messages may be asked.
  [[nodiscard]] bool may_prove(control_time now) { return proofs_.take(now); }
  // Whether a host that was not asked for may be learnt.
  [[nodiscard]] bool may_learn(control_time now) { return learning_.take(now); }

  ages asked;           // neighbours without an answer yet
  ages unproved;        // known only by their own messages: a question has not been answered yet
  std::size_t known{};  // including the unproved ones
  std::size_t held{};   // packets that wait

 private:
  neighbour_settings const& settings_;
  token_bucket questions_;
  token_bucket proofs_;
  token_bucket learning_;
  // For the questions. Sources are distinguished by their hashes.
  [[nodiscard]] token_bucket part_of(std::uint32_t parts) const;
  std::map<interface_index, token_bucket> by_interface_;
  std::map<std::pair<interface_index, std::uint32_t>, token_bucket> by_source_;
};

}  // namespace packetwarp
