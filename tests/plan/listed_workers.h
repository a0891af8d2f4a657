// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "function/router/router.h"
#include "plan/config.h"

namespace packetwarp::test {

// Workers in a file's form. Places are "workers[1]" and "workers[1].ports[0]".

using queues = std::vector<unsigned>;

[[nodiscard]] inline std::vector<queue_id> ids_of(queues const& numbers) {
  std::vector<queue_id> ids;
  for (auto const n : numbers) ids.emplace_back(static_cast<std::uint16_t>(n));
  return ids;
}

[[nodiscard]] inline worker_port on_port(std::size_t port, queues const& rx, queues const& tx) {
  return {.place = {}, .port = port, .rx_queues = ids_of(rx), .tx_queues = ids_of(tx), .isolated_rx = {}};
}

[[nodiscard]] inline worker_port isolated(worker_port of, unsigned lcore, std::uint32_t ring = 16384) {
  of.isolated_rx = isolated_receiver{.lcore = lcore_id{lcore}, .ring = ring};
  return of;
}

[[nodiscard]] inline listed_worker master_on(unsigned lcore) {
  return {.place = {}, .lcore = lcore_id{lcore}, .role = worker_role::master, .ports = {}};
}
[[nodiscard]] inline listed_worker forwarding_on(unsigned lcore, std::vector<worker_port> ports) {
  return {.place = {}, .lcore = lcore_id{lcore}, .role = worker_role::forwarding, .ports = std::move(ports)};
}
[[nodiscard]] inline listed_worker kni_on(unsigned lcore, std::vector<worker_port> ports) {
  return {.place = {}, .lcore = lcore_id{lcore}, .role = worker_role::kni, .ports = std::move(ports)};
}

[[nodiscard]] inline std::vector<listed_worker> with_places(std::vector<listed_worker> workers) {
  for (std::size_t n = 0; n < workers.size(); ++n) {
    workers[n].place = "workers[" + std::to_string(n) + "]";
    auto& ports = workers[n].ports;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      ports[i].place = workers[n].place + ".ports[" + std::to_string(i) + "]";
    }
  }
  return workers;
}

// A router's data plane with these workers.
[[nodiscard]] inline data_plane_config with_workers(std::vector<listed_worker> workers) {
  data_plane_config config;
  config.function = &facts_of<router>;
  config.workers = arrangement::listed;
  config.listed = with_places(std::move(workers));
  return config;
}

}  // namespace packetwarp::test
