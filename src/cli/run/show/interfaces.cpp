// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/show/interfaces.h"

#include <algorithm>
#include <string>

#include "address/ip_prefix.h"
#include "module/chain.h"
#include "module/rows.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

// Adds the counts of the pipelines that receive by a port. Departures are read before arrivals.
void add_pipelines(json& row, data_plane const& plane, port_id port) {
  std::uint64_t received = 0, punted = 0, dropped = 0;
  for (auto const& p : plane.pipelines()) {
    if (p.planned().rx_port != port) continue;
    auto const& counters = p.counters();
    punted += counters.departures.punted.read() + counters.arrivals.steered.read();
    dropped += counters.departures.dropped_packets.read() + counters.arrivals.kernel_full.read() +
               counters.arrivals.isolated_full.read();
    received += counters.arrivals.packets.read();
  }
  row["received"] = received;
  row["punted"] = punted;
  row["dropped"] = dropped;
}

void add_counts(json& row, port const& of) {
  auto const counted = of.counts();
  row["rx_packets"] = counted.rx_packets;
  row["rx_bytes"] = counted.rx_bytes;
  row["tx_packets"] = counted.tx_packets;
  row["tx_bytes"] = counted.tx_bytes;
  row["imissed"] = counted.missed;
  row["ierrors"] = counted.rx_errors;
  row["oerrors"] = counted.tx_errors;
  row["rx_nombuf"] = counted.no_mbuf;
}

// The addresses of an interface that routes, including the IPv6 link-local address, which is not in the file.
[[nodiscard]] json addresses_of(network const& net, std::size_t n) {
  auto all = json::array();
  if (!is_routed(*net.config().plane.function)) return all;
  for (auto const& one : net.router().facts(interface_index{static_cast<std::uint16_t>(n)}).addresses) {
    all.push_back(to_text(one));
  }
  return all;
}

// The interface of this machine's kernel beside a port.
[[nodiscard]] json twin_of(plan const& planned, std::size_t port) {
  for (auto const& one : planned.twins) {
    if (one.port == port) return one.config.interface;
  }
  return nullptr;
}

[[nodiscard]] json row_of_interface(network& net, supervisor const& watches, std::size_t n) {
  auto const& config = net.config().interfaces[n];
  auto const& planned = net.plane().planned().ports[n];
  auto const& facts = planned.facts;
  json row{{"name", config.name},
           {"port", facts.id.value()},
           {"device", facts.name},
           {"driver", facts.driver},
           {"state", to_string(watches.state_of(n))},
           {"mac", wire::to_text(config.mac.value_or(facts.mac))},
           {"mtu", config.mtu},
           {"addresses", addresses_of(net, n)},
           {"kernel", twin_of(net.plane().planned(), n)}};
  row["rx_queues"] = planned.config.rx_queues;
  row["tx_queues"] = planned.config.tx_queues;
  add_counts(row, net.plane().ports()[n]);
  add_pipelines(row, net.plane(), facts.id);
  return row;
}

}  // namespace

request_work show_interfaces(request const& asked, network& net, supervisor const& watches) {
  asked.require_known({});
  return [&net, &watches, all = json::array()]() mutable -> std::optional<std::string> {
    all.push_back(row_of_interface(net, watches, all.size()));
    if (all.size() < net.config().interfaces.size()) return std::nullopt;
    return success_line({{"interfaces", std::move(all)}});
  };
}

}  // namespace packetwarp
