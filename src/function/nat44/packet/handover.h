// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/find_endpoint.h"
#include "function/nat44/packet/flow.h"
#include "function/nat44/packet/fragment.h"
#include "routing/ip_packet.h"
#include "wire/ethernet.h"

// Packets whose session another GPU has (nat::part): the source's port of a packet from inside decides the GPU, the
// destination's port of a packet from outside. A packet from one inside host to another's outside address belongs to
// two GPUs. The GPU of its source goes first and hands the packet on with a note: the source's outside endpoint in the
// place of the Ethernet source address, which no later step reads. The tables' key hides the note, so that no host can
// make one.
namespace packetwarp::nat {

// The verdict for a packet of this port's part; next_hook() if it is these tables' own.
[[nodiscard]] HOST_DEVICE inline verdict hand_over(nat44_ref const& tables, std::uint16_t port) {
  if (tables.part.has(port)) return next_hook();
  return verdict::hand_over(static_cast<gpu_position>(tables.part.of_port(port)));
}

inline constexpr std::uint64_t mac_bits = 0xffff'ffff'ffff;
// The word that hides a noted endpoint.
[[nodiscard]] HOST_DEVICE inline std::uint64_t key_of_notes(nat44_ref const& tables) {
  return tables.hash(mac_bits) & mac_bits;
}
HOST_DEVICE inline void note_source(nat44_ref const& tables, packet_view packet, endpoint outside) {
  auto const word = std::uint64_t{outside.address.number} << 16 | outside.port;
  wire::ethernet_view{packet.data}.set_source(wire::mac_address::from_number(word ^ key_of_notes(tables)));
}
// The outside endpoint that another GPU has noted for a packet from this inside endpoint; nothing without a note.
[[nodiscard]] HOST_DEVICE inline std::optional<endpoint> source_noted(nat44_ref const& tables, packet_view packet,
                                                                      endpoint inside) {
  auto const word = wire::ethernet_view{packet.data}.source().number() ^ key_of_notes(tables);
  endpoint const found{{static_cast<std::uint32_t>(word >> 16)}, static_cast<std::uint16_t>(word)};
  bool const is_noted = tables.outside_addresses.find(found.address) != 0 &&
                        tables.part.of_port(found.port) == tables.part.of_port(inside.port);
  return is_noted ? std::optional{found} : std::nullopt;
}

// Whether these tables translate the flow's source: by a static address, which all parts have, or by a session.
[[nodiscard]] HOST_DEVICE inline bool translates_source(nat44_ref const& tables, flow const& of) {
  return of.kind == transport::none || tables.part.has(of.source.port) ||
         tables.static_addresses.find(of.source.address) != 0;
}

// The outside endpoint of a packet from one inside host to another. A function of its own, which gets the flow by its
// value, so that the flow of every other packet stays in registers.
[[nodiscard, gnu::noinline, gnu::cold]] HOST_DEVICE inline translated translate_hairpin_source(nat44_ref const& tables,
                                                                                               flow of) {
  return translate_source(tables, of, any_egress);
}

// A packet from inside to the outside address `at`, before its destination is looked up: next_hook() if these tables do
// the look-up, and have the source's outside endpoint or find it.
[[nodiscard, gnu::noinline, gnu::cold]] HOST_DEVICE inline verdict hand_over_hairpin(nat44_ref const& tables,
                                                                                     packet_view packet, flow of,
                                                                                     std::uint32_t at) {
  if (of.kind == transport::none) return next_hook();
  bool const is_to_static = (at & address_map::is_static) != 0;
  if (!translates_source(tables, of)) {
    bool const is_last = !is_to_static && tables.part.has(of.destination.port);
    bool const is_noted = is_last && source_noted(tables, packet, of.source).has_value();
    return is_noted ? next_hook() : hand_over(tables, of.source.port);
  }
  if (is_to_static || tables.part.has(of.destination.port)) return next_hook();
  if (tables.static_addresses.find(of.source.address) == 0) {
    auto const outward = translate_hairpin_source(tables, of);
    if (outward.wrong != fault::none) return verdict::drop(function_drop(static_cast<std::uint16_t>(outward.wrong)));
    note_source(tables, packet, outward.to);
  }
  return hand_over(tables, of.destination.port);
}

// A packet from outside to the outside address `at`.
[[nodiscard]] HOST_DEVICE inline verdict hand_over_inward(nat44_ref const& tables, flow const& of, std::uint32_t at) {
  bool const has_session = of.kind != transport::none && (at & address_map::is_static) == 0;
  return has_session ? hand_over(tables, of.destination.port) : next_hook();
}

// The first piece of a fragmented datagram to an outside address. Later pieces have no ports, and are reassembled
// first.
[[nodiscard, gnu::noinline, gnu::cold]] HOST_DEVICE inline verdict hand_over_piece(nat44_ref const& tables,
                                                                                   packet_view packet,
                                                                                   wire::ipv4_view<std::byte> ip) {
  if (ip.fragment_offset() != 0) return next_hook();
  auto const of = read_first_fragment(packet, ip, routing::ip_at);
  bool const has_port = of.wrong == fault::none && of.kind != transport::none;
  return has_port ? hand_over(tables, of.destination.port) : next_hook();
}

// A packet from outside that is routed in unchanged: the part that has its inside endpoint notes it.
[[nodiscard, gnu::noinline]] HOST_DEVICE inline verdict hand_over_untranslated(nat44_ref const& tables,
                                                                               packet_view packet,
                                                                               wire::ipv4_view<std::byte> ip) {
  if (ip.is_fragment()) return hand_over_piece(tables, packet, ip);
  auto const of = read_flow(packet, ip, routing::ip_at);
  bool const has_port = of.wrong == fault::none && of.kind != transport::none;
  return has_port ? hand_over(tables, of.destination.port) : next_hook();
}

}  // namespace packetwarp::nat
