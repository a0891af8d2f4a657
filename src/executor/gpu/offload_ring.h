// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/outcome.h"

namespace packetwarp {

// What CPU and GPU share of a burst ring. The CPU's own ring stays its own: a GPU that fails can spoil no more than
// this, and nothing of it is used again.

// Where a packet lies and how much of it lies there, in the one word that a GPU has to fetch: 48 bits of address, which
// is all that user space has on x86-64, and 16 bits of length.
class packet_descriptor {
 public:
  packet_descriptor() = default;
  HOST_DEVICE packet_descriptor(std::byte* data, std::uint16_t contiguous)
      : raw_{reinterpret_cast<std::uint64_t>(data) | std::uint64_t{contiguous} << address_bits} {}
  [[nodiscard]] HOST_DEVICE std::byte* data() const {
    return reinterpret_cast<std::byte*>(raw_ & ((std::uint64_t{1} << address_bits) - 1));
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t contiguous() const { return static_cast<std::uint32_t>(raw_ >> address_bits); }

 private:
  static constexpr unsigned address_bits = 48;
  std::uint64_t raw_;
};
static_assert(std::is_trivially_copyable_v<packet_descriptor> && sizeof(packet_descriptor) == 8);

// In front of a slot's descriptors.
struct alignas(16) slot_header {
  std::uint32_t size;         // packets
  std::uint32_t has_chained;  // not 0: whole lengths are in the ring's `lengths`
  std::uint64_t reserved;
};
static_assert(std::is_trivially_copyable_v<slot_header> && sizeof(slot_header) == 16);

// Written by the CPU, polled by the GPU: how many bursts have been given to it since the start.
struct alignas(128) offload_control {
  static constexpr std::uint64_t stop = std::uint64_t{1} << 63;   // or'ed in: end
  static constexpr std::uint64_t stall = std::uint64_t{1} << 62;  // or'ed in, to try what happens: work on nothing
  static constexpr std::uint64_t count_mask = stall - 1;

  std::uint64_t given;
};
static_assert(std::is_trivially_copyable_v<offload_control> && sizeof(offload_control) == 128);

// How the warps that share a burst tell that it is finished, and whether its packets all go one way. In GPU memory.
struct unit_tally {
  std::uint32_t finished;  // units
  std::uint32_t seen;      // verdict bits seen as one, and seen as zero above them
};
static_assert(std::is_trivially_copyable_v<unit_tally> && sizeof(unit_tally) == 8);

// A warp's share of a burst: more packets are split among warps.
inline constexpr std::uint32_t packets_per_unit = 64;

// The ring as a kernel gets it: by value. Owns nothing.
struct offload_ring_ref {
  offload_control* control;  // host memory, as all that follows up to `done`
  std::byte* slots;          // slot_header and descriptors, slot after slot
  verdict* verdicts;         // of each slot's packets; only written where they differ, or the burst is split
  std::uint32_t* lengths;    // of each slot's packets, whole; only where some are chained
  done_word* done;
  unit_tally* tallies;  // GPU memory: of each slot
  std::uint32_t slot_stride;
  std::uint32_t mask;      // slots - 1
  std::uint32_t capacity;  // packets a slot has room for: a multiple of packets_per_unit
  std::uint32_t units;     // a slot
  std::uint64_t packet_clocks;  // least clocks of a multiprocessor to spend on a packet

  [[nodiscard]] HOST_DEVICE slot_header* header(std::uint64_t position) const {
    return reinterpret_cast<slot_header*>(slots + (position & mask) * slot_stride);
  }
  [[nodiscard]] HOST_DEVICE packet_descriptor* descriptors(std::uint64_t position) const {
    return reinterpret_cast<packet_descriptor*>(header(position) + 1);
  }
  [[nodiscard]] HOST_DEVICE verdict* verdicts_of(std::uint64_t position) const {
    return verdicts + (position & mask) * capacity;
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t* lengths_of(std::uint64_t position) const {
    return lengths + (position & mask) * capacity;
  }
};
static_assert(std::is_trivially_copyable_v<offload_ring_ref>);

}  // namespace packetwarp
