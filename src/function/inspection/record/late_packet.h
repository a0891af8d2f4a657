// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "function/inspection/record/alert.h"
#include "function/record/record_ring.h"

// Rules that an executor on a GPU cannot judge to the end, because it has no automaton for one of their expressions: it
// gives the payload to the master, which judges them later. The packet has gone by then.
namespace packetwarp::inspection_parts {

// The bytes of its stream that a packet is given with.
enum class late_stream : std::uint16_t { none, part, whole };

// A packet that a rule matches up to such an expression.
struct late_packet {
  static constexpr std::uint32_t most = 1976;  // bytes of payload and stream

  alert what;           // of the rule, if it matches
  std::uint32_t place;  // of the rule among the compiled ones
  std::uint16_t size;   // of the text
  std::uint16_t payload_at;
  std::uint16_t payload_size;
  std::uint16_t stream_at;
  std::uint16_t stream_size;
  std::uint16_t carried;  // inspect::inspected_packet
  std::uint16_t ahead;
  late_stream stream;
  alignas(8) std::byte text[most];  // the payload and the stream, which have bytes in common
};

using late_ref = record_ring_ref<late_packet>;
static_assert(sizeof(ring_record<late_packet>) == 2064 && std::is_trivially_copyable_v<ring_record<late_packet>>);

}  // namespace packetwarp::inspection_parts
