// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/hash_key.h"
#include "base/host_device.h"
#include "feature/packet_facts.h"

namespace packetwarp::feature {

// The keys of a packet's records: hashes with a secret key, so that no host can choose packets whose records share a
// bucket. A key is never 0, which means "free" in a table. Two flows with one hash of 64 bits would be one flow.
struct packet_keys {
  std::uint64_t flow;         // the same for both directions
  std::uint64_t source;       // of the host
  std::uint64_t destination;  // of the host
  std::uint32_t direction;    // 0: from the endpoint with the lower hash of its address, then with the lower port
};

[[nodiscard]] HOST_DEVICE constexpr std::uint64_t never_zero(std::uint64_t hash) noexcept {
  return hash == 0 ? 1 : hash;
}

[[nodiscard]] HOST_DEVICE inline std::uint64_t host_key(hash_key const& key, wire::ipv6_address const& address,
                                                        std::uint8_t ip_version) {
  if (ip_version == 4) return never_zero(mix(key, address.low));
  return never_zero(mix(key, mix(key, address.high) ^ address.low));
}

// The member of a set of 64 that stands for a thing with this hash.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t bit_of(std::uint64_t hash) noexcept {
  return std::uint64_t{1} << (hash & 63);
}

[[nodiscard]] HOST_DEVICE inline packet_keys keys_of(packet_facts const& facts, hash_key const& key) {
  auto const source = host_key(key, facts.source, facts.ip_version);
  auto const destination = host_key(key, facts.destination, facts.ip_version);
  bool const is_forth = source < destination || (source == destination && facts.source_port <= facts.destination_port);
  auto const low = is_forth ? source : destination;
  auto const high = is_forth ? destination : source;
  std::uint32_t const low_port = is_forth ? facts.source_port : facts.destination_port;
  std::uint32_t const high_port = is_forth ? facts.destination_port : facts.source_port;
  auto const ports = std::uint64_t{facts.protocol} << 32 | low_port << 16 | high_port;
  return {.flow = never_zero(mix(key, mix(key, mix(key, low) ^ high) ^ ports)),
          .source = source,
          .destination = destination,
          .direction = is_forth ? 0U : 1U};
}

}  // namespace packetwarp::feature
