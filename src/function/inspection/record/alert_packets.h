// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "function/inspection/record/packet_slots.h"
#include "function/record/ring_memory.h"

namespace packetwarp {

// Owns the rings of packets of alerts (function/inspection/record/packet_slots.h), one per pipeline. For a single
// thread.
class alert_packets {
 public:
  // bytes: of memory per pipeline, 4 GiB at most; as many slots as fit, a power of two. Throws failure if the memory is
  // not available.
  alert_packets(std::size_t pipelines, std::size_t bytes, table_place place);

  // For the n-th pipeline of this place.
  [[nodiscard]] inspection_parts::packet_slots_ref ref(std::size_t pipeline) const;
  // Takes the packet that an alert of this pipeline names (inspection_parts::alert::packet), and frees its slots.
  // False: there is none.
  [[nodiscard]] bool take(std::size_t pipeline, std::uint32_t first, std::vector<std::byte>& into);

  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon() { memory_.abandon(); }

 private:
  // Alerts come in another order than their packets' slots.
  struct reader {
    std::vector<bool> is_taken;  // by slot: after `read`
    std::uint64_t read{};
    std::uint64_t told{};  // to the executors
  };
  void free_slots(std::size_t pipeline, std::uint32_t first, std::size_t count);

  std::uint32_t slots_;          // per pipeline
  std::vector<reader> readers_;  // by pipeline
  ring_memory memory_;
};

}  // namespace packetwarp
