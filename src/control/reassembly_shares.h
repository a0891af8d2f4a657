// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "routing/router_ref.h"

namespace packetwarp {

// The key that the fragments of one datagram share (RFC 791, 3.2), and the interface that they came in by.
struct datagram_key {
  interface_index ingress{};
  std::uint32_t destination{};
  std::uint32_t source{};
  std::uint16_t identification{};
  std::uint8_t protocol{};
  friend auto operator<=>(datagram_key const&, datagram_key const&) = default;
};

// The share of each interface and destination in the held fragments; it chooses the datagram to give up when room is
// short. Sources do not count: they can be forged. A single thread.
class reassembly_shares {
 public:
  using ages = std::list<datagram_key>;  // the oldest first
  // The position of a datagram in the orders of age.
  struct place {
    ages::iterator of_interface;
    ages::iterator of_destination;
  };

  [[nodiscard]] place enter(datagram_key const& which);
  void add(datagram_key const& which, std::size_t bytes);
  // bytes: all bytes added for the datagram.
  void leave(datagram_key const& which, place const& at, std::size_t bytes);

  // The datagram to give up: the oldest of the interface that holds the most. If one destination has more than a
  // quarter of that interface's bytes, the oldest of the datagrams to it. Nothing if none is held.
  [[nodiscard]] std::optional<datagram_key> victim() const;
  // The oldest datagram of each interface.
  [[nodiscard]] std::list<datagram_key> oldest() const;

 private:
  struct bucket {
    std::size_t bytes{};
    ages by_age;
  };
  struct share {
    std::size_t bytes{};
    ages by_age;
    std::map<std::uint32_t, bucket> destinations;
    std::set<std::pair<std::size_t, std::uint32_t>> by_bytes;  // the destinations, ordered by their bytes
  };
  static void recount(share& of, std::uint32_t destination, bucket& held, std::size_t bytes);

  std::map<interface_index, share> shares_;
};

}  // namespace packetwarp
