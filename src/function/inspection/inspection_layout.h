// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "base/hash_key.h"
#include "base/host_device.h"
#include "burst/packet_view.h"
#include "function/group.h"
#include "function/inspection/carried/stream_record.h"
#include "function/inspection/carried/stream_text.h"
#include "function/inspection/flow_word.h"
#include "function/inspection/head_rooms.h"
#include "function/inspection/joined_room.h"
#include "function/inspection/rate_word.h"
#include "function/inspection/record/alert.h"
#include "function/inspection/record/late_packet.h"
#include "function/inspection/record/packet_slots.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/http/http_counts.h"
#include "inspect/packet/fragment_counts.h"
#include "inspect/stream/stream_counts.h"

// The memory in which executors find the rules of `inspect`, the state of flows, and what they count.
namespace packetwarp {

namespace inspect {
class regex_library;
}  // namespace inspect
class host_inspection;
struct host_texts;
class packet_ring;

// The effect of drop and reject.
enum class inspection_verdicts : std::uint32_t {
  as_rules_say,
  alert_only  // every packet goes on
};

struct inspection_rule_count {
  std::uint64_t matches;
  std::uint64_t alerts;  // without those that noalert or a threshold kept back
};

// Rules that are in force together, and what belongs to their numbers.
struct inspection_set {
  inspect::ruleset_ref rules;
  inspection_rule_count* counts;  // by rule_set::rules
  std::uint64_t* bits;            // flowbits: [flow places][bit_words]
  std::uint32_t bit_words;
  inspection_verdicts verdicts;
  std::uint32_t name_rules;    // rules that ask for names
  std::uint32_t stream_rules;  // rules whose match may follow from several segments of TCP
  std::uint32_t generation;    // of the rules: the number of the sets before
  std::uint32_t head_rules;    // rules that look at heads of HTTP
  std::uint32_t flow_rules;    // rules that count flows and decide on them
};
static_assert(std::is_trivially_copyable_v<inspection_set>);

// The set that applies, and room for the next one. A set is only written while no packet uses it, so packets in flight
// see only `current` change.
struct alignas(64) inspection_root {
  inspection_set sets[2];
  alignas(64) std::uint64_t current;  // 0 or 1
  std::uint64_t clock;                // 1/64 s; written by the master

  [[nodiscard]] HOST_DEVICE std::uint32_t in_force() const noexcept {
    // The set was complete before the packet's burst was given (inspection_table::prepare).
    return static_cast<std::uint32_t>(shared(current).load(order) & 1);
  }
  [[nodiscard]] HOST_DEVICE std::uint64_t now() const noexcept {
    return shared(clock).load(cuda::memory_order_relaxed);
  }

 private:
#if defined(__CUDA_ARCH__)
  static constexpr auto order = cuda::memory_order_relaxed;
#else
  static constexpr auto order = cuda::memory_order_acquire;
#endif
  using word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
  [[nodiscard]] HOST_DEVICE static word shared(std::uint64_t const& one) noexcept {
    return word{const_cast<std::uint64_t&>(one)};
  }
};
static_assert(std::is_trivially_copyable_v<inspection_root>);

// By the packets of one pipeline, since the start.
struct alignas(64) inspection_counts {
  std::uint64_t packets;
  std::uint64_t without_ip;            // no sound IP header: not inspected
  std::uint64_t fragments;             // inspected by the IP header only
  std::uint64_t cut_short;             // in more pieces than are reached: inspected as far as they go
  std::uint64_t without_flow;          // no place in the table of flows: inspected without state
  std::uint64_t candidates;            // rules whose literal the prefilter found
  std::uint64_t out_of_steps;          // rules that cost more checks than the bound: not matched
  std::uint64_t regexes_out_of_bound;  // expressions that ended at their bound: not matched
  std::uint64_t unjudged_regexes;      // a rule matched up to an expression that nothing here decides on
  std::uint64_t unjudged_names;        // segments that end within a message before its name
  std::uint64_t unjudged_streams;  // segments with data that are judged without a stream, though rules look at streams
  std::uint64_t rates_without_place;  // matches that no threshold could count
  std::uint64_t alerts;
  std::uint64_t dropped;
  std::uint64_t rejected;
  std::uint64_t passed;             // packets whose inspection a rule of action pass ended
  std::uint64_t out_of_bytes;       // rules for which their packet's budget of bytes did not suffice: not matched
  std::uint64_t literals_not_kept;  // inspect::judge_counts
  std::uint64_t
      of_ended_connections;  // packets after one that a rule has dropped or rejected with its flow: as that one
  std::uint64_t bypassed;    // packets of flows that a rule has bypassed: not judged
  std::uint64_t flows_bypassed;
  std::uint64_t body_bytes;           // of HTTP's bodies, each time that rules are compared with them
  std::uint64_t given_up_for_memory;  // connections, because the process had no memory
  std::uint64_t without_memory;       // packets whose rules were not judged to the end, for the same reason
  std::uint64_t packets_not_kept;     // of alerts, for want of room
  std::uint64_t wrong_checksums;      // judged alone: a receiver drops them (wire/right_checksums.h)
  std::uint64_t unread_extensions;    // more extension headers of IPv6 than are walked, or cut: by the IP header only
  std::uint64_t heads_not_read;       // segments judged alone whose head of HTTP, or next message, is not read in full
  inspect::fragment_counts datagrams;
  inspect::stream_counts segments;
  inspect::http_counts messages;
};
static_assert(sizeof(inspection_counts) == 448);

// The part of a pipeline's tables that only code on the CPU uses.
struct inspection_host_side {
  inspect::regex_library* regexes[2];  // by set; null: without one, as on a GPU
  host_inspection* streams;            // null: each packet is judged alone
  host_texts* texts[2];                // by set; null with streams
  packet_ring* packets;                // that alert; null: they are not kept
  tcp_numbers numbers[joint_packets];  // of the packets that have gathered
  packet_view views[joint_packets];    // the same
};

// A view of an inspection_table for the packets of one pipeline. Valid as long as the table.
struct inspection_ref {
  inspection_root const* root;
  inspection_counts* counts;
  inspection_parts::flow_table_ref flows;
  inspection_parts::rate_table_ref rates;
  inspection_parts::alert_ref journal;
  inspection_parts::packet_slots_ref packets;  // of alerts; a CPU's pipeline has a packet_ring
  inspection_parts::late_ref late;             // without records where the executor has an engine for all expressions
  inspection_parts::head_rooms_ref heads;
  inspection_parts::stream_table_ref streams;  // without records if segments are judged alone, or with whole streams
  inspection_parts::text_rooms_ref texts;
  inspection_parts::joined_rooms_ref joined;
  hash_key key;
  inspection_host_side* host;  // null on a GPU
  std::uint16_t ingress{};     // position of the port that packets come in by among the plan's
};
static_assert(std::is_trivially_copyable_v<inspection_ref>);

}  // namespace packetwarp
