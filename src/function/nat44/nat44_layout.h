// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "function/nat44/nat44_config.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/shares.h"

namespace packetwarp::nat {

// The outside addresses of a config, one after the other: the pool's, then the addresses that only port forwards have.
struct outside_list {
  std::vector<wire::ipv4_address> all;
  std::uint32_t pool{};                 // the first addresses, which sessions get
  std::vector<std::uint32_t> egresses;  // of these, where sessions leave
};

// Throws usage_error, one line, for a config that makes no sense.
void check(nat44_config const& config);
[[nodiscard]] outside_list outside_addresses_of(nat44_config const& config);
// The same config with its rooms in figures, and a key for its hashes. Throws failure if no random key can be drawn.
[[nodiscard]] nat44_config with_room(nat44_config config);

// Ports of an outside address that sessions get from tables of this config.
[[nodiscard]] std::uint32_t ports_of(nat44_config const& config);

// The limits of hosts and prefixes: the config's, or else a quarter for a host and half for a prefix, of the sessions
// and of the ports of an outside address; never less than 64, for fewer are not worth sharing.
[[nodiscard]] share_limits share_limits_of(nat44_config const& config);

// The offsets of a NAT44's tables in one piece of memory, in bytes from its start. They are the same in every memory.
struct layout {
  // config: the result of with_room().
  explicit layout(nat44_config const& config);

  std::size_t clock;
  std::size_t settings;
  std::size_t cursors;  // the journal's
  std::size_t sides;
  std::size_t pool;
  std::size_t givers;
  std::size_t gives;
  std::size_t forwards;
  std::size_t outside_map;
  std::size_t static_map;
  std::size_t static_inside;
  std::size_t static_outside;
  std::size_t sessions;
  std::size_t buckets;
  std::size_t outside;
  std::size_t free_sessions;
  std::size_t free_ports;
  std::size_t shares;
  std::size_t remotes;
  std::size_t remote_buckets;
  std::size_t free_remotes;
  std::size_t connections;
  std::size_t bytes{};

  // The number of entries of each part.
  std::uint32_t session_records;
  std::uint32_t first_forward;
  std::uint32_t bucket_count;
  std::uint32_t outside_count;  // positions
  std::uint32_t share_lines;
  std::uint32_t remote_records;
  std::uint32_t remote_bucket_count;
  std::uint32_t connection_lines;
  std::uint32_t outside_map_words;
  std::uint32_t static_map_words;

  // The tables in the memory at `base`.
  [[nodiscard]] nat44_ref ref_at(std::byte* base, nat44_config const& config) const;
  // pool_size: the number of givers.
  [[nodiscard]] nat::settings settings_at(std::byte* base, nat44_config const& config, std::uint32_t pool_size,
                                          journal_record* journal) const;
};

}  // namespace packetwarp::nat
