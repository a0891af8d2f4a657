// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/inspection/shared_word.h"
#include "wire/address.h"

// Executors tell the master of alerts by a ring of records in memory that the host reads, one ring per pipeline. An
// executor never waits: a record that finds no room is counted as lost.
namespace packetwarp::inspection_parts {

namespace alert_flag {
inline constexpr std::uint8_t second_set = 1;  // position of the rules in inspection_root::sets
inline constexpr std::uint8_t has_ports = 2;
inline constexpr std::uint8_t has_icmp = 4;
inline constexpr std::uint8_t has_flow = 8;
inline constexpr std::uint8_t to_server = 16;
inline constexpr std::uint8_t blocked = 32;  // the rule drops or rejects the packet
}  // namespace alert_flag

// A rule that matched a packet.
struct alert {
  wire::ipv6_address source;  // of IPv4: the number in `low`
  wire::ipv6_address destination;
  std::uint64_t flow;  // key; 0: none
  std::uint32_t rule;  // number in rule_set::rules
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint8_t ip_version;
  std::uint8_t protocol;  // of the IP header
  std::uint8_t flags;     // alert_flag
  std::uint8_t icmp_type;
  std::uint8_t icmp_code;
  std::uint8_t reserved[3];
};
// The ticket is written last, by a store that releases the rest: the record's number plus one.
struct alert_record {
  alert what;
  std::uint64_t ticket;
};
static_assert(sizeof(alert_record) == 64 && std::is_trivially_copyable_v<alert_record>);

// The cursors lie where executors count fast.
struct alignas(64) alert_cursors {
  std::uint64_t written;           // records that executors have begun, ever
  std::uint64_t lost;              // records that found no room
  alignas(64) std::uint64_t read;  // written by the master
};

// A view of an alert_journal for the packets of one pipeline. Valid as long as the journal.
struct alert_ref {
  alert_record* records;
  alert_cursors* cursors;
  std::uint32_t record_mask;  // records - 1

  // The host is one of the readers.
  using word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;

  // A record takes a ticket only if the ring has room, so tickets in the ring have no gaps. Returns the record's
  // ticket; 0: it is lost.
  HOST_DEVICE std::uint64_t write(alert const& what) const {
    auto ticket = load(cursors->written);
    for (;;) {
      if (ticket - word{cursors->read}.load(cuda::memory_order_acquire) > record_mask) {
        add(cursors->lost, std::uint64_t{1});
        return 0;
      }
      if (replace(cursors->written, ticket, ticket + 1)) break;
      ticket = load(cursors->written);
    }
    auto& to = records[ticket & record_mask];
    to.what = what;
    word{to.ticket}.store(ticket + 1, cuda::memory_order_release);
    return ticket + 1;
  }
};
static_assert(std::is_trivially_copyable_v<alert_ref>);

}  // namespace packetwarp::inspection_parts
