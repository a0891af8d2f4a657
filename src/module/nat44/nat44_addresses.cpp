// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "wire/address_text.h"

namespace packetwarp {
namespace {

struct special_range {
  std::uint32_t first, last;
  std::string_view what;
};
// A router forwards no packet from or to a host with one of these addresses (RFC 6890).
constexpr std::array special_ranges{special_range{0x0000'0000, 0x00ff'ffff, "an address of 0.0.0.0/8"},
                                    special_range{0x7f00'0000, 0x7fff'ffff, "a loopback address, of 127.0.0.0/8"},
                                    special_range{0xa9fe'0000, 0xa9fe'ffff, "a link-local address, of 169.254.0.0/16"},
                                    special_range{0xe000'0000, 0xefff'ffff, "a group's address, of 224.0.0.0/4"},
                                    special_range{0xf000'0000, 0xffff'ffff, "an address of 240.0.0.0/4"}};

using address_range = nat44_config::address_range;

[[nodiscard]] bool has(address_range const& range, std::uint32_t number) {
  return range.first.number <= number && number <= range.last.number;
}

void require_hosts(yaml_place const& place, address_range const& range) {
  for (auto const& one : special_ranges) {
    if (range.last.number < one.first || one.last < range.first.number) continue;
    wire::ipv4_address const first{std::max(one.first, range.first.number)};
    place.refuse(
        fmt::format("{} is {}; give addresses of hosts, such as 198.51.100.10", wire::to_text(first), one.what));
  }
}

[[nodiscard]] std::optional<std::uint32_t> broadcast_address(named_interface::own_address const& own) {
  if (own.length > 30) return std::nullopt;
  return own.address.number | 0xffff'ffffU >> own.length;
}

}  // namespace

void require_outside(yaml_place const& place, address_range const& range, nat_sides const& sides) {
  require_hosts(place, range);
  for (std::size_t n = 0; n < sides.interfaces.size(); ++n) {
    auto const& one = sides.interfaces[n];
    for (auto const& own : one.addresses) {
      if (sides.sides[n] == nat::side::inside && has(range, own.address.number)) {
        place.refuse(fmt::format("{} is the own address of '{}', which is inside; give outside addresses",
                                 wire::to_text(own.address), one.name));
      }
      auto const broadcast = broadcast_address(own);
      if (broadcast && has(range, *broadcast)) {
        place.refuse(fmt::format("{} is the broadcast address of the prefix of '{}'; leave it out",
                                 wire::to_text(wire::ipv4_address{*broadcast}), one.name));
      }
    }
  }
  for (auto const& one : sides.neighbours) {
    if (!has(range, one.address.number)) continue;
    place.refuse(fmt::format("{} is a neighbour's: {}; leave it out", wire::to_text(one.address), one.origin));
  }
}

void require_inside(yaml_place const& place, wire::ipv4_address address, nat_sides const& sides) {
  require_hosts(place, {address, address});
  for (auto const& one : sides.interfaces) {
    for (auto const& own : one.addresses) {
      bool const is_broadcast = broadcast_address(own) == address.number;
      if (!is_broadcast && !(own.address == address)) continue;
      place.refuse(fmt::format("{} is the router's own {}address, of '{}'; give that of a host on the inside",
                               wire::to_text(address), is_broadcast ? "broadcast " : "", one.name));
    }
  }
}

void require_not_outside(yaml_place const& place, wire::ipv4_address address, nat44_config const& config) {
  auto const is_it = [&](auto const& outside) { return outside == address; };
  bool const is_in_pool =
      std::ranges::any_of(config.pool, [&](auto const& range) { return has(range, address.number); });
  bool const is_of_forward =
      std::ranges::any_of(config.port_forwards, [&](auto const& one) { return is_it(one.outside.address); });
  bool const is_static =
      std::ranges::any_of(config.static_addresses, [&](auto const& one) { return is_it(one.outside); });
  if (!is_in_pool && !is_of_forward && !is_static) return;
  place.refuse(fmt::format("{} is an outside address of nat44's own, {}; give that of a host on the inside",
                           wire::to_text(address), is_in_pool ? "of 'pool'" : "of 'static'"));
}

}  // namespace packetwarp
