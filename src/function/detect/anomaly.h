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

// The news about a flow.
struct anomaly {
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
  std::uint8_t set;  // bit 0: position of the models in detect_root::sets; bit 1: by the large model's verdict
};
static_assert(sizeof(ring_record<anomaly>) == 64 && std::is_trivially_copyable_v<ring_record<anomaly>>);

// A pipeline's limits per window. They lie where executors count fast.
struct alignas(64) anomaly_windows {
  std::uint64_t limited;       // records beyond the limit of their window
  std::uint64_t recorded;      // window above, records in it below: 32 bits each
  std::uint64_t punted;        // the same of punted packets
  std::uint64_t second_looks;  // and of packets that the large model judged
  std::uint64_t copied;        // and of packets with a copy
};

// The last record of a flow. A flow with the same place takes it over, and is told anew.
struct flow_mark {
  static constexpr unsigned window_digits = 24;  // the flow's key above

  std::uint64_t last;     // the flow's key and the window of its last record
  std::uint64_t packets;  // anomalous packets since that record
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

// Counts an anomalous packet of a flow. Returns the packets that a record has to tell of; 0: the flow has a record in
// this window.
[[nodiscard]] HOST_DEVICE inline std::uint64_t count_packet(flow_mark& mark, std::uint64_t flow, epoch_number epoch) {
  constexpr std::uint64_t digits = (std::uint64_t{1} << flow_mark::window_digits) - 1;
  auto const now = (flow & ~digits) | (epoch >> window_bits & digits);
  auto seen = feature::load(mark.last);
  for (;;) {
    bool const is_same_flow = (seen & ~digits) == (now & ~digits);
    // Packets of two windows may take turns, where one window ends.
    bool const has_record = is_same_flow && ((now - seen) & digits) - 1 >= digits / 2;
    if (has_record) {
      feature::add(mark.packets, std::uint64_t{1});
      return 0;
    }
    auto const found = feature::compare_exchange(mark.last, seen, now);
    if (found == seen) {
      auto const before = feature::load(mark.packets);
      feature::add(mark.packets, std::uint64_t{0} - before);
      return is_same_flow ? before + 1 : 1;
    }
    seen = found;  // another packet took the mark: of this flow, or of one that is told now
  }
}

// A view of an anomaly_journal for the packets of one pipeline. Valid as long as the journal.
struct anomaly_ref {
  record_ring_ref<anomaly> ring;
  anomaly_windows* windows;
  flow_mark* marks;
  std::uint32_t mark_mask;  // marks - 1
};
static_assert(std::is_trivially_copyable_v<anomaly_ref>);

}  // namespace packetwarp::detect_parts
