// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "burst/packet_view.h"

namespace packetwarp {

// The bytes of packets that alert, on their way from a pipeline of the CPU to the master. A single thread puts, a
// single thread takes, and neither waits for the other.
class packet_ring {
 public:
  // bytes: of memory; rounded up to a power of two. Throws std::bad_alloc.
  explicit packet_ring(std::size_t bytes);

  // Copies the packet, as far as it can be read. ticket: of its alert; tickets ascend. False: there is no room.
  [[nodiscard]] bool put(std::uint64_t ticket, packet_view const& packet);
  // The packet of the alert with this ticket; false: it is not there. Packets of earlier alerts are left out.
  [[nodiscard]] bool take(std::uint64_t ticket, std::vector<std::byte>& into);

  [[nodiscard]] std::size_t bytes() const { return memory_.size(); }

 private:
  struct head {
    std::uint64_t ticket;
    std::uint64_t size;  // of the bytes that follow
  };
  void write(std::uint64_t at, std::span<std::byte const> bytes);
  void read(std::uint64_t at, std::span<std::byte> into) const;

  std::vector<std::byte> memory_;
  alignas(64) std::atomic<std::uint64_t> written_{};  // bytes, ever
  alignas(64) std::atomic<std::uint64_t> read_{};
};

}  // namespace packetwarp
