// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "cli/generate/options.h"

namespace packetwarp {
namespace {

using traffic::direction;

bool holds(std::vector<port_id> const& ports, port_id id) {
  return std::find(ports.begin(), ports.end(), id) != ports.end();
}

void require_known(std::vector<port_id> const& named, std::vector<port_id> const& ports, std::string_view option) {
  for (auto const id : named) {
    if (holds(ports, id)) continue;
    throw usage_error(ports.empty() ? fmt::format("{}: port {} does not exist; there is none", option, id.value())
                                    : fmt::format("{}: port {} does not exist; there are ports {} to {}", option,
                                                  id.value(), ports.front().value(), ports.back().value()));
  }
}

// Without a map ports pair up in order; an odd last port is its own peer.
port_id peer_of(port_id id, generate_options const& options, std::vector<port_id> const& ports) {
  if (options.returns == return_port::same) return id;
  for (auto const& [a, b] : options.port_map) {
    if (a == id) return b;
    if (b == id) return a;
  }
  if (!options.port_map.empty()) {
    throw usage_error(fmt::format("--portmap: port {} sends and is in no pair", id.value()));
  }
  auto const at = static_cast<std::size_t>(std::find(ports.begin(), ports.end(), id) - ports.begin());
  return (at ^ 1) < ports.size() ? ports[at ^ 1] : id;
}

void require_pairs(std::vector<std::pair<port_id, port_id>> const& map, std::vector<port_id> const& ports) {
  std::vector<port_id> seen;
  for (auto const& [a, b] : map) {
    require_known({a, b}, ports, "--portmap");
    if (holds(seen, a) || holds(seen, b)) {
      throw usage_error(fmt::format("--portmap: port {} is in more than one pair; a port has one peer",
                                    (holds(seen, a) ? a : b).value()));
    }
    seen.insert(seen.end(), {a, b});
  }
}

// The kernel takes the outermost tag out of a received frame, and net_af_packet puts it back without its type.
// Unsigned packets are only counted.
bool carries_service_tag(traffic::exchange_config const& sent) {
  bool const is_stream = !sent.recorded && !sent.asked && sent.programs.empty();
  auto const& tags = sent.what.description.vlans;
  return is_stream && sent.what.signatures == traffic::signing::on &&
         sent.depth == traffic::content_check::every_byte && !tags.empty() &&
         tags.front().type == wire::ether_type::service_vlan;
}

// A port that is named as a receiver and awaits no packets is a mistake: the packets that are sent come back elsewhere.
void require_awaiting(std::vector<port_id> const& receivers, std::vector<direction> const& all) {
  for (auto const id : receivers) {
    if (std::ranges::any_of(all, [&](direction const& one) { return one.to == id; })) continue;
    auto const own = std::ranges::find(all, id, &direction::from);
    throw usage_error(fmt::format(
        "--rx-ports: port {} awaits no packets: no port that sends is its peer{}; leave it out of --rx-ports",
        id.value(),
        own == all.end() ? "" : ", and its own come back on their peer unless --expect same-port is given"));
  }
}

}  // namespace

std::vector<direction> directions_of(generate_options const& options, std::vector<port_id> const& ports) {
  if (ports.empty()) {
    throw usage_error(
        "no port: give a device (-a 0000:b5:00.0) or a virtual one (--vdev=net_af_packet0,iface=eth1), or put "
        "packetwarp's own data plane between: --through \"-w cpu\"");
  }
  require_pairs(options.port_map, ports);
  auto senders = options.tx_ports.value_or(ports);
  require_known(senders, ports, options.stl ? options.stl->ports_by : "--tx-ports");
  if (options.rx_ports) require_known(*options.rx_ports, ports, "--rx-ports");
  if (senders.empty()) throw usage_error("--tx-ports: none sends, so there is nothing to receive");
  std::sort(senders.begin(), senders.end());
  senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
  std::vector<direction> all;
  for (auto const from : senders) {
    all.push_back({.from = from, .to = peer_of(from, options, ports), .queues = options.queues});
  }
  if (!options.rx_ports) return all;
  require_awaiting(*options.rx_ports, all);
  for (auto& one : all) {
    if (!holds(*options.rx_ports, *one.to)) one.to.reset();
  }
  return all;
}

void require_intact(traffic::exchange_config const& sent, std::span<direction const> directions,
                    std::span<port_facts const> ports) {
  if (!carries_service_tag(sent)) return;
  for (auto const& one : directions) {
    auto const to = one.to ? std::ranges::find(ports, *one.to, &port_facts::id) : ports.end();
    if (to == ports.end() || !to->traits().forgets_tag_types) continue;
    throw usage_error(
        fmt::format("--stream: {2} makes 0x8100 of a received outermost tag of type 0x88a8, so port {0} ({1}) "
                    "would find each frame changed; receive by net_af_xdp, net_pcap or a NIC, or give type=0x8100",
                    to->id.value(), to->name, to->driver));
  }
}

}  // namespace packetwarp
