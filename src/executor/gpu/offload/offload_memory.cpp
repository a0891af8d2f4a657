// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/offload/offload_memory.h"

namespace packetwarp {
namespace {

// The unit of a GPU's reads over PCIe, and two lines of the CPU.
constexpr std::size_t line = 128;

// In GPU memory, after the number of units that were taken.
constexpr std::size_t tallies_at = line;

// In its cell a packet has the alignment of its source, so that both are read and written in pieces of 16 bytes.
constexpr std::uint32_t most_misaligned = 15;

[[nodiscard]] constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

offload_layout::offload_layout(ring_shape const& shape)
    : slots_{shape.slots},
      capacity_{static_cast<std::uint32_t>(round_up(shape.burst, packets_per_unit))},
      units_{(shape.burst + shape.unit - 1) / shape.unit},
      slot_stride_{static_cast<std::uint32_t>(
          round_up(descriptors_at + std::size_t{capacity_} * sizeof(packet_descriptor), line))},
      slots_at_{sizeof(offload_control) * max_polling_blocks},
      verdicts_at_{slots_at_ + std::size_t{slots_} * slot_stride_},
      lengths_at_{round_up(verdicts_at_ + std::size_t{slots_} * capacity_ * sizeof(verdict), line)},
      rests_at_{round_up(lengths_at_ + std::size_t{slots_} * capacity_ * sizeof(std::uint32_t), line)},
      done_at_{round_up(rests_at_ + std::size_t{slots_} * capacity_ * sizeof(packet_descriptor), line)},
      host_bytes_{round_up(done_at_ + slots_ * sizeof(done_word), line)},
      cell_bytes_{shape.staged == 0 ? 0 : static_cast<std::uint32_t>(round_up(shape.staged + most_misaligned, line))},
      cells_at_{round_up(tallies_at + sizeof(unit_tally) * slots_, line)} {}

offload_ring_ref offload_layout::place(std::span<std::byte> host, std::byte* device) const {
  auto* const base = host.data();
  return {.control = reinterpret_cast<offload_control*>(base),
          .slots = base + slots_at_,
          .verdicts = reinterpret_cast<verdict*>(base + verdicts_at_),
          .lengths = reinterpret_cast<std::uint32_t*>(base + lengths_at_),
          .rests = reinterpret_cast<packet_descriptor*>(base + rests_at_),
          .done = reinterpret_cast<done_word*>(base + done_at_),
          .taken = reinterpret_cast<std::uint64_t*>(device),
          .tallies = reinterpret_cast<unit_tally*>(device + tallies_at),
          .slot_stride = slot_stride_,
          .mask = slots_ - 1,
          .capacity = capacity_,
          .units = units_,
          .packet_clocks = 0,
          .staging = {
              .cells = cell_bytes_ == 0 ? nullptr : device + cells_at_, .cell_bytes = cell_bytes_, .kept_bytes = 0}};
}

}  // namespace packetwarp
