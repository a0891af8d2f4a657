// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/nat44_static.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "file/values.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

constexpr std::array transports{choice{std::string_view{"udp"}, nat::transport::udp},
                                choice{std::string_view{"tcp"}, nat::transport::tcp},
                                choice{std::string_view{"icmp"}, nat::transport::icmp}};

// "192.0.2.1:53"
[[nodiscard]] nat::endpoint endpoint_at(yaml_place const& place) {
  auto const text = place.text();
  auto const colon = text.rfind(':');
  auto const address = wire::parse_ipv4(text.substr(0, colon));
  auto const port = colon == std::string::npos ? std::string{} : text.substr(colon + 1);
  bool const is_number = !port.empty() && port.size() <= 5 &&
                         std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  auto const number = is_number ? std::stoul(port) : 0;
  if (!address || number == 0 || number > 65535) {
    place.refuse(fmt::format("'{}' is no address and port, such as 192.0.2.1:53", text));
  }
  return {*address, static_cast<std::uint16_t>(number)};
}

class static_list {
 public:
  static_list(nat_sides const& sides, nat44_config& config) : sides_{sides}, config_{config} {}

  void read(yaml_place const& entry) {
    entry.require_keys({"protocol", "inside", "outside"});
    if (auto const protocol = entry.find("protocol")) {
      read_forward(entry.at("inside"), entry.at("outside"), *protocol);
    } else {
      read_address(entry.at("inside"), entry.at("outside"));
    }
  }

  // After the last entry: each may have an outside address that an earlier one has inside.
  void check() const {
    for (auto const& one : hosts_) require_not_outside(one.place, one.address, config_);
  }

 private:
  void read_forward(yaml_place const& inside, yaml_place const& outside, yaml_place const& protocol) {
    nat44_config::port_forward const made{
        .kind = choice_at(protocol, transports), .inside = endpoint_at(inside), .outside = endpoint_at(outside)};
    require_inside(inside, made.inside.address, sides_);
    require_outside(outside, {made.outside.address, made.outside.address}, sides_);
    take(inside, inside.text(), fmt::format("{} inside {}", protocol.text(), to_text(made.inside)));
    take(outside, outside.text(), fmt::format("{} outside {}", protocol.text(), to_text(made.outside)));
    auto const address = wire::to_text(made.outside.address);
    refuse_taken(outside, address, "static outside " + address);
    lines_.try_emplace("forward outside " + address, outside.line());
    auto const host = wire::to_text(made.inside.address);
    if (auto const line = line_of("static inside " + host)) {
      inside.refuse(fmt::format(
          "{} has the static address of line {}, which leads every port to it and with which its answers leave; leave "
          "this port forward out, or that entry",
          host, *line));
    }
    lines_.try_emplace("forward inside " + host, inside.line());
    hosts_.push_back({inside, made.inside.address});
    config_.port_forwards.push_back(made);
  }

  void read_address(yaml_place const& inside, yaml_place const& outside) {
    nat44_config::static_address const made{.inside = ipv4_at(inside), .outside = ipv4_at(outside)};
    require_inside(inside, made.inside, sides_);
    require_outside(outside, {made.outside, made.outside}, sides_);
    auto const address = wire::to_text(made.outside);
    bool const is_in_pool = std::ranges::any_of(config_.pool, [&](nat44_config::address_range const& range) {
      return range.first.number <= made.outside.number && made.outside.number <= range.last.number;
    });
    if (is_in_pool) outside.refuse(fmt::format("{} is in 'pool' too; take another", address));
    auto const host = wire::to_text(made.inside);
    take(inside, host, "static inside " + host);
    if (auto const line = line_of("forward inside " + host)) {
      inside.refuse(fmt::format(
          "{} has the port forward of line {}, whose answers would leave with the static address, which leads every "
          "port to it; leave that port forward out, or this entry",
          host, *line));
    }
    hosts_.push_back({inside, made.inside});
    take(outside, address, "static outside " + address);
    refuse_taken(outside, address, "forward outside " + address);
    config_.static_addresses.push_back(made);
  }

  [[nodiscard]] static std::string to_text(nat::endpoint const& of) {
    return fmt::format("{}:{}", wire::to_text(of.address), of.port);
  }

  // The line of the entry that has this use.
  [[nodiscard]] std::optional<int> line_of(std::string const& use) const {
    auto const found = lines_.find(use);
    return found == lines_.end() ? std::nullopt : std::optional{found->second};
  }
  void refuse_taken(yaml_place const& place, std::string const& value, std::string const& use) const {
    auto const before = line_of(use);
    if (before) place.refuse(fmt::format("{} is that of the entry in line {} too; take another", value, *before));
  }
  void take(yaml_place const& place, std::string const& value, std::string const& use) {
    refuse_taken(place, value, use);
    lines_.emplace(use, place.line());
  }

  struct inside_host {
    yaml_place place;
    wire::ipv4_address address;
  };

  nat_sides const& sides_;
  nat44_config& config_;
  std::vector<inside_host> hosts_;
  std::map<std::string, int> lines_;  // by use: "tcp outside 198.51.100.1:80"
};

}  // namespace

void read_static(yaml_place const& place, nat_sides const& sides, nat44_config& config) {
  static_list list{sides, config};
  for (auto const& entry : place.items()) list.read(entry);
  list.check();
}

}  // namespace packetwarp
