// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "twin/host_twin.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/log/log.h"
#include "port/device/kernel_interface.h"

namespace packetwarp {
namespace {

// net_tap offers the mbufs of all its descriptors to the kernel for each packet that it reads: a few suffice for a
// jumbo frame.
constexpr std::uint16_t tap_descriptors = 8;
constexpr std::uint16_t virtio_descriptors = 1024;

[[nodiscard]] port_config config_of(twin_config const& config) {
  bool const is_tap = choose_kernel_driver(config.driver) == kernel_driver::tap;
  auto const descriptors = is_tap ? tap_descriptors : virtio_descriptors;
  return {.rx_queues = 1,
          .tx_queues = 1,
          .rx_descriptors = descriptors,
          .tx_descriptors = descriptors,
          .mtu = 0,
          .hairpin = {},
          .isolation = port_isolation::off,
          .promiscuous = promiscuity::off};
}

[[nodiscard]] bool is_ipv6(ip_prefix const& prefix) {
  return std::holds_alternative<wire::ipv6_address>(prefix.address);
}

// All that set_up() sets, in words.
[[nodiscard]] std::string settings_of(twin_config const& config) {
  auto text = fmt::format("mtu {}", config.mtu);
  for (auto const& one : config.addresses) text += fmt::format(" address {}/{}", to_text(one.address), one.length);
  for (auto const& one : config.announced) text += fmt::format(" route {}", to_text(one.to));
  return text;
}

}  // namespace

host_twin::host_twin(twin_config const& config, packet_pool const& pool)
    : device_{{.interface = config.interface,
               .mac = config.mac,
               .driver = config.driver,
               .settings = settings_of(config)}},
      port_{describe_port(device_.id()), config_of(config), rx_pools{pool}},
      files_{config.interface},
      interface_{config.interface},
      first_name_{config.interface},
      addresses_{config.addresses},
      announced_{config.announced} {
  set_up(config);
  news_.emplace(interface_);
}

void host_twin::set_up(twin_config const& config) {
  kernel_interface kernel{config.interface};
  auto const require = [&](std::string const& what, kernel_interface::refusal const& refusal) {
    if (refusal) throw failure(fmt::format("kernel interface {}: {}: {}", config.interface, what, *refusal));
  };
  using existing = kernel_interface::existing;
  auto const how = device_.was_kept() ? existing::as_it_is : existing::anew;
  require("setting its MAC address", kernel.set_mac(config.mac));
  require(fmt::format("setting an MTU of {}", config.mtu), kernel.set_mtu(config.mtu));
  require("setting it up", kernel.set_up());
  bool const has_ipv6 = std::any_of(config.addresses.begin(), config.addresses.end(), is_ipv6);
  if (has_ipv6) note("switching IPv6 on", kernel.allow_ipv6());
  for (auto const& own : config.addresses) {
    auto const refused = std::visit([&](auto a) { return kernel.add_address(a, own.length, how); }, own.address);
    // Without IPv6 in the kernel, the other addresses are still useful.
    if (refused && is_ipv6(own)) {
      note(fmt::format("adding {}/{}", to_text(own.address), own.length), refused);
    } else {
      require(fmt::format("adding {}/{}", to_text(own.address), own.length), refused);
    }
  }
  for (auto const& one : announced_) {
    require(fmt::format("adding a route to {}", to_text(one.to)), kernel.add_route(one.to, how));
  }
}

std::vector<std::string> host_twin::withdraw() {
  std::vector<std::string> refused;
  auto routes = std::exchange(announced_, {});
  auto const ends_now = [](announced_route const& one) { return one.stays == announced_route::until::drain; };
  std::ranges::copy_if(routes, std::back_inserter(announced_), std::not_fn(ends_now));
  std::erase_if(routes, std::not_fn(ends_now));
  if (routes.empty() || !kernel_interface::exists(interface_)) return refused;
  kernel_interface kernel{interface_};
  for (auto const& one : routes) {
    if (auto const why = kernel.remove_route(one.to)) {
      refused.push_back(
          fmt::format("kernel interface {}: removing the route to {}: {}", interface_, to_text(one.to), *why));
    }
  }
  return refused;
}

std::vector<std::string> host_twin::restore() {
  std::vector<std::string> refused;
  if (!kernel_interface::exists(interface_)) return refused;
  auto const note = [&](std::string const& what, kernel_interface::refusal const& why) {
    if (why) refused.push_back(fmt::format("kernel interface {}: {}: {}", interface_, what, *why));
  };
  using existing = kernel_interface::existing;
  kernel_interface kernel{interface_};
  for (auto const& own : addresses_) {
    // The kernel makes the link-local address anew by itself, and looks for duplicates of it first.
    auto const how = is_link_local(own.address) ? existing::anew : existing::as_it_is;
    note(fmt::format("adding {}/{}", to_text(own.address), own.length),
         std::visit([&](auto a) { return kernel.add_address(a, own.length, how); }, own.address));
  }
  for (auto const& one : announced_) {
    note(fmt::format("adding a route to {}", to_text(one.to)), kernel.add_route(one.to, existing::as_it_is));
  }
  return refused;
}

std::optional<std::string> host_twin::take_new_name() {
  auto now = files_.interface();
  if (!now || *now == interface_) return std::nullopt;
  interface_ = *now;
  return now;
}

void host_twin::keep() {
  if (is_gone()) return;
  (void)take_new_name();
  if (interface_ != first_name_) {
    log().warn("kernel interface {} goes with this run: it was renamed, and the next run looks for {}", interface_,
               first_name_);
  } else if (auto const refused = device_.keep()) {
    log().warn("kernel interface {} goes with this run: {}", interface_, *refused);
  } else {
    log().info("kernel interface {} stays for the next run", interface_);
  }
}

void host_twin::note(std::string const& what, std::optional<std::string> const& refusal) {
  if (!refusal) return;
  notices_.push_back(fmt::format("{}: the kernel refuses {}: {}", port_.facts().name, what, *refusal));
}

}  // namespace packetwarp
