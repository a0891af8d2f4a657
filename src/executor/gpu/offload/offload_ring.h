// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/epoch.h"
#include "burst/outcome.h"

namespace packetwarp {

// The memory of a burst ring that CPU and GPU share. The CPU's own ring is not shared: a GPU that fails can corrupt
// only this memory, and no word of it is used again.

// A slot is used once per lap of the ring. The `turn` bit alternates with laps, so words written in this lap differ
// from words left of the last. In the first lap it differs from zeroed memory.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t turn_of(std::uint64_t position, std::uint32_t mask) {
  return (position & (std::uint64_t{mask} + 1)) == 0 ? 1 : 0;
}

// The address of a packet and the bytes that lie there, in the one word that a GPU has to fetch: 47 bits of address,
// which is all that user space has on x86-64, the `turn` bit, and 16 bits of length.
class packet_descriptor {
 public:
  packet_descriptor() = default;
  HOST_DEVICE packet_descriptor(std::byte* data, std::uint16_t contiguous, std::uint64_t turn)
      : raw_{reinterpret_cast<std::uint64_t>(data) | turn << address_bits | std::uint64_t{contiguous} << length_at} {}
  [[nodiscard]] HOST_DEVICE static packet_descriptor from_raw(std::uint64_t raw) {
    packet_descriptor made;
    made.raw_ = raw;
    return made;
  }
  [[nodiscard]] HOST_DEVICE std::byte* data() const {
    return reinterpret_cast<std::byte*>(raw_ & ((std::uint64_t{1} << address_bits) - 1));
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t contiguous() const { return static_cast<std::uint32_t>(raw_ >> length_at); }
  [[nodiscard]] HOST_DEVICE std::uint64_t turn() const { return raw_ >> address_bits & 1; }
  [[nodiscard]] HOST_DEVICE std::uint64_t raw() const { return raw_; }

 private:
  static constexpr unsigned address_bits = 47;
  static constexpr unsigned length_at = 48;
  std::uint64_t raw_;
};
static_assert(std::is_trivially_copyable_v<packet_descriptor> && sizeof(packet_descriptor) == 8);

// The word before a slot's descriptors, written last.
class slot_header {
 public:
  slot_header() = default;
  HOST_DEVICE slot_header(std::uint64_t position, std::uint32_t size, std::uint32_t has_chained)
      : raw_{(position + 1) << sequence_at | std::uint64_t{has_chained} << chained_at | size} {}
  [[nodiscard]] HOST_DEVICE static slot_header from_raw(std::uint64_t raw) {
    slot_header made;
    made.raw_ = raw;
    return made;
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t size() const { return static_cast<std::uint32_t>(raw_ & 0xffff); }
  // Whole lengths are in the ring's `lengths`.
  [[nodiscard]] HOST_DEVICE bool has_chained() const { return (raw_ >> chained_at & 1) != 0; }
  [[nodiscard]] HOST_DEVICE bool is_of(std::uint64_t position) const {
    return static_cast<std::uint32_t>(raw_ >> sequence_at) == static_cast<std::uint32_t>(position + 1);
  }
  [[nodiscard]] HOST_DEVICE std::uint64_t raw() const { return raw_; }

 private:
  static constexpr unsigned chained_at = 16;
  static constexpr unsigned sequence_at = 32;
  std::uint64_t raw_;
};
static_assert(std::is_trivially_copyable_v<slot_header> && sizeof(slot_header) == 8);

// The word between a slot's header and its descriptors: the burst's epoch, and the `turn` bit, by which a GPU that has
// read the word before the header knows whether it is of this lap.
class slot_epoch {
 public:
  slot_epoch() = default;
  HOST_DEVICE slot_epoch(epoch_number epoch, std::uint64_t turn) : raw_{epoch << 1 | turn} {}
  [[nodiscard]] HOST_DEVICE static slot_epoch from_raw(std::uint64_t raw) {
    slot_epoch made;
    made.raw_ = raw;
    return made;
  }
  [[nodiscard]] HOST_DEVICE epoch_number epoch() const { return raw_ >> 1; }
  [[nodiscard]] HOST_DEVICE std::uint64_t turn() const { return raw_ & 1; }
  [[nodiscard]] HOST_DEVICE std::uint64_t raw() const { return raw_; }

 private:
  std::uint64_t raw_;
};
static_assert(std::is_trivially_copyable_v<slot_epoch> && sizeof(slot_epoch) == 8);

// The offsets in a slot of the words after the header. Descriptors are aligned to the unit of a GPU's reads.
inline constexpr std::size_t epoch_at = sizeof(slot_header);
inline constexpr std::size_t descriptors_at = 16;
static_assert(descriptors_at == epoch_at + sizeof(slot_epoch));

// The words at a slot's front, which a GPU reads by one access over PCIe, maybe before it knows that the burst was
// given: the header, the epoch and 14 descriptors. The two lines of a CPU that they lie in may be read in any order.
// The `turn` bit tells words of this lap from those of the last, and no older ones may be there: so all of them are
// written in each lap, whatever the burst's size.
inline constexpr std::uint32_t slot_front_words = 16;
inline constexpr std::uint32_t front_descriptors = slot_front_words - descriptors_at / sizeof(packet_descriptor);

// Written by the CPU, polled by the GPU: the number of bursts given to it since the start. Each polling block has a
// line: reads of one line by several multiprocessors wait for one another, a trip over PCIe each.
struct alignas(128) offload_control {
  static constexpr std::uint64_t stop = std::uint64_t{1} << 63;   // or'ed in: end
  static constexpr std::uint64_t stall = std::uint64_t{1} << 62;  // or'ed in, for tests: work on nothing
  static constexpr std::uint64_t count_mask = stall - 1;

  std::uint64_t given;
};
static_assert(std::is_trivially_copyable_v<offload_control> && sizeof(offload_control) == 128);

// The most blocks of a kernel that polls.
inline constexpr std::uint32_t max_polling_blocks = 64;

// The warps that share a burst count here when it is finished, and whether its packets have one verdict. In GPU memory.
struct unit_tally {
  std::uint32_t finished;  // units
  std::uint32_t seen;      // verdict bits seen as one, and seen as zero above them
};
static_assert(std::is_trivially_copyable_v<unit_tally> && sizeof(unit_tally) == 8);

// A warp's share of a burst, or its half (program.h, unit_packets_of): the packets of a larger burst are split among
// warps.
inline constexpr std::uint32_t packets_per_unit = 64;

// Staged placement: packets lie in host memory that the ports know; a warp copies its unit's packets into cells of GPU
// memory, a cell for each packet that a slot has room for, works on them there, and copies them back.
struct staging_ref {
  std::byte* cells;          // GPU memory; nullptr if packets are worked on where they lie
  std::uint32_t cell_bytes;  // a multiple of 16; a packet that does not fit a cell is worked on where it lies
  std::uint32_t kept_bytes;  // at a packet's front, which stay in host memory
};

// The ring in the form that a kernel takes by value. It owns nothing.
struct offload_ring_ref {
  offload_control* control;  // one per block. Host memory, like all members up to `done`
  std::byte* slots;          // slot_header, slot_epoch and descriptors, slot after slot
  verdict* verdicts;         // of each slot's packets; only written where they differ, or the burst is split
  std::uint32_t* lengths;    // of each slot's packets, whole; only where some are chained
  packet_descriptor* rests;  // of each slot's packets, the bytes after their first piece; only where some are chained
  done_word* done;
  std::uint64_t* taken;  // GPU memory: units that blocks have taken that work in rounds
  unit_tally* tallies;   // GPU memory: one per slot
  std::uint32_t slot_stride;
  std::uint32_t mask;           // slots - 1
  std::uint32_t capacity;       // packets that a slot has room for: a multiple of packets_per_unit
  std::uint32_t units;          // per slot
  std::uint64_t packet_clocks;  // least clocks of a multiprocessor to spend per packet
  staging_ref staging;

  [[nodiscard]] HOST_DEVICE std::byte* slot(std::uint64_t position) const {
    return slots + (position & mask) * slot_stride;
  }
  // The words that CPU and GPU exchange: slot_header's, slot_epoch's and packet_descriptor's.
  [[nodiscard]] HOST_DEVICE std::uint64_t& header(std::uint64_t position) const {
    return *reinterpret_cast<std::uint64_t*>(slot(position));
  }
  [[nodiscard]] HOST_DEVICE std::uint64_t& epoch(std::uint64_t position) const {
    return *reinterpret_cast<std::uint64_t*>(slot(position) + epoch_at);
  }
  [[nodiscard]] HOST_DEVICE std::uint64_t* descriptors(std::uint64_t position) const {
    return reinterpret_cast<std::uint64_t*>(slot(position) + descriptors_at);
  }
  [[nodiscard]] HOST_DEVICE verdict* verdicts_of(std::uint64_t position) const {
    return verdicts + (position & mask) * capacity;
  }
  [[nodiscard]] HOST_DEVICE packet_descriptor* rests_of(std::uint64_t position) const {
    return rests + (position & mask) * capacity;
  }
  [[nodiscard]] HOST_DEVICE std::byte* cell_of(std::uint64_t position, std::uint32_t packet) const {
    return staging.cells + ((position & mask) * capacity + packet) * staging.cell_bytes;
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t* lengths_of(std::uint64_t position) const {
    return lengths + (position & mask) * capacity;
  }
};
static_assert(std::is_trivially_copyable_v<offload_ring_ref>);

}  // namespace packetwarp
