// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/nat44_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/error.h"
#include "function/nat44/session/connections.h"
#include "wire/address_text.h"

namespace packetwarp::nat {
namespace {

constexpr std::uint32_t max_sessions = 1U << 24;
constexpr std::uint32_t max_interfaces = 4096;  // a next hop has 12 bits for them
constexpr std::size_t line = 256;               // the beginning of every part is a multiple of it
constexpr std::uint32_t least_share = 64;       // by default

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
}

void check_shares(nat44_config const& config) {
  auto const check_one = [](std::string_view name, std::uint32_t limit) {
    if (limit == nat44_config::by_default || limit <= max_sessions) return;
    throw usage_error(fmt::format("nat44 {}: {} is more than {}; 0 is for any number", name, limit, max_sessions));
  };
  check_one("per_host", config.per_host);
  check_one("per_prefix", config.per_prefix);
  if (config.share_prefix == 0 || config.share_prefix > 32) {
    throw usage_error(
        fmt::format("nat44 share_prefix: {} is no prefix length of 1 to 32, such as 24", config.share_prefix));
  }
  bool const both = config.per_host != nat44_config::by_default && config.per_prefix != nat44_config::by_default;
  if (both && config.per_prefix != 0 && config.per_host > config.per_prefix) {
    throw usage_error(
        fmt::format("nat44 per_prefix: {} is less than the {} of per_host; a prefix has its hosts' sessions",
                    config.per_prefix, config.per_host));
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
  std::set<std::uint64_t> ends;  // outside keys unchanged, inside keys inverted
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
  check_shares(config);
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
  if (config.hosts == 0) config.hosts = std::max(config.sessions / 4, 65536U);
  if (config.hash_key.is_none()) config.hash_key = random_hash_key();
  return config;
}

std::uint32_t ports_of(nat44_config const& config) {
  std::uint32_t ports = 0;
  for (std::uint32_t port = config.first_port; port <= config.last_port; ++port)
    ports += config.part.has(port) ? 1U : 0U;
  return ports;
}

share_limits share_limits_of(nat44_config const& config) {
  auto const given_or = [](std::uint32_t given, std::uint32_t otherwise) {
    return given == nat44_config::by_default ? std::max(otherwise, least_share) : given;
  };
  auto const ports = ports_of(config);
  auto const remotes = config.remotes == 0 ? config.sessions : config.remotes;
  share_limits made{};
  made.host = given_or(config.per_host, std::min(ports, config.sessions) / 4);
  made.prefix = given_or(config.per_prefix, std::max(config.sessions / 2, made.host));
  if (made.host != 0) made.host_remotes = std::max({remotes / 4, made.host, least_share});
  if (made.prefix == 0) return made;
  made.ports = std::max({ports / 2, std::min(ports, made.host), least_share});
  made.prefix_remotes = std::max({remotes / 2, made.host_remotes, least_share});
  return made;
}

layout::layout(nat44_config const& config) {
  outside_count = config.address_room;
  first_forward = config.sessions + 1;
  session_records = first_forward + config.forward_room;
  bucket_count = buckets_for(session_records);
  share_lines = std::bit_ceil(std::max(config.hosts / 4, lines_of_share));
  remote_records = (config.remotes == 0 ? config.sessions : config.remotes) + 1;
  remote_bucket_count = buckets_for(remote_records);
  connection_lines = std::bit_ceil(std::max(config.sessions / (connections_in_line / 2), 1U));
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
  shares = place(std::size_t{share_lines} * words_in_line * word);
  remotes = place(remote_records * sizeof(remote));
  remote_buckets = place(remote_bucket_count * sizeof(bucket));
  free_remotes = place(free_set::words_for(remote_records) * word);
  connections = place(std::size_t{connection_lines} * connections_in_line * word);
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
          .feature = config.feature,
          .part = config.part};
}

settings layout::settings_at(std::byte* base, nat44_config const& config, std::uint32_t pool_size,
                             journal_record* journal) const {
  auto const words = [base](std::size_t offset) { return reinterpret_cast<std::uint64_t*>(base + offset); };
  nat::settings made{.free_sessions = words(free_sessions),
                     .free_ports = words(free_ports),
                     .shares = words(shares),
                     .free_remotes = words(free_remotes),
                     .remotes = reinterpret_cast<remote*>(base + remotes),
                     .remote_buckets = reinterpret_cast<bucket*>(base + remote_buckets),
                     .connections = words(connections),
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
                     .connection_mask = connection_lines - 1,
                     .pool_size = pool_size,
                     .share_lines = share_lines,
                     .share_mask = ~std::uint32_t{0} << (32 - config.share_prefix),
                     .limits = share_limits_of(config),
                     .pooling = config.pooling,
                     .first_port = config.first_port,
                     .last_port = config.last_port,
                     .part = config.part};
  return made;
}

}  // namespace packetwarp::nat
