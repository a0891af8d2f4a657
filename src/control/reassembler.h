// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <tuple>
#include <vector>

#include "control/action.h"

namespace packetwarp {

struct reassembly_settings {
  control_time timeout{std::chrono::seconds{30}};  // from the first fragment that came
  std::size_t datagrams{1024};                     // in pieces at a time; the oldest goes first
  std::size_t fragments{64};                       // of one datagram
};

// Puts the fragments of IPv4 datagrams together (RFC 791, 3.2), so that a function that needs the transport header of
// every packet sees one packet. Fragments that overlap are dropped with their datagram (RFC 5722 says so of IPv6; of
// IPv4 nobody needs them but attackers); one that comes twice is dropped alone. One thread.
//
// A datagram put together is the first fragment's packet with the others chained behind it, or in one piece where that
// has room. DPDK's rte_ip_frag takes eight fragments, not the 45 of the longest datagram over Ethernet.
class reassembler {
 public:
  explicit reassembler(reassembly_settings const& settings) : settings_{settings} {}
  reassembler(reassembler const&) = delete;
  reassembler& operator=(reassembler const&) = delete;
  // Frees what is still in pieces.
  ~reassembler();

  // Takes a frame that holds a fragment: a datagram that it completes is put back, what is wrong is dropped, all else
  // is kept.
  void add(rte_mbuf* fragment, interface_index ingress, control_time now, control_actions& actions);
  // Drops what has waited for too long.
  void tick(control_time now, control_actions& actions);
  void give_up(control_actions& actions);

  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  // Source, destination, identification, protocol, and where it came in.
  using key = std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint8_t, interface_index>;
  struct piece {
    rte_mbuf* packet;
    std::size_t begin;  // bytes of the datagram's payload
    std::size_t end;
  };
  struct datagram {
    std::vector<piece> pieces;  // in order
    std::size_t bytes{};
    std::size_t end{};  // 0: the last fragment has not come
    control_time due{};
    std::list<key>::iterator age;
  };
  using datagrams = std::map<key, datagram>;
  enum class fit : std::uint8_t { fits, twice, overlaps };

  [[nodiscard]] static fit place(datagram& of, piece const& added, bool is_last);
  [[nodiscard]] static rte_mbuf* join(datagram& whole);
  void drop(datagrams::iterator at, interface_index ingress, control_drop why, control_actions& actions);
  void erase(datagrams::iterator at);

  reassembly_settings settings_;
  datagrams datagrams_;
  std::list<key> ages_;  // the oldest first
  std::size_t held_{};
};

}  // namespace packetwarp
