// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <vector>

#include "inspect/packet/fragment_counts.h"
#include "wire/address.h"
#include "wire/fragment_list.h"
#include "wire/layers.h"

namespace packetwarp::inspect {

// Puts the fragments of IPv4 and IPv6 datagrams together as the control plane does (RFC 791, 3.2; RFC 8200, 4.5),
// within its bounds. A frame has 65,535 bytes at most: of a longer datagram, which Ethernet's header makes as long, the
// last bytes are missing.
class fragment_table {
 public:
  static constexpr std::size_t most_datagrams = 1024;
  static constexpr std::size_t most_fragments = 64;  // of a datagram
  static constexpr std::size_t most_bytes = std::size_t{8} << 20;
  static constexpr std::uint64_t timeout = 30'000'000'000;  // nanoseconds, from the first fragment

  // frame: of a fragment, recorded whole; found: its layers. The frame of the datagram that it completes, valid until
  // the next call; empty: it completes none. Throws std::bad_alloc: then only give_up_all() is possible.
  [[nodiscard]] std::span<std::byte const> add(std::span<std::byte const> frame, wire::layers const& found,
                                               std::uint64_t nanoseconds);

  // Frees the memory of all datagrams.
  void give_up_all();

  [[nodiscard]] fragment_counts const& counts() const { return counts_; }
  [[nodiscard]] std::size_t held() const { return held_; }  // fragments

 private:
  struct datagram_name {
    wire::ipv6_address source{};
    wire::ipv6_address destination{};
    std::uint32_t identification{};
    std::uint8_t protocol{};  // IPv6: 0, because its fragments may differ in it (RFC 8200, 4.5)
    std::uint8_t ip_version{};
    std::uint64_t vlans{};  // vlan_tags::number()
    friend bool operator<(datagram_name const& a, datagram_name const& b) { return a.order() < b.order(); }
    [[nodiscard]] std::array<std::uint64_t, 6> order() const {
      return {source.high,
              source.low,
              destination.high,
              destination.low,
              std::uint64_t{identification} << 16 | std::uint64_t{protocol} << 8 | ip_version,
              vlans};
    }
  };
  // A fragment's place in its datagram, and the headers before it.
  struct fragment_facts {
    datagram_name name{};
    std::size_t begin{};         // bytes of the datagram
    std::size_t head{};          // bytes of the frame that precede the datagram's payload in the frame put together
    std::size_t counted_from{};  // where the bytes begin that the IP header's length counts
    std::size_t at{};            // where the fragment's bytes begin in its frame
    std::size_t next_header{};   // IPv6: the place of the byte that says what follows `head`
    std::uint8_t protocol{};     // IPv6: by the fragment's own header; that of the datagram's first fragment counts
    bool is_last{};
    bool is_sound{};
  };
  struct datagram {
    wire::fragment_list fragments{};
    std::vector<std::byte> head{};  // of the first fragment
    std::size_t ip_at{};            // in the head
    std::size_t bytes{};
    std::uint64_t since{};
    std::list<datagram_name>::iterator place{};
  };

  [[nodiscard]] static fragment_facts facts_of(std::span<std::byte const> frame, wire::layers const& found);
  [[nodiscard]] static fragment_facts facts_of_ipv4(std::span<std::byte const> frame, wire::layers const& found);
  [[nodiscard]] static fragment_facts facts_of_ipv6(std::span<std::byte const> frame, wire::layers const& found);
  [[nodiscard]] std::map<datagram_name, datagram>::iterator find_or_begin(datagram_name const& name,
                                                                          std::uint64_t nanoseconds);
  void join(datagram const& whole, std::uint8_t ip_version);
  void make_room(std::uint64_t nanoseconds);
  void erase(std::map<datagram_name, datagram>::iterator which);

  fragment_counts counts_{};
  std::map<datagram_name, datagram> datagrams_;
  std::list<datagram_name> ages_;  // the oldest first
  std::size_t held_{};
  std::size_t bytes_{};
  std::vector<std::byte> joined_;
};

}  // namespace packetwarp::inspect
