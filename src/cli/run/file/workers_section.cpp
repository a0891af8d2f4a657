// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/workers_section.h"

#include <fmt/format.h>
#include <rte_config.h>

#include <algorithm>

#include "file/values.h"

namespace packetwarp {
namespace {

constexpr std::array roles{choice{std::string_view{"master"}, worker_role::master},
                           choice{std::string_view{"forwarding"}, worker_role::forwarding},
                           choice{std::string_view{"kni"}, worker_role::kni}};

[[nodiscard]] lcore_id lcore_at(yaml_place const& place) {
  return lcore_id{static_cast<unsigned>(place.number(0, RTE_MAX_LCORE - 1))};
}

[[nodiscard]] std::size_t port_at(yaml_place const& place, std::span<std::string const> interfaces) {
  auto const name = place.text();
  auto const found = std::find(interfaces.begin(), interfaces.end(), name);
  if (found != interfaces.end()) return static_cast<std::size_t>(found - interfaces.begin());
  std::string names;
  for (auto const& one : interfaces) names += fmt::format("{}{}", names.empty() ? "" : ", ", one);
  place.refuse(fmt::format("no interface '{}'; there are {}", name, names));
}

[[nodiscard]] std::vector<queue_id> queues_at(std::optional<yaml_place> const& place) {
  std::vector<queue_id> queues;
  if (!place) return queues;
  for (auto const& one : place->items()) {
    queues.emplace_back(static_cast<std::uint16_t>(one.number(0, RTE_MAX_QUEUES_PER_PORT - 1)));
  }
  return queues;
}

[[nodiscard]] isolated_receiver receiver_at(yaml_place const& place) {
  place.require_keys({"lcore", "ring"});
  isolated_receiver made{.lcore = lcore_at(place.at("lcore"))};
  if (auto const at = place.find("ring")) {
    made.ring = static_cast<std::uint32_t>(at->number(least_isolated_ring, most_isolated_ring));
  }
  return made;
}

[[nodiscard]] worker_port read_port(yaml_place const& place, std::span<std::string const> interfaces) {
  place.require_keys({"port", "rx_queues", "tx_queues", "isolated_rx"});
  worker_port made{.place = place.told(),
                   .port = port_at(place.at("port"), interfaces),
                   .rx_queues = queues_at(place.find("rx_queues")),
                   .tx_queues = queues_at(place.find("tx_queues")),
                   .isolated_rx = {}};
  if (auto const at = place.find("isolated_rx")) made.isolated_rx = receiver_at(*at);
  return made;
}

[[nodiscard]] listed_worker read_worker(yaml_place const& place, std::span<std::string const> interfaces) {
  place.require_keys({"lcore", "role", "ports", "execute_on", "transmit_on"});
  listed_worker made{.place = place.told(),
                     .lcore = lcore_at(place.at("lcore")),
                     .role = choice_at(place.at("role"), roles),
                     .ports = {}};
  if (auto const at = place.find("execute_on")) made.execute_on = lcore_at(*at);
  if (auto const at = place.find("transmit_on")) made.transmit_on = lcore_at(*at);
  if (auto const at = place.find("ports")) {
    for (auto const& one : at->items()) made.ports.push_back(read_port(one, interfaces));
  }
  return made;
}

}  // namespace

std::vector<listed_worker> read_workers_section(yaml_place const& list, std::span<std::string const> interfaces) {
  std::vector<listed_worker> workers;
  for (auto const& one : list.items()) workers.push_back(read_worker(one, interfaces));
  if (workers.empty()) list.refuse("give the master and a forwarding worker at least: {lcore: 0, role: master}, ...");
  require_sound(workers, interfaces);
  return workers;
}

}  // namespace packetwarp
