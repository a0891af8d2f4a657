// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/nat44_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/error.h"
#include "wire/address_text.h"

namespace packetwarp::nat {
namespace {

constexpr std::uint32_t max_sessions = 1U << 24;
constexpr std::uint32_t max_interfaces = 4096;  // a next hop has 12 bits for them
constexpr std::size_t line = 256;               // every part begins on one

[[nodiscard]] std::uint32_t map_words(std::size_t addresses) {
  return static_cast<std::uint32_t>(std::bit_ceil(addresses * 2 + 2));
}

// Four entries of seven are used when the table is full.
[[nodiscard]] std::uint32_t buckets_for(std::uint32_t records) { return std::bit_ceil(std::max(records / 4, 1U)); }

void check_sizes(nat44_config const& config) {
  if (config.sessions == 0 || config.sessions > max_sessions) {
    throw usage_error(fmt::format("nat44 sessions: {} is not one of 1 to {}", config.sessions, max_sessions));
  }
  if (config.remotes > max_sessions * 4) {
    throw usage_error(fmt::format("nat44 remotes: {} is more than {}", config.remotes, max_sessions * 4));
  }
  if (!std::has_single_bit(config.journal)) {
    throw usage_error(fmt::format("nat44 journal: {} is no power of two; 65536, for example", config.journal));
  }
  if (config.interfaces.size() > max_interfaces) {
    throw usage_error(fmt::format("nat44 interfaces: {} are more than {}", config.interfaces.size(), max_interfaces));
  }
  if (config.per_host != 0 && config.hosts == 0) {
    throw usage_error("nat44 hosts: 0 cannot be counted; give how many inside addresses there may be");
  }
}

void check_timeouts(timeouts const& given) {
  auto const check_one = [](std::string_view name, std::uint32_t seconds) {
    if (seconds == 0) throw usage_error(fmt::format("nat44 timeout {}: 0 s; give a second at least", name));
  };
  check_one("udp", given.udp);
  check_one("tcp_established", given.tcp_established);
  check_one("tcp_transitory", given.tcp_transitory);
  check_one("icmp", given.icmp);
}

void check_pool(nat44_config const& config) {
  std::uint64_t addresses = 0;
  for (auto const& range : config.pool) {
    if (range.first.number > range.last.number) {
      throw usage_error(fmt::format("nat44 pool: {} to {} is no range: the first address is above the last",
                                    wire::to_text(range.first), wire::to_text(range.last)));
    }
    bool const leaves_outside = range.egress == any_egress || (range.egress < config.interfaces.size() &&
                                                               config.interfaces[range.egress] == side::outside);
    if (!leaves_outside) {
      throw usage_error(
          fmt::format("nat44 pool: {} is for an interface that is not outside", wire::to_text(range.first)));
    }
    addresses += std::uint64_t{range.last.number} - range.first.number + 1;
  }
  if (addresses + config.port_forwards.size() > max_pool) {
    throw usage_error(fmt::format("nat44 pool: {} addresses are more than {}, port forwards' own included",
                                  addresses + config.port_forwards.size(), max_pool));
  }
  if (config.first_port == 0 || config.first_port > config.last_port) {
    throw usage_error(fmt::format("nat44 ports: {} to {} is no range of ports; 1024 to 65535, for example",
                                  config.first_port, config.last_port));
  }
}

void check_static(nat44_config const& config, outside_list const& outside) {
  for (auto const& one : config.static_addresses) {
    auto const uses = [&](auto const& other) { return one.outside == other; };
    if (std::any_of(outside.all.begin(), outside.all.end(), uses)) {
      throw usage_error(fmt::format("nat44 static address: {} is in the pool or a port forward too; take another",
                                    wire::to_text(one.outside)));
    }
    auto const same = [&](auto const& other) {
      return &other != &one && (other.outside == one.outside || other.inside == one.inside);
    };
    if (std::any_of(config.static_addresses.begin(), config.static_addresses.end(), same)) {
      throw usage_error(fmt::format("nat44 static address: {} or {} is given twice", wire::to_text(one.inside),
                                    wire::to_text(one.outside)));
    }
  }
  std::set<std::uint64_t> ends;  // outside keys as they are, inside keys inverted
  for (auto const& one : config.port_forwards) {
    if (one.kind == transport::none || one.outside.port == 0 || one.inside.port == 0) {
      throw usage_error(fmt::format("nat44 port forward: {} needs udp, tcp or icmp, and ports of 1 to 65535",
                                    wire::to_text(one.outside.address)));
    }
    bool const is_new =
        ends.insert(key_of(one.kind, one.outside)).second && ends.insert(~key_of(one.kind, one.inside)).second;
    if (!is_new) throw usage_error("nat44 port forward: an inside or an outside endpoint is given twice");
  }
}

}  // namespace

outside_list outside_addresses_of(nat44_config const& config) {
  outside_list list;
  auto const add = [&list](wire::ipv4_address address) {
    bool const is_new = std::find(list.all.begin(), list.all.end(), address) == list.all.end();
    if (is_new) list.all.push_back(address);
    return is_new;
  };
  for (auto const& range : config.pool) {
    for (std::uint64_t n = range.first.number; n <= range.last.number; ++n) {
      if (add({static_cast<std::uint32_t>(n)})) list.egresses.push_back(range.egress);
    }
  }
  list.pool = static_cast<std::uint32_t>(list.all.size());
  for (auto const& one : config.port_forwards) add(one.outside.address);
  return list;
}

void check(nat44_config const& config) {
  check_sizes(config);
  check_timeouts(config.timeouts);
  check_pool(config);
  check_static(config, outside_addresses_of(config));
}

nat44_config with_room(nat44_config config) {
  auto const decide = [](std::uint32_t& room, std::size_t given, std::size_t spare) {
    if (room == 0) room = static_cast<std::uint32_t>(given + spare);
    room = std::max(room, static_cast<std::uint32_t>(given));
  };
  auto const addresses = outside_addresses_of(config).all.size();
  decide(config.address_room, addresses, std::max<std::size_t>(addresses / 8, 15));
  config.address_room = std::min(config.address_room, max_pool);
  decide(config.static_room, config.static_addresses.size(), 16);
  decide(config.forward_room, config.port_forwards.size(), 64);
  if (config.hash_key.is_none()) config.hash_key = random_hash_key();
  return config;
}

layout::layout(nat44_config const& config) {
  outside_count = config.address_room;
  first_forward = config.sessions + 1;
  session_records = first_forward + config.forward_room;
  bucket_count = buckets_for(session_records);
  host_lines = std::bit_ceil(std::max(config.hosts / 4, lines_of_host));
  remote_records = (config.remotes == 0 ? config.sessions : config.remotes) + 1;
  remote_bucket_count = buckets_for(remote_records);
  outside_map_words = map_words(std::size_t{config.address_room} + config.static_room);
  static_map_words = map_words(config.static_room);

  auto const place = [this](std::size_t size) {
    auto const at = bytes;
    bytes = (bytes + size + line - 1) / line * line;
    return at;
  };
  constexpr std::size_t word = sizeof(std::uint64_t);
  std::size_t const statics = config.static_room;
  clock = place(sizeof(nat::clock));
  settings = place(sizeof(nat::settings));
  cursors = place(sizeof(journal_cursors));
  sides = place(max_interfaces);
  pool = place(outside_count * sizeof(wire::ipv4_address));
  givers = place(outside_count * sizeof(std::uint32_t));
  gives = place(outside_count * sizeof(std::uint32_t));
  forwards = place(config.forward_room * sizeof(forward_order));
  outside_map = place(outside_map_words * word);
  static_map = place(static_map_words * word);
  static_inside = place(statics * sizeof(wire::ipv4_address));
  static_outside = place(statics * sizeof(wire::ipv4_address));
  sessions = place(session_records * sizeof(session));
  buckets = place(bucket_count * sizeof(bucket));
  outside = place(std::size_t{outside_count} * transports * port_count * sizeof(std::uint32_t));
  free_sessions = place(free_set::words_for(session_records) * word);
  free_ports = place(std::size_t{outside_count} * transports * words_of_ports * word);
  hosts = place(std::size_t{host_lines} * hosts_in_line * word);
  remotes = place(remote_records * sizeof(remote));
  remote_buckets = place(remote_bucket_count * sizeof(bucket));
  free_remotes = place(free_set::words_for(remote_records) * word);
}

nat44_ref layout::ref_at(std::byte* base, nat44_config const& config) const {
  auto const at = [base]<class T>(T*, std::size_t offset) { return reinterpret_cast<T*>(base + offset); };
  constexpr wire::ipv4_address* address = nullptr;
  constexpr std::uint64_t* word = nullptr;
  return {.sessions = at(static_cast<session*>(nullptr), sessions),
          .buckets = at(static_cast<bucket*>(nullptr), buckets),
          .outside = at(static_cast<std::uint32_t*>(nullptr), outside),
          .clock = at(static_cast<nat::clock*>(nullptr), clock),
          .rare = at(static_cast<nat::settings*>(nullptr), settings),
          .sides = at(static_cast<side*>(nullptr), sides),
          .outside_addresses = {at(word, outside_map), outside_map_words - 1},
          .static_addresses = {at(word, static_map), static_map_words - 1},
          .static_inside = at(address, static_inside),
          .static_outside = at(address, static_outside),
          .hash_key = config.hash_key,
          .bucket_mask = bucket_count - 1,
          .pool_size = static_cast<std::uint16_t>(outside_count),
          .refresh = config.refresh,
          .feature = config.feature};
}

settings layout::settings_at(std::byte* base, nat44_config const& config, std::uint32_t pool_size,
                             journal_record* journal) const {
  auto const words = [base](std::size_t offset) { return reinterpret_cast<std::uint64_t*>(base + offset); };
  nat::settings made{.free_sessions = words(free_sessions),
                     .free_ports = words(free_ports),
                     .hosts = words(hosts),
                     .free_remotes = words(free_remotes),
                     .remotes = reinterpret_cast<remote*>(base + remotes),
                     .remote_buckets = reinterpret_cast<bucket*>(base + remote_buckets),
                     .pool = reinterpret_cast<wire::ipv4_address const*>(base + pool),
                     .givers = reinterpret_cast<std::uint32_t const*>(base + givers),
                     .gives = reinterpret_cast<std::uint32_t const*>(base + gives),
                     .forwards = reinterpret_cast<forward_order const*>(base + forwards),
                     .journal = {journal, reinterpret_cast<journal_cursors*>(base + cursors), config.journal - 1},
                     .timeouts = config.timeouts,
                     .sessions = session_records,
                     .first_forward = first_forward,
                     .remote_records = remote_records,
                     .remote_mask = remote_bucket_count - 1,
                     .pool_size = pool_size,
                     .host_lines = host_lines,
                     .per_host = config.per_host,
                     .pooling = config.pooling,
                     .first_port = config.first_port,
                     .last_port = config.last_port};
  return made;
}

}  // namespace packetwarp::nat
