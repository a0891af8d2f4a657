// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

#include "control/action.h"
#include "control/reassembly_shares.h"
#include "wire/fragment_list.h"
#include "wire/ipv4.h"

namespace packetwarp {

struct reassembly_settings {
  control_time timeout{std::chrono::seconds{30}};  // from the arrival of the first fragment
  std::size_t datagrams{1024};                     // incomplete at a time
  std::size_t fragments{64};                       // of one datagram
  std::size_t all_fragments{8192};                 // of all datagrams
  std::size_t bytes{8U << 20};                     // of memory, with `overhead` for each fragment
  static constexpr std::size_t overhead = 128;
};

// Puts the fragments of IPv4 datagrams together (RFC 791, 3.2), so that a function that needs the transport header of
// every packet sees one packet. Fragments that overlap are dropped with their datagram (RFC 5722 demands it for IPv6;
// for IPv4 only attackers need them); a fragment that arrives twice is dropped alone. A single thread.
//
// Any host can send fragments. Their content is copied and their mbufs are freed at once, so that fragments of
// datagrams that are never completed cannot empty the packet pool; the held amount is bounded in every respect. When a
// bound is reached, reassembly_shares chooses the datagram to give up. A complete datagram lies in mbufs of its own, as
// few as hold it. DPDK's rte_ip_frag keeps mbufs, and takes eight fragments, not the 45 of the longest datagram over
// Ethernet.
class reassembler {
 public:
  // pool: for complete datagrams; outlives it.
  reassembler(reassembly_settings const& settings, rte_mempool& pool) : settings_{settings}, pool_{pool} {}

  // Takes a frame that holds a fragment: a datagram that it completes is put back, a wrong fragment is dropped, all
  // others are copied. The actions count copies that are given up as lost, and as put_together the fragments of a
  // datagram that is put back, except one.
  void add(rte_mbuf* fragment, interface_index ingress, control_time now, control_actions& actions);
  // Gives up datagrams that have waited for too long.
  void tick(control_time now, control_actions& actions);
  void give_up(control_actions& actions);

  // Fragments, and their bytes as the settings count them.
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] std::size_t bytes_held() const { return bytes_; }

 private:
  struct datagram {
    wire::fragment_list fragments;
    std::size_t charged{};  // bytes as the settings count them
    control_time due{};
    reassembly_shares::place place;
    std::array<std::byte, 14 + wire::ipv4_view<std::byte>::max_header_length> head{};  // the first fragment's headers
    std::size_t head_length{};
    unsigned ecn{};  // a bit for each code point that a fragment had
  };
  using datagrams = std::map<datagram_key, datagram>;

  [[nodiscard]] datagrams::iterator find_or_begin(datagram_key const& which, control_time now,
                                                  control_actions& actions);
  [[nodiscard]] rte_mbuf* join(datagram& whole) const;
  void charge(datagrams::iterator at, std::size_t bytes);
  void finish(datagrams::iterator at, control_actions& actions);
  // Gives up datagrams beyond a bound; wanted: the number that may stay.
  void make_room(std::size_t wanted, control_actions& actions);
  // Counts the datagram's fragments as lost.
  void lose(datagrams::iterator at, control_drop why, control_actions& actions);
  void erase(datagrams::iterator at);

  reassembly_settings settings_;
  rte_mempool& pool_;
  datagrams datagrams_;
  reassembly_shares shares_;
  std::size_t held_{};
  std::size_t bytes_{};
};

}  // namespace packetwarp
