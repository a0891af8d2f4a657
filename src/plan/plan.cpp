// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.h"
#include "plan/plan_steps.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::vector<port_facts> chosen_ports(data_plane_config const& config, machine_facts const& machine) {
  if (machine.ports.empty()) {
    throw usage_error(
        "no port: give a device (-a 0000:b5:00.0) or a virtual one (--vdev=net_pcap0,rx_pcap=in.pcap,tx_pcap=out.pcap, "
        "--vdev=net_null0, --vdev=net_af_packet0,iface=eth1)");
  }
  if (config.ports.empty()) return machine.ports;
  // The ports keep the order in which they are named.
  std::vector<port_facts> chosen;
  for (auto const id : config.ports) {
    auto const found =
        std::find_if(machine.ports.begin(), machine.ports.end(), [&](auto const& p) { return p.id == id; });
    if (found == machine.ports.end()) {
      throw usage_error(fmt::format("port {} is to be forwarded on and does not exist; there are ports 0 to {}",
                                    id.value(), machine.ports.back().id.value()));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

[[nodiscard]] std::size_t position_of(std::vector<port_facts> const& ports, port_id id) {
  auto const found = std::find_if(ports.begin(), ports.end(), [&](auto const& p) { return p.id == id; });
  if (found == ports.end()) {
    throw usage_error(
        fmt::format("--portmap: port {} does not exist; there are ports 0 to {}", id.value(), ports.size() - 1));
  }
  return static_cast<std::size_t>(found - ports.begin());
}

// peers[i]: the port by which packets received on the i-th port leave.
[[nodiscard]] std::vector<std::size_t> peers_of(data_plane_config const& config, std::vector<port_facts> const& ports) {
  constexpr auto unmapped = static_cast<std::size_t>(-1);
  std::vector<std::size_t> peers(ports.size(), unmapped);
  if (config.port_map.empty()) {
    for (std::size_t i = 0; i < ports.size(); ++i) peers[i] = (i ^ 1) < ports.size() ? i ^ 1 : i;
    return peers;
  }
  for (auto const& [a, b] : config.port_map) {
    auto const first = position_of(ports, a);
    auto const second = position_of(ports, b);
    if (peers[first] != unmapped || peers[second] != unmapped) {
      throw usage_error(fmt::format("--portmap: port {} is in more than one pair; a port has one peer",
                                    (peers[first] != unmapped ? a : b).value()));
    }
    peers[first] = second;
    peers[second] = first;
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (peers[i] == unmapped) {
      throw usage_error(fmt::format("--portmap: port {} ({}) is in no pair; give every port one, as \"(0,1)(2,3)\"",
                                    ports[i].id.value(), ports[i].name));
    }
  }
  return peers;
}

// The jobs of one pipeline, grouped by the worker they must share. If another worker collects the bursts that a GPU has
// finished, the receiving worker also gives them: it has the packets' descriptors in its cache.
[[nodiscard]] std::vector<std::vector<job_kind>> groups_of(data_plane_config const& config) {
  using enum job_kind;
  bool const on_gpu = needs_gpu(config.executor);
  auto const receives = on_gpu ? std::vector{receive, give} : std::vector{receive};
  switch (config.workers) {
    case arrangement::run_to_completion:
      return {{receive, execute, transmit}};
    case arrangement::pair:
      return {receives, {execute, transmit}};
    case arrangement::pair_cpu:
      return {receives, {execute}, {transmit}};
    case arrangement::isolated_rx:
      return {{isolate}, {receive, execute, transmit}};
    case arrangement::listed:
      break;
  }
  return {};
}

void plan_pipelines(plan& p, std::vector<port_facts> const& ports) {
  if (p.config.pipelines == 0) p.config.pipelines = static_cast<std::uint16_t>(ports.size());
  std::vector<std::uint16_t> rx_used(ports.size(), 0);
  for (std::uint16_t i = 0; i < p.config.pipelines; ++i) {
    auto const from = i % ports.size();
    p.pipelines.push_back({.id = pipeline_id{i},
                           .rx_port = ports[from].id,
                           .rx_queue = queue_id{rx_used[from]++},
                           .egresses = {},
                           .isolated_ring = p.config.workers == arrangement::isolated_rx ? p.config.isolated_ring : 0});
  }
}

// Each pipeline sends by a queue of its own. A port has one peer and is one port's peer, so the receiving queue's
// number is free on the sending side.
void send_by_peers(plan& p, std::vector<port_facts> const& ports) {
  auto const peers = peers_of(p.config, ports);
  for (auto& pipeline : p.pipelines) {
    auto const from = position_of(ports, pipeline.rx_port);
    pipeline.egresses = {{.port = ports[peers[from]].id, .queue = pipeline.rx_queue}};
  }
}

// Each worker that sends has a queue of its own on every port, for all of its pipelines.
void send_by_any_port(plan& p, std::vector<port_facts> const& ports) {
  std::uint16_t senders = 0;
  for (auto const& worker : p.workers) {
    bool sends = false;
    for (auto const& job : worker.jobs) {
      if (job.kind != job_kind::transmit) continue;
      sends = true;
      for (auto const& port : ports) p.pipelines[job.pipeline].egresses.push_back({port.id, queue_id{senders}});
    }
    if (sends) ++senders;
  }
}

// Forwarding workers that send, if so many workers get the groups of all pipelines in turn.
[[nodiscard]] std::size_t senders_among(std::size_t workers, plan const& p) {
  auto const groups = groups_of(p.config);
  std::set<std::size_t> senders;
  std::size_t next = 0;
  for (std::size_t pipeline = 0; pipeline < p.pipelines.size(); ++pipeline) {
    for (auto const& group : groups) {
      if (std::ranges::find(group, job_kind::transmit) != group.end()) senders.insert(next % workers);
      ++next;
    }
  }
  return senders.size();
}

// Workers that get jobs. Each of them that sends takes a TX queue of every port, if packets leave by any port. Without
// a number of pipelines from the user, the plan takes as many workers as the ports have TX queues for.
[[nodiscard]] std::size_t workers_in_use(plan& p, std::vector<port_facts> const& ports, std::size_t workers,
                                         std::uint16_t asked_pipelines) {
  if (asked_pipelines != 0 || p.config.function->leaves == departure::by_peer) return workers;
  auto const least = std::ranges::min_element(ports, {}, &port_facts::max_tx_queues);
  auto const senders = senders_among(workers, p);
  auto used = workers;
  while (used > 1 && senders_among(used, p) > least->max_tx_queues) --used;
  if (used == workers) return workers;
  p.notices.push_back(
      fmt::format("{} of {} workers {} nothing to do: {} has {} TX queue{}, and each worker that sends "
                  "takes one of every port: {}",
                  workers - used, workers, workers - used == 1 ? "has" : "have", label_of(*least), least->max_tx_queues,
                  least->max_tx_queues == 1 ? "" : "s", way_to_more_queues(*least, senders)));
  return used;
}

void plan_workers(plan& p, std::vector<port_facts> const& ports, machine_facts const& machine,
                  std::uint16_t asked_pipelines) {
  bool const alone = machine.others.empty();
  p.workers.push_back({.lcore = machine.main, .role = alone ? "master + forwarding" : "master", .jobs = {}});
  for (auto const& lcore : machine.others) p.workers.push_back({.lcore = lcore, .role = "forwarding", .jobs = {}});
  auto const first = alone ? std::size_t{0} : std::size_t{1};
  auto const workers = p.workers.size() - first;
  auto const count = workers_in_use(p, ports, workers, asked_pipelines);
  auto const groups = groups_of(p.config);
  std::size_t next = 0;
  for (std::size_t pipeline = 0; pipeline < p.pipelines.size(); ++pipeline) {
    for (auto const& group : groups) {
      auto& worker = p.workers[first + next++ % count];
      for (auto const kind : group) worker.jobs.push_back({kind, pipeline});
    }
  }
  for (auto& worker : p.workers) {
    bool const only_isolates =
        !worker.jobs.empty() &&
        std::all_of(worker.jobs.begin(), worker.jobs.end(), [](auto const& j) { return j.kind == job_kind::isolate; });
    if (only_isolates) worker.role = "isolated-receive";
  }
  if (count != workers) return;
  auto const wanted = p.pipelines.size() * groups.size();
  if (wanted > count) {
    p.notices.push_back(fmt::format("{} groups of jobs share {} worker{}: give {} lcores (-l 0-{}) for one each",
                                    wanted, count, count == 1 ? "" : "s", wanted + 1, wanted));
  } else if (wanted < count) {
    p.notices.push_back(
        fmt::format("{} of {} workers have nothing to do: give more pipelines (-p)", count - wanted, count));
  }
}

// A chain that is not compiled by itself is slower than one that is.
void note_general_chain(plan& p) {
  auto const& function = *p.config.function;
  if (function.part_of.empty()) return;
  std::vector<std::string_view> off;
  std::copy_if(function.part_of.begin(), function.part_of.end(), std::back_inserter(off),
               [&](auto const stage) { return !function.has_stage(stage); });
  p.notices.push_back(fmt::format(
      "chain [{}]: the general chain [{}] runs it, with {}", fmt::join(function.stages, ", "),
      fmt::join(function.part_of, ", "),
      off.empty() ? std::string{"all stages switched on"} : fmt::format("{} switched off", fmt::join(off, ", "))));
}

// Deals pipelines and workers according to the config's numbers and words.
void deal_workers(plan& p, std::vector<port_facts> const& ports, machine_facts const& machine) {
  auto const asked_pipelines = p.config.pipelines;
  plan_pipelines(p, ports);
  plan_workers(p, ports, machine, asked_pipelines);
  if (p.config.function->leaves == departure::by_peer) {
    send_by_peers(p, ports);
  } else {
    send_by_any_port(p, ports);
  }
}

}  // namespace

plan make_plan(data_plane_config config, machine_facts const& machine) {
  plan p{.config = std::move(config),
         .ports = {},
         .pipelines = {},
         .workers = {},
         .kni = {},
         .twins = {},
         .gpus = {},
         .pool = {},
         .pools = 1,
         .payload_pool = {},
         .route = {},
         .notices = {}};
  auto const ports = chosen_ports(p.config, machine);
  note_general_chain(p);
  bool const is_listed = p.config.workers == arrangement::listed;
  if (is_listed) {
    plan_listed(p, ports, machine);
  } else {
    deal_workers(p, ports, machine);
  }
  plan_ports(p, ports);
  if (is_listed) leave_out_queues(p);
  plan_gpus(p, machine);
  plan_placement(p);
  plan_twins(p);
  plan_control(p);
  plan_memory(p);
  plan_replays(p, machine);
  warn_of_places(p, machine);
  return p;
}

}  // namespace packetwarp
