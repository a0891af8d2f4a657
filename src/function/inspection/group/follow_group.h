// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "feature/packet_facts.h"
#include "function/inspection/flow_word.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"

namespace packetwarp::inspection_parts {

namespace detail {

// The numbers of a packet that answers a SYN, beside those of the connection at this place. A CPU that follows streams
// looks them up later (host_inspection.h).
[[nodiscard]] HOST_DEVICE inline answered_numbers look_up_numbers(inspection_ref const& tables, std::uint32_t place,
                                                                  packet_note const& note, tcp_numbers numbers) {
  using enum answered_numbers;
  if (tables.streams.count == 0 || note.kind != inspect::packet_kind::tcp) return not_looked_up;
  if (!inspect::answers_connection(note.tcp_flags)) return not_looked_up;
  std::uint32_t const direction = (note.flags & note_flag::backward) != 0 ? 1 : 0;
  return knows_numbers(tables.streams.starts[place], direction, numbers) ? known : others;
}

// Follows a packet of the flow and notes what its rules ask. Returns the flow after it.
[[nodiscard]] HOST_DEVICE inline flow_word follow_packet(flow_word flow, answered_numbers numbers, packet_note& note) {
  feature::packet_facts facts{};
  facts.kind = note.kind == inspect::packet_kind::tcp ? feature::transport::tcp : feature::transport::other;
  facts.tcp_flags = note.tcp_flags;
  facts.has_ports = (note.flags & note_flag::has_transport) != 0 ? 1 : 0;
  facts.payload = note.payload_length;
  followed found{};
  auto const next = after(flow, facts, (note.flags & note_flag::backward) != 0 ? 1 : 0, numbers, found);
  // A packet may be followed again (follow_flow), so earlier notes go.
  note.flags = static_cast<std::uint16_t>(
      (note.flags & ~note_flag::of_flow) | note_flag::has_flow | (found.is_to_server ? note_flag::to_server : 0) |
      (found.is_new ? note_flag::begins_flow : 0) | (found.is_unsure ? note_flag::unless_known : 0) |
      (found.is_established ? note_flag::established : 0) | (found.has_begun ? note_flag::has_begun : 0) |
      (found.is_two_way ? note_flag::two_way : 0) | (found.begins_direction ? note_flag::begins_direction : 0) |
      (found.is_bypassed ? note_flag::bypassed : 0));
  note_ended(found.ended, note);
  return next;
}

// Notes the place that the flow has got. If it has none, another thread may have taken it after the packet was
// followed.
HOST_DEVICE inline void note_place(flow_place const& at, packet_note& note) {
  note.flow_place = at.place;
  if (!at.is_there) note.flags = static_cast<std::uint16_t>(note.flags & ~note_flag::of_flow);
}

// The packets of the n-th packet's flow, a bit each.
[[nodiscard]] HOST_DEVICE inline std::uint32_t packets_of_flow(inspection_room const& room, unsigned n,
                                                               unsigned packets) {
  static_assert(joint_packets <= 32);
  auto const flow = room.packets[n].flow;
  std::uint32_t found = 0;
  UNROLLED_BY_4
  for (unsigned i = 0; i < packets; ++i) found |= std::uint32_t{room.packets[i].flow == flow} << i;
  return found;
}

// Calls with each packet of these bits, in their order.
template <class Call>
HOST_DEVICE void for_packets(std::uint32_t bits, inspection_room& room, Call&& call) {
  NOT_UNROLLED
  for (; bits != 0; bits &= bits - 1) {
    auto const n = lowest_bit(bits);
    call(room.packets[n], n);
  }
}

// Follows a flow by all packets that it has in the group. packets: a bit each.
HOST_DEVICE inline void follow_flow_of(inspection_ref const& tables, inspection_room& room, std::uint32_t packets) {
  auto const key = room.packets[lowest_bit(packets)].flow;
  auto const at = follow_flow(tables.flows, key, tables.root->now(), [&](flow_word flow, std::uint32_t place) {
    for_packets(packets, room, [&](packet_note& note, unsigned i) {
      flow = follow_packet(flow, look_up_numbers(tables, place, note, room.numbers[i]), note);
    });
    return flow;
  });
  std::uint64_t packets_there = 0;
  for_packets(packets, room, [&](packet_note& note, unsigned) {
    note_place(at, note);
    ++packets_there;
  });
  if (!at.is_there) add(tables.counts->without_flow, packets_there);
}

// A packet whose flow has no place in the table belongs to none.
HOST_DEVICE inline void forget_flow_without_place(packet_note& note) {
  if ((note.flags & note_flag::has_flow) == 0) note.flow = 0;
}

}  // namespace detail

// Follows the packets of a group in their order, as far as they are of one flow. Several lanes have a packet each, and
// the lane of a flow's first packet follows all of them: it reads and changes the flow's record once.
HOST_DEVICE inline void follow_group(auto const& group, inspection_ref const& tables, inspection_room& room) {
  if (group.lanes() == 1) {
    for (unsigned n = 0; n < group.packets(); ++n) {
      if (room.packets[n].flow != 0) detail::follow_flow_of(tables, room, 1U << n);
      detail::forget_flow_without_place(room.packets[n]);
    }
    return;
  }
  auto const n = group.lane();
  auto const of_flow =
      n < group.packets() && room.packets[n].flow != 0 ? detail::packets_of_flow(room, n, group.packets()) : 0;
  group.sync();
  if (of_flow != 0 && lowest_bit(of_flow) == n) detail::follow_flow_of(tables, room, of_flow);
  // Only now, because lanes have compared other packets' flows.
  group.sync();
  if (n < group.packets()) detail::forget_flow_without_place(room.packets[n]);
  group.sync();
}

}  // namespace packetwarp::inspection_parts
