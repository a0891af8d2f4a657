// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ring.h>

#include <cstddef>
#include <memory>
#include <span>

#include "capture/captured_packet.h"

struct rte_mbuf;

namespace packetwarp {

// Copies of packets on their way from workers to a writer: chunks of ordinary memory, and two rings of pointers to
// them. Any thread puts copies in, a single thread takes them out; neither waits for the other.
class capture_buffer {
 public:
  static constexpr std::size_t chunk_bytes = 512;
  // The most bytes of a packet that are kept.
  static constexpr std::uint32_t longest = 65535;

  struct chunk;
  // The bytes of a copy, chunk by chunk.
  class reader {
   public:
    explicit reader(chunk const& first);
    // The next bytes; empty at the end.
    [[nodiscard]] std::span<std::byte const> next();

   private:
    chunk const* at_;
    std::uint32_t left_;
  };

  // bytes: rounded up to a power of two of chunks. Throws failure if memory is short.
  explicit capture_buffer(std::size_t bytes);

  // Touches all of the memory, so that no worker has to wait for the kernel's pages.
  void fault_in();
  // Frees the memory, which takes milliseconds. No thread uses the buffer after that, except to ask is_released().
  void release();
  [[nodiscard]] bool is_released() const { return !memory_; }
  // Keeps the first about.captured bytes of the packet, which the CPU can read; false if room is short.
  [[nodiscard]] bool put(captured_packet const& about, rte_mbuf const& packet);
  // Calls take(captured_packet const&, reader) for the packets in the buffer, up to a number; returns how many. For one
  // thread.
  template <class Take>
  std::size_t take(std::size_t most, Take const& take) {
    std::size_t n = 0;
    for (chunk* first = next(); first != nullptr && n < most; first = ++n < most ? next() : nullptr) {
      take(about(*first), reader{*first});
      give_back(*first);
    }
    return n;
  }

 private:
  struct free_memory {
    void operator()(void* memory) const;
  };
  using ring_memory = std::unique_ptr<rte_ring, free_memory>;
  [[nodiscard]] static ring_memory make_ring(char const* name, std::size_t chunks);
  [[nodiscard]] chunk* next();
  [[nodiscard]] static captured_packet const& about(chunk const& first);
  void give_back(chunk& first);

  std::size_t chunks_;
  std::unique_ptr<chunk, free_memory> memory_;
  ring_memory free_;
  ring_memory filled_;
};

}  // namespace packetwarp
