// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/twin_reader.h"

#include <fmt/format.h>

#include "file/values.h"

namespace packetwarp {
namespace {

constexpr std::array drivers{choice{std::string_view{"auto"}, kernel_driver::automatic},
                             choice{std::string_view{"virtio_user"}, kernel_driver::virtio_user},
                             choice{std::string_view{"tap"}, kernel_driver::tap}};

void require_name(yaml_place const& place, std::string const& name) {
  if (is_interface_name(name)) return;
  place.refuse(fmt::format(
      "'{}' is no name that the kernel takes for an interface: 1 to {} letters without spaces, '/' and ':'; give "
      "'kernel: {{name: ...}}'",
      name, max_interface_name));
}

constexpr std::array ends{choice{std::string_view{"drain"}, announced_route::until::drain},
                          choice{std::string_view{"end"}, announced_route::until::end}};

// "203.0.113.0/26", or {to: 203.0.113.0/26, until: end}.
[[nodiscard]] announced_route announced_at(yaml_place const& place) {
  if (place.is_scalar()) return {.to = network_at(place)};
  place.require_keys({"to", "until"});
  announced_route made{.to = network_at(place.at("to"))};
  if (auto const at = place.find("until")) made.stays = choice_at(*at, ends);
  return made;
}

}  // namespace

std::optional<twin_section> read_twin_section(yaml_place const& place, std::string const& interface) {
  twin_section made{
      .line = place.line(), .name = interface + ".kni", .mac = {}, .addresses = {}, .flows = {}, .announced = {}};
  if (place.is_scalar()) {
    if (!place.flag()) return std::nullopt;
    require_name(place, made.name);
    return made;
  }
  place.require_keys({"name", "mac", "addresses", "driver", "flows", "announce"});
  auto const name = place.find("name");
  if (name) made.name = name->text();
  require_name(name.value_or(place), made.name);
  if (auto const at = place.find("mac")) made.mac = unicast_mac_at(*at);
  if (auto const at = place.find("driver")) made.driver = choice_at(*at, drivers);
  if (auto const at = place.find("addresses")) {
    made.addresses.emplace();
    for (auto const& one : at->items()) made.addresses->push_back(prefix_at(one));
  }
  if (auto const at = place.find("flows")) {
    made.flows.emplace();
    for (auto const& one : at->items()) made.flows->push_back(address_at(one));
  }
  if (auto const at = place.find("announce")) {
    for (auto const& one : at->items()) made.announced.push_back(announced_at(one));
  }
  // Neighbours that learnt this MAC address as a router's would send it packets to be routed.
  if (made.mac && !made.addresses) {
    place.refuse("with a MAC address of its own it needs 'addresses' of its own; or leave out 'mac'");
  }
  return made;
}

}  // namespace packetwarp
