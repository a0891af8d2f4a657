// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "function/inspection/group/group_work.h"
#include "function/inspection/stream_store.h"
#include "inspect/packet/asked_name.h"
#include "inspect/packet/fragment_table.h"
#include "inspect/packet/packet_judge.h"
#include "wire/right_checksums.h"

namespace packetwarp {

// Fragments of IPv4 and IPv6 on CPUs: their datagram is judged, too, or only their IP headers.
enum class fragment_handling : std::uint8_t { together, headers };

namespace inspection_parts {

// The fate of the flow's packets after this one, which a rule may decide on.
struct rest_of_flow {
  std::uint8_t* fate{};  // null: the packet is of no flow that is held
  bool has_stream{};     // the packet goes on with a stream
};

}  // namespace inspection_parts

// Judges the packets of one pipeline on the CPU, with the streams of their flows and the messages of HTTP in them. For
// a single thread.
class host_inspection {
 public:
  host_inspection(stream_store& streams, fragment_handling fragments, wire::checksum_handling checksums);

  // Whether a receiver drops the packet for its checksums, and these are verified.
  [[nodiscard]] bool is_wrong(packet_view view) const;

  // Takes other rules for the set; only while no packet uses it. All stay alive.
  void prepare(std::size_t set, inspect::ruleset_ref rules, inspect::regex_library& regexes);

  // The n-th packet of the room is this fragment. If it completes a datagram, the packet's note becomes the datagram's,
  // and judge() judges both. Returns the facts that the note is made of. Throws nothing: without memory all datagrams
  // give way.
  [[nodiscard]] feature::packet_facts take_fragment(packet_view view, unsigned n, feature::packet_facts const& facts,
                                                    inspection_ref const& tables,
                                                    inspection_parts::inspection_room& room);
  // The n-th packet of the room, whose flow has been followed. Throws nothing: without memory the packet's connection
  // gives way, and is counted.
  void judge(inspection_ref const& tables, inspection_set const& set, inspection_parts::inspection_room& room,
             unsigned n);

 private:
  // The n-th packet, of a flow that a rule has bypassed.
  void pass_by(inspection_ref const& tables, inspection_set const& set, inspection_parts::inspection_room& room,
               unsigned n);
  // Puts the fragment to its datagram; the datagram's bytes are valid until the next call.
  [[nodiscard]] std::span<std::byte const> put_together(packet_view view, std::uint64_t nanoseconds);
  // The fragment that has completed the n-th packet's datagram, by its IP header.
  void judge_fragment(inspection_ref const& tables, inspection_set const& set, inspection_parts::inspection_room& room,
                      unsigned n);
  // Whether the n-th packet is a datagram that its fragment has completed.
  [[nodiscard]] bool is_datagram(inspection_ref const& tables, unsigned n) const {
    auto const& frame = completed_[n].frame;
    return !frame.empty() && tables.host->views[n].data == frame.data();
  }
  void judge_packet(inspection_ref const& tables, inspection_set const& set, inspection_parts::inspection_room& room,
                    unsigned n);
  [[nodiscard]] inspection_parts::payload_piece payload_of(inspection_parts::packet_note const& note);
  [[nodiscard]] inspect::tracked_stream* follow_stream(inspection_parts::trial& of, inspect::stream_table& streams,
                                                       inspect::stream_seed& seed, inspect::stream_counts& counts);
  // With its stream, whose shard is held.
  void judge_segment(inspection_parts::trial& of, inspection_parts::fate& so_far, inspect::stream_table& streams,
                     inspect::stream_seed& seed, inspect::stream_counts& counts);
  // Bytes that were held and that the packet acknowledges are judged, as a packet of the other direction.
  void judge_held(inspection_parts::trial const& of, inspection_parts::fate& so_far, inspect::stream_table& streams,
                  inspect::stream_seed& seed, inspect::stream_counts& counts);
  // The process has no memory: the packet's connection gives way, and the packet is judged without it.
  void give_way(inspection_parts::trial& of, inspection_parts::fate& so_far, inspect::stream_table& streams,
                inspect::stream_seed& seed);
  // Without a stream.
  void judge_alone(inspection_parts::trial& of, inspection_parts::fate& so_far,
                   inspection_parts::rest_of_flow const& rest);
  // Throws std::bad_alloc.
  void judge(inspection_parts::trial& of, inspection_parts::fate& so_far, inspect::tracked_stream* stream,
             inspection_parts::rest_of_flow const& rest);
  void count(inspection_counts& to, std::size_t set, inspect::stream_counts const& segments);

  stream_store& streams_;
  struct judge_of_set {
    std::unique_ptr<inspect::packet_judge> judge;
    inspect::regex_library* regexes{};
    inspect::judge_counts counted{};
    std::uint64_t regexes_out_of_bound{};
  };
  judge_of_set sets_[2];
  inspect::asked_name name_{};
  bool has_taken_{};  // a rule that matches the packet has been carried out
  fragment_handling fragments_;
  wire::checksum_handling checksums_;
  inspect::fragment_table datagrams_{};
  inspect::fragment_counts counted_datagrams_{};
  // By packet of the group: a datagram that it has completed, and its own note.
  struct completed_datagram {
    bool is_there{};
    inspection_parts::packet_note fragment{};
    std::vector<std::byte> frame{};
  };
  std::array<completed_datagram, joint_packets> completed_{};
  std::vector<std::byte> joined_;  // a payload in two pieces; it has room for each
};

}  // namespace packetwarp
