// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/burst_ring.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace packetwarp {

burst_ring::burst_ring(std::uint32_t slots, std::uint32_t capacity, received_headers headers)
    : mask_{slots - 1}, capacity_{capacity} {
  if (!std::has_single_bit(slots)) {
    throw usage_error(fmt::format("burst ring: {} slots asked for; the number must be a power of two", slots));
  }
  if (capacity == 0 || capacity > max_burst_size) {
    throw usage_error(
        fmt::format("burst ring: bursts of {} packets asked for; allowed are 1 to {}", capacity, max_burst_size));
  }
  auto const total = std::size_t{slots} * capacity;
  packets_ = std::make_unique<rte_mbuf*[]>(total);
  verdicts_ = std::make_unique<verdict[]>(total);
  bursts_.resize(slots);
  done_.resize(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    bursts_[i].packets = &packets_[i * capacity];
    bursts_[i].verdicts = &verdicts_[i * capacity];
  }
  if (headers == received_headers::left) return;
  constexpr auto lines = kept_headers::most_bytes / sizeof(kept_line);
  header_lines_ = std::make_unique<kept_line[]>(total * lines);
  header_lengths_ = std::make_unique<std::uint8_t[]>(total);
  for (std::size_t i = 0; i < slots; ++i) {
    bursts_[i].kept = {header_lines_[i * capacity * lines].bytes, &header_lengths_[i * capacity]};
  }
}

}  // namespace packetwarp
