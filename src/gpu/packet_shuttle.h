// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/gpu.h"

struct CUstream_st;

namespace packetwarp {

enum class copy_course : std::uint8_t;

// Bytes of packets in GPU memory, for a CPU that writes or reads them: pinned host memory with room for a number of
// packets, and copies of all of them at once, by a kernel. Blocks while it copies, for a few microseconds: for
// generators and tests, not for a data path. For one thread at a time.
class packet_shuttle {
 public:
  // longest: the most bytes of a packet. The GPU must have been opened. Throws failure.
  packet_shuttle(int gpu, std::uint32_t packets, std::uint32_t longest);
  ~packet_shuttle();
  packet_shuttle(packet_shuttle const&) = delete;
  packet_shuttle& operator=(packet_shuttle const&) = delete;

  [[nodiscard]] std::uint32_t packets() const { return packets_; }
  [[nodiscard]] std::uint32_t longest() const { return longest_; }
  // The CPU's copy of packet n.
  [[nodiscard]] std::byte* room(std::uint32_t n) const { return memory_.bytes().data() + std::size_t{n} * stride_; }
  // Notes bytes of packet n, which lie at `in_gpu` in the GPU's memory, for the next copy. At most once per packet.
  void note(std::uint32_t n, std::uint32_t offset, std::byte* in_gpu, std::uint32_t bytes);

  // Copies the noted bytes, waits for the end of the copy, and clears the notes. False if the GPU failed.
  [[nodiscard]] bool to_gpu();
  [[nodiscard]] bool from_gpu();
  // Leaves the memory to the process: freeing it would wait for a GPU that does not come back.
  void abandon();

 private:
  [[nodiscard]] bool run(copy_course course);

  int gpu_;
  std::uint32_t packets_;
  std::uint32_t longest_;
  std::uint32_t stride_;
  std::uint32_t noted_{0};
  pinned_memory memory_;  // the packets, then the pieces
  CUstream_st* stream_{};
};

}  // namespace packetwarp
