// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "plan/plan_steps.h"
#include "plan/plan_text.h"
#include "port/replay/replayed_frames.h"

namespace packetwarp {
namespace {

[[nodiscard]] port_id replaying_port(replay_config const& replay, machine_facts const& machine) {
  std::string names;
  for (auto const& port : machine.ports) {
    if (port.name == replay.port || std::to_string(port.id.value()) == replay.port) return port.id;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", port.id.value(), port.name);
  }
  throw usage_error(fmt::format("--replay: port '{}' does not exist; there are {}", replay.port, names));
}

[[nodiscard]] bool is_received_from(plan const& p, port_id port) {
  bool const by_pipelines =
      std::any_of(p.pipelines.begin(), p.pipelines.end(), [&](auto const& one) { return one.rx_port == port; });
  auto const& by_kni = p.kni ? p.kni->ports : std::vector<planned_kni_port>{};
  return by_pipelines || std::any_of(by_kni.begin(), by_kni.end(),
                                     [&](auto const& one) { return one.port == port && !one.rx_queues.empty(); });
}

}  // namespace

void require_writable_packets(data_plane_config const& config) {
  if (config.replays.empty() || config.where == placement::host) return;
  throw usage_error(
      fmt::format("--replay: the CPU writes the frames over packets, and with placement {} it cannot; use host",
                  to_string(config.where)));
}

void plan_replays(plan& p, machine_facts const& machine) {
  require_writable_packets(p.config);
  for (auto const& replay : p.config.replays) {
    auto const id = replaying_port(replay, machine);
    auto const port = std::find_if(p.ports.begin(), p.ports.end(), [&](auto const& one) { return one.facts.id == id; });
    if (port == p.ports.end() || !is_received_from(p, id)) {
      throw usage_error(fmt::format("--replay: port '{}': no worker receives from it", replay.port));
    }
    if (port->replayed) throw usage_error(fmt::format("--replay: {} is given twice", label_of(port->facts)));
    require_room(*replay.frames, p.pool.data_room);
    port->replayed = replay.frames;
    p.notices.push_back(
        fmt::format("{}: {} the {} frames of {}", label_of(port->facts),
                    port->facts.receives_nothing ? "it receives" : "its received packets are overwritten by",
                    replay.frames->frames.size(), replay.file));
  }
}

}  // namespace packetwarp
