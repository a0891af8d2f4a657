// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "file/values.h"
#include "function/nat44/nat44_layout.h"
#include "function/nat44/session/session_file.h"
#include "module/nat44/nat44_addresses.h"
#include "module/nat44/nat44_static.h"

namespace packetwarp {
namespace {

constexpr std::array filterings{
    choice{std::string_view{"endpoint-independent"}, nat::filtering::endpoint_independent},
    choice{std::string_view{"address-dependent"}, nat::filtering::address_dependent},
    choice{std::string_view{"address-and-port-dependent"}, nat::filtering::address_and_port_dependent}};
constexpr std::array poolings{choice{std::string_view{"paired"}, nat::pooling::paired},
                              choice{std::string_view{"arbitrary"}, nat::pooling::arbitrary}};

[[nodiscard]] std::uint32_t count_at(yaml_place const& place, std::uint64_t least, std::uint64_t most) {
  return static_cast<std::uint32_t>(place.number(least, most));
}

// All addresses of "203.0.113.64/26".
[[nodiscard]] nat44_config::address_range block_at(yaml_place const& place) {
  auto const block = prefix_at(place);
  auto const* const first = std::get_if<wire::ipv4_address>(&block.address);
  if (first == nullptr || without_host_bits(block) != block) {
    place.refuse(fmt::format("'{}' is no block of IPv4 addresses such as 203.0.113.64/26", place.text()));
  }
  auto const others = block.length == 0 ? ~std::uint32_t{0} : (std::uint32_t{1} << (32 - block.length)) - 1;
  return {.first = *first, .last = {first->number | others}};
}

// "203.0.113.1", "203.0.113.1-203.0.113.9" or "203.0.113.64/26".
[[nodiscard]] nat44_config::address_range range_at(yaml_place const& place) {
  auto const text = place.text();
  if (text.find('/') != std::string::npos) return block_at(place);
  auto const dash = text.find('-');
  auto const first = wire::parse_ipv4(text.substr(0, dash));
  auto const last = dash == std::string::npos ? first : wire::parse_ipv4(text.substr(dash + 1));
  if (!first || !last) {
    place.refuse(fmt::format(
        "'{}' is no address or range of them, such as 192.0.2.1, 192.0.2.1-192.0.2.9 or 192.0.2.0/28", text));
  }
  if (last->number < first->number) {
    place.refuse(fmt::format("'{}' is no range: the first address is above the last; give {}-{}", text,
                             wire::to_text(*last), wire::to_text(*first)));
  }
  return {.first = *first, .last = *last};
}

// The number of the interface that `place` names.
[[nodiscard]] std::size_t interface_at(yaml_place const& place, std::vector<named_interface> const& interfaces) {
  auto const name = place.text();
  auto const found =
      std::find_if(interfaces.begin(), interfaces.end(), [&](auto const& one) { return one.name == name; });
  if (found == interfaces.end()) place.refuse(fmt::format("no interface '{}'", name));
  return static_cast<std::size_t>(found - interfaces.begin());
}

void read_sides(yaml_place const& place, std::vector<named_interface> const& interfaces, nat44_config& config) {
  config.interfaces.assign(interfaces.size(), nat::side::none);
  for (auto const& [key, side] : {std::pair{"inside", nat::side::inside}, std::pair{"outside", nat::side::outside}}) {
    auto const at = place.find(key);
    if (!at) continue;
    for (auto const& one : at->items()) {
      auto& its = config.interfaces[interface_at(one, interfaces)];
      if (its != nat::side::none) one.refuse(fmt::format("interface '{}' has a side already", one.text()));
      its = side;
    }
  }
}

// Reads addresses, or a map: `interface` alone means the interface's own addresses, `addresses` means others. Sessions
// that leave by this interface get these addresses, and no other sessions do.
void read_pool(yaml_place const& place, std::vector<named_interface> const& interfaces, nat_sides const& sides,
               nat44_config& config) {
  if (!place.is_map()) {
    config.pool.push_back(range_at(place));
    require_outside(place, config.pool.back(), sides);
    return;
  }
  place.require_keys({"interface", "addresses"});
  auto const at = place.at("interface");
  auto const number = interface_at(at, interfaces);
  auto const& interface = interfaces[number];
  if (config.interfaces[number] != nat::side::outside) {
    at.refuse(fmt::format("'{}' is not among 'outside'", interface.name));
  }
  auto const egress = static_cast<std::uint32_t>(number);
  if (auto const given = place.find("addresses")) {
    for (auto const& one : given->items()) {
      config.pool.push_back(range_at(one));
      config.pool.back().egress = egress;
      require_outside(one, config.pool.back(), sides);
    }
    return;
  }
  if (interface.addresses.empty()) at.refuse(fmt::format("'{}' has no IPv4 address; give 'addresses'", interface.name));
  for (auto const& own : interface.addresses) config.pool.push_back({own.address, own.address, egress});
}

void read_timeouts(yaml_place const& place, nat::timeouts& into) {
  place.require_keys({"udp", "tcp_established", "tcp_transitory", "icmp"});
  constexpr std::uint32_t most = 1U << 22;
  if (auto const at = place.find("udp")) into.udp = seconds_at(*at, 1, most);
  if (auto const at = place.find("tcp_established")) into.tcp_established = seconds_at(*at, 1, most);
  if (auto const at = place.find("tcp_transitory")) into.tcp_transitory = seconds_at(*at, 1, most);
  if (auto const at = place.find("icmp")) into.icmp = seconds_at(*at, 1, most);
}

// Without both no packet would ever be translated, and none would leave.
void require_addresses(yaml_place const& place, nat44_config const& config) {
  if (!config.pool.empty() || !config.port_forwards.empty() || !config.static_addresses.empty()) return;
  place.refuse(
      "no 'pool': nothing has an address to leave with; give addresses, such as pool: [198.51.100.10], the "
      "outside interface's own, pool: [{interface: NAME}], or 'static'");
}

// Each port forward has an outside address, too.
void require_room(yaml_place const& place, nat44_config const& config) {
  auto addresses = std::uint64_t{config.port_forwards.size()};
  for (auto const& one : config.pool) addresses += std::uint64_t{one.last.number} - one.first.number + 1;
  if (addresses <= nat::max_pool) return;
  place.refuse(fmt::format("{} outside addresses, those of port forwards included; at most {} are possible", addresses,
                           nat::max_pool));
}

// Packets from an interface of neither side get an address of the pool only by 'output_feature'.
void require_sides(yaml_place const& place, nat44_config const& config) {
  auto const has_any = [&](nat::side side) {
    return std::ranges::find(config.interfaces, side) != config.interfaces.end();
  };
  if (!has_any(nat::side::outside)) {
    place.refuse("no interface is on the outside, so nothing is translated; give 'outside: NAME'");
  }
  if (config.pool.empty() || has_any(nat::side::inside) || config.feature == nat::feature::output_feature) return;
  place.refuse(
      "no interface is on the inside, so nothing gets an address of 'pool'; give 'inside: NAME', or 'output_feature: "
      "true'");
}

void read_limits(yaml_place const& place, nat44_config& config) {
  constexpr std::uint64_t most = 1U << 24;
  if (auto const at = place.find("sessions")) config.sessions = count_at(*at, 1, most);
  if (auto const at = place.find("addresses")) config.address_room = count_at(*at, 1, nat::max_pool);
  if (auto const at = place.find("per_host")) config.per_host = count_at(*at, 0, most);
  if (auto const at = place.find("per_prefix")) config.per_prefix = count_at(*at, 0, most);
  if (auto const at = place.find("share_prefix")) config.share_prefix = count_at(*at, 1, 32);
  if (auto const at = place.find("hosts")) config.hosts = count_at(*at, 1, most);
  if (auto const at = place.find("ports")) {
    auto const both = at->items();
    if (both.size() != 2) at->refuse("give the first and the last, as [1024, 65535]");
    config.first_port = static_cast<std::uint16_t>(both[0].number(1, 65535));
    config.last_port = static_cast<std::uint16_t>(both[1].number(1, 65535));
    if (config.first_port > config.last_port) {
      at->refuse(fmt::format("{0} to {1} is no range of ports: the first is above the last; give [{1}, {0}]",
                             config.first_port, config.last_port));
    }
  }
}

// Refuses a file's name by which no file can be: one that is too long, or that leads through what is no folder.
void require_usable(std::string const& name, yaml_place const& place) {
  struct stat there {};
  if (name.empty() || ::stat(name.c_str(), &there) == 0 || errno == ENOENT) return;
  auto const* const remedy = errno == ENAMETOOLONG ? "a shorter name" : "another file";
  place.refuse(fmt::format("'{}' cannot be written: {}; give {}", name, std::strerror(errno), remedy));
}

// A file that cannot be written at the end is an error before the start.
void read_state(yaml_place const& place, nat44_section& section) {
  section.state = place.text();
  section.state_line = place.line();
  require_usable(section.state, place);
  // A new file replaces the one that is there, so the folder must be writable.
  auto const folder = std::filesystem::path{section.state}.parent_path();
  std::error_code ignored;
  auto const there = std::filesystem::status(section.state, ignored);
  bool const is_no_file =
      section.state.empty() || (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there));
  if (is_no_file || ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) {
    place.refuse(fmt::format("'{}' cannot be written; give a file in a folder that can", section.state));
  }
  require_usable(nat::session_file_writer::unfinished_name(section.state), place);
}

}  // namespace

std::string describe_shares(nat44_config const& config) {
  auto const limits = nat::share_limits_of(config);
  auto const text = [](std::uint32_t limit) {
    return limit == 0 ? std::string{"any number"} : fmt::format("{}", limit);
  };
  auto const remotes = config.remotes == 0 ? config.sessions : config.remotes;
  bool const has_filter = config.filtering != nat::filtering::endpoint_independent;
  auto made = fmt::format("\nnat44       sessions {}: a host {}, a /{} {}\n", config.sessions, text(limits.host),
                          config.share_prefix, text(limits.prefix));
  made += fmt::format("            ports of each outside address {}, of each protocol: a /{} {}\n",
                      config.last_port - config.first_port + 1, config.share_prefix, text(limits.ports));
  if (has_filter) {
    made += fmt::format("            remote endpoints {}: a host {}, a /{} {}\n", remotes, text(limits.host_remotes),
                        config.share_prefix, text(limits.prefix_remotes));
  }
  return made;
}

nat44_section read_nat44_section(yaml_place const& place, std::vector<named_interface> const& interfaces,
                                 std::vector<named_neighbour> const& neighbours) {
  place.require_keys({"inside",    "outside",      "output_feature", "pool",     "ports",      "pooling",
                      "filtering", "timeouts",     "sessions",       "per_host", "per_prefix", "share_prefix",
                      "hosts",     "static",       "forwarding",     "log",      "log_one_in", "log_room",
                      "state",     "state_period", "addresses"});
  nat44_section made;
  made.line = place.line();
  auto& config = made.config;
  read_sides(place, interfaces, config);
  nat_sides const sides{interfaces, config.interfaces, neighbours};
  read_limits(place, config);
  if (auto const at = place.find("pool")) {
    for (auto const& one : at->items()) read_pool(one, interfaces, sides, config);
  }
  if (auto const at = place.find("pooling")) config.pooling = choice_at(*at, poolings);
  if (auto const at = place.find("filtering")) config.filtering = choice_at(*at, filterings);
  if (auto const at = place.find("timeouts")) read_timeouts(*at, config.timeouts);
  if (auto const at = place.find("static")) read_static(*at, sides, config);
  if (auto const at = place.find("output_feature"); at && at->flag()) config.feature = nat::feature::output_feature;
  if (auto const at = place.find("forwarding"); at && at->flag()) config.unmatched = nat::unmatched::forward;
  if (auto const at = place.find("log")) {
    made.log = written_file_at(*at);
    config.log_one_in = 1;
  }
  if (auto const at = place.find("log_room")) made.log_room = log_room_at(*at);
  if (auto const at = place.find("log_one_in")) config.log_one_in = count_at(*at, 1, 1U << 20);
  for (auto const* const key : {"log_room", "log_one_in"}) {
    auto const at = place.find(key);
    if (at && made.log.empty()) at->refuse("it is about 'log', which the file does not have; give both or none");
  }
  if (auto const at = place.find("state")) read_state(*at, made);
  if (auto const at = place.find("state_period")) made.state_period = seconds_at(*at, 0, 86400);
  require_addresses(place, config);
  require_room(place.find("pool").value_or(place), config);
  require_sides(place, config);
  return made;
}

}  // namespace packetwarp
