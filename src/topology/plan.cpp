// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/plan.h"

#include <fmt/format.h>
#include <rte_ring.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "function/forward/forward.h"
#include "function/swap_payload/swap_payload.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::vector<port_facts> chosen_ports(data_plane_config const& config, machine_facts const& machine) {
  if (machine.ports.empty()) {
    throw usage_error(
        "no port: give a device (-a 0000:b5:00.0) or a virtual one (--vdev=net_pcap0,rx_pcap=in.pcap,tx_pcap=out.pcap, "
        "--vdev=net_null0, --vdev=net_af_packet0,iface=eth1)");
  }
  if (config.ports.empty()) return machine.ports;
  std::vector<port_facts> chosen;
  for (auto const& facts : machine.ports) {
    if (std::find(config.ports.begin(), config.ports.end(), facts.id) != config.ports.end()) chosen.push_back(facts);
  }
  for (auto const id : config.ports) {
    if (std::none_of(chosen.begin(), chosen.end(), [&](auto const& p) { return p.id == id; })) {
      throw usage_error(fmt::format("port {} is to be forwarded on and does not exist; there are ports 0 to {}",
                                    id.value(), machine.ports.back().id.value()));
    }
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

// peers[i]: where packets received on the i-th port leave.
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

// Of a pipeline, for a GPU that takes about 8 us for a burst and 40 million packets a second from each of eight.
constexpr std::uint32_t gpu_packets_in_flight = 2048;

// Of a pipeline whose packets pass from one worker to another (docs/performance.md).
constexpr std::uint32_t paired_packets_in_flight = 16384;

// Hardware queues of a GPU (CUDA_DEVICE_MAX_CONNECTIONS): a kernel that never ends keeps one to itself.
constexpr std::size_t most_persistent_kernels = 32;

// The jobs of one pipeline, grouped by the worker they must share. Where another worker collects what a GPU has
// finished, the one that receives also gives: it has the packets' descriptors in its cache.
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
  }
  return {};
}

void plan_pipelines(plan& p, std::vector<port_facts> const& ports) {
  auto const peers = peers_of(p.config, ports);
  if (p.config.pipelines == 0) p.config.pipelines = static_cast<std::uint16_t>(ports.size());
  std::vector<std::uint16_t> rx_used(ports.size(), 0);
  for (std::uint16_t i = 0; i < p.config.pipelines; ++i) {
    auto const from = i % ports.size();
    queue_id const queue{rx_used[from]++};
    // A port has one peer and is one port's peer, so the receiving queue's number is free on the sending side.
    p.pipelines.push_back({.id = pipeline_id{i},
                           .rx_port = ports[from].id,
                           .rx_queue = queue,
                           .tx_port = ports[peers[from]].id,
                           .tx_queue = queue,
                           .ring_slots = 0});
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    auto const sends = rx_used[peers[i]];
    if (rx_used[i] == 0) {
      p.notices.push_back(fmt::format(
          "port {} ({}) only sends: {} pipeline{} over {} ports leave it without one; use -p {}", ports[i].id.value(),
          ports[i].name, p.config.pipelines, p.config.pipelines == 1 ? "" : "s", ports.size(), ports.size()));
    }
    p.ports.push_back({.facts = ports[i],
                       .config = {.rx_queues = std::max<std::uint16_t>(rx_used[i], 1),
                                  .tx_queues = std::max<std::uint16_t>(sends, 1),
                                  .rx_descriptors = p.config.rx_descriptors,
                                  .tx_descriptors = p.config.tx_descriptors,
                                  .mtu = p.config.mtu}});
    require_possible(p.ports.back().facts, p.ports.back().config);
  }
}

void plan_workers(plan& p, machine_facts const& machine) {
  bool const alone = machine.others.empty();
  p.workers.push_back({.lcore = machine.main, .role = alone ? "master + forwarding" : "master", .jobs = {}});
  for (auto const& lcore : machine.others) p.workers.push_back({.lcore = lcore, .role = "forwarding", .jobs = {}});
  auto const first = alone ? std::size_t{0} : std::size_t{1};
  auto const count = p.workers.size() - first;
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
  auto const wanted = p.pipelines.size() * groups.size();
  if (wanted > count) {
    p.notices.push_back(fmt::format("{} groups of jobs share {} worker{}: give {} lcores (-l 0-{}) for one each",
                                    wanted, count, count == 1 ? "" : "s", wanted + 1, wanted));
  } else if (wanted < count) {
    p.notices.push_back(
        fmt::format("{} of {} workers have nothing to do: give more pipelines (-p)", count - wanted, count));
  }
}

// Bursts in flight in a pipeline.
[[nodiscard]] std::uint32_t slots_for(data_plane_config const& config) {
  // A GPU takes a few microseconds for a burst: so many packets keep it busy for that long. Between two workers more,
  // so that headers come from the cache that all share, not from the other's own.
  if (needs_gpu(config.executor)) {
    bool const paired = is_paired(config.workers);
    auto const packets = paired ? paired_packets_in_flight : gpu_packets_in_flight;
    return std::clamp(std::bit_ceil(packets / config.burst), 16u, paired ? 1024u : 256u);
  }
  // A worker that does everything empties each burst before the next: few slots, so that they stay in its L1 cache.
  return is_paired(config.workers) ? 64 : 4;
}

void plan_gpus(plan& p) {
  auto const& gpu = p.config.gpu;
  if (!needs_gpu(p.config.executor)) return;
  for (std::size_t i = 0; i < p.pipelines.size(); ++i) {
    p.pipelines[i].gpu = gpu.indexes[i % gpu.indexes.size()];
    p.pipelines[i].gives_apart = is_paired(p.config.workers);
    // Alone, a ring is fastest with twice the warps.
    p.pipelines[i].gpu_blocks = gpu.blocks != 0 ? gpu.blocks : p.pipelines.size() == 1 ? 4 : 2;
  }
  auto const each = (p.pipelines.size() + gpu.indexes.size() - 1) / gpu.indexes.size();
  if (p.config.executor == executor_kind::persistent && each > most_persistent_kernels) {
    throw usage_error(fmt::format(
        "-p {}: a GPU runs at most {} persistent kernels side by side, one a pipeline; use fewer pipelines, "
        "more GPUs (-g 0,1) or -w kernel",
        p.pipelines.size(), most_persistent_kernels));
  }
}

// Ports that cannot have packets in GPU memory, in a person's words; empty where there are none.
[[nodiscard]] std::string ports_of_host_memory(plan const& p) {
  std::string all;
  for (auto const& port : p.ports) {
    if (port.facts.access != packet_access::host_only) continue;
    all += fmt::format("{}port {} ({})", all.empty() ? "" : ", ", port.facts.id.value(), port.facts.name);
    if (port.facts.driver.starts_with("mlx5_")) all += ", which can with txq_inline_max=0 behind its address";
  }
  return all;
}

// Ports that do not receive a packet's header into host memory and its payload into a GPU's.
[[nodiscard]] std::string ports_that_do_not_split(plan const& p) {
  std::string all;
  for (auto const& port : p.ports) {
    if (splits_to_gpu(port.facts)) continue;
    all += fmt::format("{}port {} ({})", all.empty() ? "" : ", ", port.facts.id.value(), port.facts.name);
  }
  return all;
}

void plan_placement(plan& p) {
  auto const& config = p.config;
  if (config.where == placement::host) return;
  auto const option = config.where == placement::split ? "-s" : "-m device";
  if (config.executor == executor_kind::cpu) {
    throw usage_error(
        fmt::format("{}: the CPU cannot touch packets in GPU memory; use -w kernel, persistent or graph, or {}", option,
                    config.where == placement::split ? "leave -s out" : "-m host"));
  }
  auto const others = config.where == placement::split ? ports_that_do_not_split(p) : ports_of_host_memory(p);
  p.route = others.empty() ? packet_route::direct : packet_route::staged;
  for (auto& pipeline : p.pipelines) pipeline.route = p.route;
  if (p.route == packet_route::staged) {
    if (config.executor == executor_kind::none) {
      throw usage_error(
          fmt::format("{}: {} cannot write there, and -w none has no use for a copy in GPU memory; use -w kernel, "
                      "persistent or graph, or -m host",
                      option, others));
    }
    bool const moves_nothing = config.where == placement::split && config.function == function_kind::forward;
    p.notices.push_back(
        moves_nothing
            ? fmt::format("payloads stay in pinned host memory: {} cannot write to a GPU's, and forward reaches none",
                          others)
            : fmt::format("{} in GPU memory go through pinned host memory: {} cannot write there",
                          config.where == placement::split ? "payloads" : "packets", others));
    return;
  }
  if (config.gpu.indexes.size() > 1) {
    throw usage_error(fmt::format(
        "{}: ports that write to GPU memory write to one GPU's, and -g lists {}; give one, or a run for each", option,
        config.gpu.indexes.size()));
  }
}

void plan_memory(plan& p) {
  auto& config = p.config;
  for (auto& pipeline : p.pipelines)
    pipeline.ring_slots = config.ring_slots != 0 ? config.ring_slots : slots_for(config);
  std::uint64_t packets = config.extra_packets;
  for (auto const& port : p.ports) {
    packets += std::uint64_t{port.config.rx_queues} * port.config.rx_descriptors;
    packets += std::uint64_t{port.config.tx_queues} * port.config.tx_descriptors;
  }
  for (auto const& pipeline : p.pipelines) {
    packets += std::uint64_t{config.burst} * (pipeline.ring_slots + 2);  // in the ring, and waiting for the TX queue
    if (config.workers == arrangement::isolated_rx) packets += config.isolated_ring;
  }
  // A cache may hold half as much again as its size before it gives back.
  packets += p.workers.size() * config.pool_cache * 3 / 2;
  constexpr std::uint64_t most = RTE_RING_SZ_MASK;  // free packets are kept in a ring
  if (packets > most) {
    throw usage_error(
        fmt::format("packet pool: {} packets needed, a pool holds at most {}; use fewer pipelines (-p), descriptors "
                    "(--rxd, --txd), "
                    "a smaller burst (-b) or --isolated-ring",
                    packets, most));
  }
  // One less than a power of two is what a mempool's ring stores without waste.
  auto const total = std::bit_ceil(std::max<std::uint64_t>(packets, 2048) + 1) - 1;
  p.pool = {.name = "packetwarp_packets",
            .packets = static_cast<std::uint32_t>(total),
            .data_room = config.data_room,
            .cache = config.pool_cache,
            .socket = -1,
            .gpu = config.where == placement::device && p.route == packet_route::direct ? config.gpu.indexes[0] : -1};
  if (config.where == placement::split && p.route == packet_route::direct) {
    p.payload_pool = p.pool;
    p.payload_pool.name = "packetwarp_payloads";
    p.payload_pool.gpu = config.gpu.indexes[0];
    p.pool.data_room = split_header_bytes;
  }
}

}  // namespace

std::string_view to_string(arrangement how) {
  switch (how) {
    case arrangement::run_to_completion:
      return "run-to-completion";
    case arrangement::pair:
      return "pair";
    case arrangement::pair_cpu:
      return "pair-cpu";
    case arrangement::isolated_rx:
      return "isolated-rx";
  }
  return "unknown";
}

std::string_view to_string(function_kind what) {
  switch (what) {
    case function_kind::forward:
      return forward::name;
    case function_kind::swap_payload:
      return swap_payload::name;
  }
  return "unknown";
}

std::string_view to_string(job_kind kind) {
  switch (kind) {
    case job_kind::isolate:
      return "isolate";
    case job_kind::receive:
      return "receive";
    case job_kind::give:
      return "give";
    case job_kind::execute:
      return "execute";
    case job_kind::transmit:
      return "transmit";
  }
  return "unknown";
}

plan make_plan(data_plane_config config, machine_facts const& machine) {
  plan p{.config = std::move(config),
         .ports = {},
         .pipelines = {},
         .workers = {},
         .pool = {},
         .payload_pool = {},
         .route = {},
         .notices = {}};
  auto const ports = chosen_ports(p.config, machine);
  plan_pipelines(p, ports);
  plan_workers(p, machine);
  plan_gpus(p);
  plan_placement(p);
  plan_memory(p);
  return p;
}

}  // namespace packetwarp
