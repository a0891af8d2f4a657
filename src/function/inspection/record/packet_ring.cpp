// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/record/packet_ring.h"

#include <algorithm>
#include <bit>

namespace packetwarp {

packet_ring::packet_ring(std::size_t bytes) : memory_(std::bit_ceil(bytes)) {}

bool packet_ring::put(std::uint64_t ticket, packet_view const& packet) {
  head const made{.ticket = ticket, .size = std::uint64_t{packet.contiguous} + packet.rest_contiguous};
  auto const at = written_.load(std::memory_order_relaxed);
  auto const used = at - read_.load(std::memory_order_acquire);
  if (used + sizeof made + made.size > memory_.size()) return false;
  write(at, std::as_bytes(std::span{&made, 1}));
  write(at + sizeof made, {packet.data, packet.contiguous});
  if (packet.rest_contiguous != 0) write(at + sizeof made + packet.contiguous, {packet.rest, packet.rest_contiguous});
  written_.store(at + sizeof made + made.size, std::memory_order_release);
  return true;
}

bool packet_ring::take(std::uint64_t ticket, std::vector<std::byte>& into) {
  auto at = read_.load(std::memory_order_relaxed);
  auto const end = written_.load(std::memory_order_acquire);
  bool is_there = false;
  while (at != end) {
    head next{};
    read(at, std::as_writable_bytes(std::span{&next, 1}));
    if (next.ticket > ticket) break;
    is_there = next.ticket == ticket;
    if (is_there) {
      into.resize(next.size);
      read(at + sizeof next, into);
    }
    at += sizeof next + next.size;
  }
  read_.store(at, std::memory_order_release);
  return is_there;
}

void packet_ring::write(std::uint64_t at, std::span<std::byte const> bytes) {
  auto const place = at & (memory_.size() - 1);
  auto const first = std::min<std::size_t>(bytes.size(), memory_.size() - place);
  std::copy_n(bytes.begin(), first, memory_.begin() + static_cast<std::ptrdiff_t>(place));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(first), bytes.end(), memory_.begin());
}

void packet_ring::read(std::uint64_t at, std::span<std::byte> into) const {
  auto const place = at & (memory_.size() - 1);
  auto const first = std::min<std::size_t>(into.size(), memory_.size() - place);
  std::copy_n(memory_.begin() + static_cast<std::ptrdiff_t>(place), first, into.begin());
  std::copy_n(memory_.begin(), into.size() - first, into.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace packetwarp
