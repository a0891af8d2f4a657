// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/nat44_ref.h"

// How many sessions an inside host has, where that is limited. A host's count is in one of a few lines of memory that
// its address points to; where others have them all, it is not counted.
namespace packetwarp::nat {

inline constexpr std::uint32_t hosts_in_line = 8;
inline constexpr std::uint32_t lines_of_host = 4;

enum class admission_of_host : std::uint8_t { counted, uncounted, refused };
struct host_place {
  admission_of_host said;
  std::uint32_t at;
};

// Counts one more session of the host, up to the limit.
[[nodiscard]] HOST_DEVICE inline host_place count_session(nat44_ref const& tables, wire::ipv4_address host) {
  auto const& rare = *tables.rare;
  constexpr std::uint32_t places = hosts_in_line * lines_of_host;
  constexpr std::uint64_t count = 0xffff'ffff;
  constexpr unsigned max_attempts = 64;
  auto const limit = load_settled(rare.per_host);
  if (limit == 0) return {admission_of_host::uncounted, no_host};
  auto const hash = static_cast<std::uint32_t>(tables.hash(host.number));
  for (unsigned attempt = 0; attempt < max_attempts; ++attempt) {
    std::uint32_t at = no_host;
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i < places; ++i) {
      auto const line = (hash + i / hosts_in_line) & (rare.host_lines - 1);
      auto const here = line * hosts_in_line + i % hosts_in_line;
      auto const word = shared(rare.hosts[here]).load(cuda::memory_order_relaxed);
      bool const is_own = word >> 32 == host.number && (word & count) != 0;
      if (!is_own && ((word & count) != 0 || at != no_host)) continue;
      at = here;
      seen = word;
      if (is_own) break;
    }
    if (at == no_host) return {admission_of_host::uncounted, no_host};
    if ((seen & count) >= limit) return {admission_of_host::refused, no_host};
    auto const more = std::uint64_t{host.number} << 32 | ((seen & count) + 1);
    if (shared(rare.hosts[at]).compare_exchange_strong(seen, more, cuda::memory_order_relaxed)) {
      return {admission_of_host::counted, at};
    }
  }
  return {admission_of_host::refused, no_host};  // so many others at once are too many of one host, or of hosts
}

HOST_DEVICE inline void forget_session(settings const& rare, std::uint32_t host) {
  if (host != no_host) shared(rare.hosts[host]).fetch_sub(1, cuda::memory_order_relaxed);
}

}  // namespace packetwarp::nat
