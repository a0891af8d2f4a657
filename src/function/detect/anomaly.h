// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/epoch.h"
#include "feature/access.h"
#include "feature/packet_facts.h"
#include "function/record/record_ring.h"
#include "wire/address.h"

// Executors tell the master of flows with anomalous packets by a ring of records in memory that the host reads: at most
// one record per flow and window, and no more records per window than a limit. All of it lies beside one pipeline.
namespace packetwarp::detect_parts {

// Windows of 1,024 epochs, which are about a second.
inline constexpr unsigned window_bits = 10;

// The news about a flow; or the rest of the packets of a flow that gave its place to another one (flow_marks), which
// has only `flow`, `packets` and `set`.
struct anomaly {
  static constexpr std::uint8_t by_large = 2;
  static constexpr std::uint8_t rest = 4;

  std::uint64_t flow;  // key of the flow (feature/packet_keys.h), the same in both directions
  wire::ipv6_address source;
  wire::ipv6_address destination;
  std::uint32_t packets;  // anomalous packets of the flow since its last record, with this one
  std::int32_t score;     // of this packet; the largest or smallest number if the score is beyond it
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint8_t ip_version;  // 4, 6; 0: neither, and then there are no addresses
  std::uint8_t protocol;
  std::uint8_t has_ports;
  std::uint8_t set;  // bit 0: position of the models in detect_root::sets; by_large: by its verdict; rest: see above
};
static_assert(sizeof(ring_record<anomaly>) == 64 && std::is_trivially_copyable_v<ring_record<anomaly>>);

// A pipeline's limits per window. They lie where executors count fast.
struct alignas(64) anomaly_windows {
  std::uint64_t limited;       // records beyond the limit of their window
  std::uint64_t recorded;      // window above, records in it below: 32 bits each
  std::uint64_t punted;        // the same of punted packets
  std::uint64_t second_looks;  // and of packets that the large model judged
  std::uint64_t copied;        // and of packets with a copy
  std::uint64_t rests;         // and of records with anomaly::rest
};

// The last records of the flows whose keys end with the same digits, one in each place. A flow takes the place of the
// one that has had no record for the longest time, and of none that has one in this window: flows that go on side by
// side would otherwise take it from each other with every packet, with a record each time.
struct alignas(64) flow_marks {
  static constexpr unsigned places = 8;
  static constexpr unsigned none = places;
  static constexpr unsigned digits = 11;  // of a key, which choose its marks; and of a window
  static constexpr std::uint64_t digit_mask = (std::uint64_t{1} << digits) - 1;

  std::uint64_t last[places];     // the flow's key above its digits, and the window of its last record; 0: free
  std::uint64_t packets[places];  // anomalous packets since that record
};
static_assert(sizeof(flow_marks) == 128);

// The news about a packet.
struct counted_packet {
  std::uint64_t packets;  // of the flow, for its record; 0: it has one in this window
  unsigned place;         // of the flow; none: each place is of a flow with a record in this window
  std::uint64_t rest_of;  // the flow that had the place before
  std::uint64_t rest;     // its packets since its last record
};

// Whether one more fits into a window that has room for `most`; takes the place. The packets of a GPU add to one word,
// and packets that come too late may have counted in it, without a place. A compare-and-swap that each packet repeated
// until it succeeded took up to 7 us per place (docs/functions/detect.md).
[[nodiscard]] HOST_DEVICE inline bool take_place(std::uint64_t& window, epoch_number epoch, std::uint32_t most) {
  constexpr std::uint64_t places = 0xffff'ffff;
  auto const now = epoch >> window_bits << 32;
  auto seen = feature::load(window);
  // A packet of the epoch before may come after the first one of the next window, and counts there.
  while (seen < now) {
    auto const before = feature::compare_exchange(window, seen, now);
    seen = before == seen ? now : before;
  }
  if ((seen & places) >= most) return false;
  return (feature::add(window, std::uint64_t{1}) & places) < most;
}

// The place of a flow, or the one that it may take, and the word there. now: the flow's word for this window.
struct place_found {
  unsigned place;
  std::uint64_t last;
};
[[nodiscard]] HOST_DEVICE inline place_found find_place(flow_marks& marks, std::uint64_t now) {
  constexpr auto mask = flow_marks::digit_mask;
  place_found found{flow_marks::none, 0};
  std::uint64_t oldest = 0;
  for (unsigned n = 0; n < flow_marks::places; ++n) {
    auto const last = feature::load(marks.last[n]);
    if ((last ^ now) <= mask) return {n, last};
    auto const age = last == 0 ? mask + 1 : (now - last) & mask;
    // Packets of two windows may take turns, where one window ends: a record of the next window is no old one.
    if (age <= oldest || age == mask) continue;
    oldest = age;
    found = {n, last};
  }
  return found;
}

// Counts an anomalous packet of a flow. On a GPU a flow whose packets come in two windows at once may get two places,
// and then has one record more; and packets of a flow that come while it takes a place may be told as the rest of the
// flow that had the place before.
[[nodiscard]] HOST_DEVICE inline counted_packet count_packet(flow_marks& marks, std::uint64_t flow,
                                                             epoch_number epoch) {
  constexpr auto mask = flow_marks::digit_mask;
  auto const now = (flow & ~mask) | (epoch >> window_bits & mask);
  for (;;) {
    auto const [place, last] = find_place(marks, now);
    if (place == flow_marks::none) return {1, place, 0, 0};
    auto& packets = marks.packets[place];
    bool const is_same_flow = (last ^ now) <= mask;
    bool const has_record = is_same_flow && ((last - now) & mask) < 2;
    if (has_record) {
      feature::add(packets, std::uint64_t{1});
      return {0, place, 0, 0};
    }
    if (feature::compare_exchange(marks.last[place], last, now) != last) continue;  // another packet took the place
    if (last == 0) return {1, place, 0, 0};  // packets that have been counted there since are of this flow
    auto const before = feature::load(packets);
    feature::add(packets, std::uint64_t{0} - before);
    if (is_same_flow) return {before + 1, place, 0, 0};
    return {1, place, (last & ~mask) | (flow & mask), before};
  }
}

// A view of an anomaly_journal for the packets of one pipeline. Valid as long as the journal.
struct anomaly_ref {
  record_ring_ref<anomaly> ring;
  anomaly_windows* windows;
  flow_marks* marks;  // by the last digits of a flow's key

  [[nodiscard]] HOST_DEVICE flow_marks& marks_of(std::uint64_t flow) const {
    return marks[flow & flow_marks::digit_mask];
  }
};
static_assert(std::is_trivially_copyable_v<anomaly_ref>);

}  // namespace packetwarp::detect_parts
