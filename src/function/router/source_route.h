// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/big_endian.h"
#include "wire/ipv4.h"

namespace packetwarp::routing {

// Whether an IPv4 header, which is whole, has a loose or a strict source route among its options (RFC 791, 3.1).
// Options after a malformed one are not read: their beginning is unknown. It is a call, not a copy in each of a
// kernel's loops.
[[nodiscard, gnu::noinline]] HOST_DEVICE inline bool has_source_route(wire::ipv4_view<std::byte> ip) {
  constexpr std::uint8_t end_of_options = 0, no_operation = 1, loose = 131, strict = 137;
  std::byte const* const options = ip.options();
  auto const length = ip.options_length();
  std::size_t at = 0;
  while (at < length) {
    auto const type = wire::load_be<std::uint8_t>(options + at);
    if (type == loose || type == strict) return true;
    if (type == end_of_options) return false;
    if (type == no_operation) {
      ++at;
      continue;
    }
    std::size_t const size = at + 1 < length ? wire::load_be<std::uint8_t>(options + at + 1) : 0;
    if (size < 2) return false;
    at += size;
  }
  return false;
}

}  // namespace packetwarp::routing
