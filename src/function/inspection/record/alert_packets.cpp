// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/record/alert_packets.h"

#include <algorithm>
#include <bit>

namespace packetwarp {

using inspection_parts::packet_slot;

alert_packets::alert_packets(std::size_t pipelines, std::size_t bytes, table_place place)
    : slots_{static_cast<std::uint32_t>(std::bit_floor(bytes / sizeof(packet_slot)))},
      readers_(pipelines),
      memory_{pipelines, slots_ * sizeof(packet_slot), place} {
  for (auto& one : readers_) one.is_taken.resize(slots_);
}

inspection_parts::packet_slots_ref alert_packets::ref(std::size_t pipeline) const {
  return {.slots = reinterpret_cast<packet_slot*>(memory_.ring(pipeline)),
          .cursors = memory_.cursors(pipeline),
          .mask = slots_ - 1};
}

bool alert_packets::take(std::size_t pipeline, std::uint32_t first, std::vector<std::byte>& into) {
  if (first == 0 || first > slots_) return false;
  auto const* const slots = ref(pipeline).slots;
  auto const size = slots[first - 1].size;
  auto const count = (size + packet_slot::most - 1) / packet_slot::most;
  if (count == 0 || count > slots_) return false;
  into.resize(size);
  for (std::size_t n = 0; n < count; ++n) {
    auto const at = n * packet_slot::most;
    auto const& slot = slots[(first - 1 + n) & (slots_ - 1)];
    std::copy_n(slot.bytes, std::min<std::size_t>(size - at, packet_slot::most),
                into.begin() + static_cast<std::ptrdiff_t>(at));
  }
  free_slots(pipeline, first - 1, count);
  return true;
}

// Executors hear of free slots an eighth of the ring at a time: each time is a copy to a GPU.
void alert_packets::free_slots(std::size_t pipeline, std::uint32_t first, std::size_t count) {
  auto& at = readers_[pipeline];
  for (std::size_t n = 0; n < count; ++n) at.is_taken[(first + n) & (slots_ - 1)] = true;
  for (auto next = at.read & (slots_ - 1); at.is_taken[next]; next = ++at.read & (slots_ - 1)) {
    at.is_taken[next] = false;
  }
  if (at.read - at.told < slots_ / 8) return;
  at.told = at.read;
  memory_.free_before(pipeline, at.told);
}

}  // namespace packetwarp
