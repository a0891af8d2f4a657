// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "burst/packet_view.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session.h"
#include "function/router/admission.h"
#include "wire/udp.h"

// Where a packet's session may be, found out on a CPU while other packets are worked on, a step a line of memory: from
// the header to where sessions are found, from there to the session. Reads nothing but the packet and the tables.
namespace packetwarp::nat {

struct outlook {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  std::uint64_t place;     // the hash of the inside endpoint, or the position of the outside port
  std::uint32_t record{};  // of the session; 0: none. Only a guess, until the record has been looked at
};

// Of plain headers alone: IPv4 without options, UDP or TCP. All others are looked for in their turn.
[[nodiscard]] inline outlook look_ahead(nat44_ref const& tables, side from, packet_view packet) {
  constexpr std::uint32_t ports_at = routing::ip_at + wire::ipv4_view<std::byte>::min_header_length;
  if (packet.contiguous < ports_at + wire::udp_view<std::byte>::header_length) return {outlook::nowhere};
  auto const ip = routing::ipv4_of(packet);
  bool const is_udp = ip.protocol() == wire::ip_protocol::udp;
  bool const is_plain = packet.data[routing::ip_at] == std::byte{0x45} &&
                        wire::ethernet_view{packet.data}.type() == wire::ether_type::ipv4 &&
                        (is_udp || ip.protocol() == wire::ip_protocol::tcp);
  if (!is_plain) return {outlook::nowhere};
  auto const kind = is_udp ? transport::udp : transport::tcp;
  wire::udp_view const ports{packet.data + ports_at};  // TCP's are in the same place
  if (from != side::outside) {
    auto const hash = mix(key_of(kind, {ip.source(), ports.source_port()}));
    tables.index().prefetch(hash);
    return {hash};
  }
  auto const at = tables.outside_addresses.find(ip.destination());
  if (at == 0 || (at & address_map::is_static) != 0) return {outlook::nowhere};
  auto const position = tables.position_of(kind, at - 1, ports.destination_port());
  __builtin_prefetch(tables.outside + position);
  return {position};
}

// The next step, when what the first has fetched is there.
[[nodiscard]] inline std::uint32_t guess_session(nat44_ref const& tables, side from, outlook const& seen) {
  if (seen.place == outlook::nowhere) return 0;
  auto const record =
      from == side::outside ? load_leading(tables.outside[seen.place]) : tables.index().guess(seen.place);
  if (record != 0) __builtin_prefetch(tables.sessions + record);
  return record;
}

}  // namespace packetwarp::nat
