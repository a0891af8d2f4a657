// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/interfaces_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "address/address_kind.h"
#include "address/ip_prefix.h"
#include "base/shown_text.h"
#include "cli/run/file/twin_reader.h"
#include "file/values.h"
#include "file/variables.h"

namespace packetwarp {
namespace {

// Names are words of commands, of metrics and of logs.
[[nodiscard]] std::string interface_name_at(yaml_place const& place) {
  auto made = place.name();
  constexpr std::size_t most_bytes = 64;
  if (made.size() > most_bytes) {
    place.refuse(fmt::format("has {} bytes; give a name of at most {}, such as left", made.size(), most_bytes));
  }
  if (made.find('/') != made.npos || !is_plainly_visible(made)) {
    place.refuse("has a space, a slash or a control character, or one that is not seen; give one word, such as left");
  }
  return made;
}

[[nodiscard]] interface_config read_interface(yaml_place const& place, port_reader& ports) {
  place.require_keys({"name", "port", "mac", "mtu", "addresses", "kernel"});
  interface_config made{.line = place.line(),
                        .name = interface_name_at(place.at("name")),
                        .device = ports.read(place.at("port")),
                        .mac = {},
                        .mtu = 1500,
                        .mtu_line = 0,
                        .addresses = {},
                        .twin = {}};
  if (auto const at = place.find("mac")) made.mac = unicast_mac_at(*at);
  if (auto const at = place.find("mtu")) {
    made.mtu = static_cast<std::uint16_t>(at->number(1280, 9000));
    made.mtu_line = at->line();
  }
  if (auto const at = place.find("addresses")) {
    for (auto const& one : at->items()) made.addresses.push_back(prefix_at(one));
  }
  if (auto const at = place.find("kernel")) made.twin = read_twin_section(*at, made.name);
  return made;
}

// Loopback, multicast and unspecified addresses are no host's, nor are the first and the last one of an IPv4 prefix.
void require_host_address(ip_prefix const& own, yaml_place const& place) {
  if (std::visit([](auto a) { return routing::is_martian_source(a); }, own.address)) {
    place.refuse(fmt::format("{} is no host's address; give a unicast address", to_text(own.address)));
  }
  auto const use = reserved_use(own, own.address);
  if (!use.empty()) place.refuse(fmt::format("{} is {}; give a host's address", to_text(own.address), use));
}

// The addresses of the interfaces read so far.
class taken_addresses {
 public:
  // Adds an interface's, whose places are the items of its list. Refuses an address that an interface may not have.
  void add(interface_config const& its, std::vector<yaml_place> const& places);

 private:
  void require_new_address(interface_config const& its, ip_prefix const& own, yaml_place const& place);
  void require_own_prefix(ip_prefix const& own, yaml_place const& place) const;

  struct wire {
    std::string interface;
    ip_prefix by;
  };
  std::map<ip_prefix, std::string, prefix_less> interfaces_;  // by address, as the prefix of one host
  std::map<ip_prefix, wire, prefix_less> wires_;
};

// Each link has link-local addresses of its own (RFC 4007, 6): several interfaces may have the same.
void taken_addresses::require_new_address(interface_config const& its, ip_prefix const& own, yaml_place const& place) {
  if (is_link_local(own.address)) {
    bool const is_listed_once = std::ranges::count(its.addresses, own.address, &ip_prefix::address) == 1;
    if (!is_listed_once) place.refuse(fmt::format("{} is interface {}'s already", to_text(own.address), its.name));
    return;
  }
  auto const [before, is_new] = interfaces_.try_emplace({own.address, bits_of(own.address)}, its.name);
  if (!is_new) place.refuse(fmt::format("{} is interface {}'s already", to_text(own.address), before->second));
}

// A prefix is on one wire: only one of the interfaces would look for its hosts. All links have the link-local prefix.
void taken_addresses::require_own_prefix(ip_prefix const& own, yaml_place const& place) const {
  if (is_link_local(own.address)) return;
  auto const taken = wires_.find(own);
  if (taken == wires_.end()) return;
  place.refuse(fmt::format("{} is on interface {}'s wire already, by {}; give each interface a prefix of its own",
                           to_text(without_host_bits(own)), taken->second.interface, to_text(taken->second.by)));
}

void taken_addresses::add(interface_config const& its, std::vector<yaml_place> const& places) {
  for (std::size_t n = 0; n < its.addresses.size(); ++n) {
    require_new_address(its, its.addresses[n], places[n]);
    require_host_address(its.addresses[n], places[n]);
    require_own_prefix(its.addresses[n], places[n]);
  }
  for (auto const& own : its.addresses) wires_.try_emplace(own, wire{its.name, own});
}

}  // namespace

std::vector<port_device> read_interfaces(yaml_place const& list, network_config& config) {
  port_reader ports{environment_variable};
  taken_addresses taken;
  for (auto const& place : list.items()) {
    auto one = read_interface(place, ports);
    for (auto const& other : config.interfaces) {
      if (other.name == one.name) place.refuse(fmt::format("there is an interface '{}' already", one.name));
      if (one.twin && other.twin && other.twin->name == one.twin->name) {
        place.at("kernel").refuse(fmt::format("'{}' is interface {}'s; give another name", one.twin->name, other.name));
      }
      if (other.device == one.device) place.refuse(fmt::format("port {} is interface {}'s", one.device, other.name));
    }
    if (!one.addresses.empty()) taken.add(one, place.at("addresses").items());
    config.interfaces.push_back(std::move(one));
  }
  if (config.interfaces.empty()) list.refuse("give an interface at least: {name: left, port: 0}");
  return ports.devices();
}

}  // namespace packetwarp
