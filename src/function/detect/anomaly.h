// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/epoch.h"
#include "feature/access.h"
#include "feature/packet_facts.h"
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
// The ticket is written last, by a store that releases the rest: the record's number plus one.
struct alignas(64) anomaly_record {
  anomaly what;
  std::uint64_t ticket;
};
static_assert(sizeof(anomaly_record) == 64 && std::is_trivially_copyable_v<anomaly_record>);

// The cursors lie where executors count fast.
struct alignas(64) anomaly_cursors {
  std::uint64_t written;           // records that executors have begun, ever
  std::uint64_t lost;              // records that found no room
  std::uint64_t limited;           // records beyond the limit of their window
  std::uint64_t recorded;          // window above, records in it below: 32 bits each
  std::uint64_t punted;            // the same of punted packets
  std::uint64_t second_looks;      // and of packets that the large model judged
  std::uint64_t copied;            // and of packets with a copy
  alignas(64) std::uint64_t read;  // written by the master
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
  anomaly_record* records;
  anomaly_cursors* cursors;
  flow_mark* marks;
  std::uint32_t record_mask;  // records - 1
  std::uint32_t mark_mask;    // marks - 1

  // The record takes a ticket only if the ring has room, so tickets in the ring have no gaps.
  HOST_DEVICE void write(anomaly const& what) const {
    auto ticket = feature::load(cursors->written);
    for (;;) {
      // Negative where others have written, and the master has read, since the ticket was seen.
      auto const unread = static_cast<std::int64_t>(ticket - word{cursors->read}.load(cuda::memory_order_acquire));
      if (unread > std::int64_t{record_mask}) {
        feature::count(cursors->lost);
        return;
      }
      auto const before = feature::compare_exchange(cursors->written, ticket, ticket + 1);
      if (before == ticket) break;
      ticket = before;
    }
    auto& to = records[ticket & record_mask];
    to.what = what;
    word{to.ticket}.store(ticket + 1, cuda::memory_order_release);
  }

  // The host is one of the readers.
  using word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
};
static_assert(std::is_trivially_copyable_v<anomaly_ref>);

}  // namespace packetwarp::detect_parts
