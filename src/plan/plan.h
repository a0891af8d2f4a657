// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory/packet_pool.h"
#include "plan/config.h"
#include "plan/cpu_topology.h"
#include "port/port_config.h"
#include "port/port_facts.h"

namespace packetwarp {

// An lcore of the EAL's.
struct lcore_facts {
  lcore_id id;
  std::string cpus;  // the CPUs that it may run on, as a list: "3" or "0-1"
  int socket{-1};
};

// A GPU that a plan uses.
struct planned_gpu {
  int index{};                 // CUDA's
  std::string name{};          // empty: this machine has no such GPU
  std::string pci_address{};   // "0000:1b:00.0"
  int socket{-1};              // NUMA node, -1 unknown
  int multiprocessors{};       // 0: unknown
  std::size_t shared_bytes{};  // most of a block of threads; 0: unknown
};

// The machine that a plan is made for: a struct, so that tests can describe any machine.
struct machine_facts {
  lcore_facts main;
  std::vector<lcore_facts> others;
  std::vector<port_facts> ports;
  cpu_topology cpus{};
  std::vector<planned_gpu> gpus{};
};
// Finds GPUs only if this executor needs one: the search takes a while.
[[nodiscard]] machine_facts read_machine(executor_kind for_executor = executor_kind::cpu);

enum class job_kind : std::uint8_t { isolate, receive, give, execute, transmit };
[[nodiscard]] std::string_view to_string(job_kind kind);

struct planned_job {
  job_kind kind;
  std::size_t pipeline;
};

struct planned_worker {
  lcore_facts lcore;
  std::string role;  // master, forwarding, execute, transmit, isolated-receive, kni, or "master + forwarding"
  std::vector<planned_job> jobs;
};

// A TX queue that a pipeline sends by.
struct planned_egress {
  port_id port;
  queue_id queue;
};

// Packets that wait between a pipeline and the pipelines of other GPUs that hand them over to it: as many as these may
// finish at once.
inline constexpr std::uint32_t handover_room = 4096;

struct planned_pipeline {
  pipeline_id id;
  port_id rx_port;
  queue_id rx_queue;
  std::vector<planned_egress> egresses;  // by their egress_index; only the peer, or all ports in the plan's order
  std::uint32_t isolated_ring{};         // packets between an isolated receiver and it; 0: it polls the queue itself
  std::uint32_t ring_slots{};
  int gpu{-1};                   // CUDA index, -1 for none
  std::uint16_t gpu_position{};  // of that GPU among the config's
  // By GPU: the pipeline that takes this one's packets whose state that GPU has. Empty if no packet is handed over.
  std::vector<std::size_t> hands_to{};
  bool gives_apart{};          // bursts are given to the GPU by one worker and collected by another
  std::uint32_t gpu_blocks{};  // of its persistent kernel or its graph
  // While this number of bursts are at its executor, a burst that is not full waits for more packets.
  std::uint32_t bursts_at_once{1};
  packet_route route{packet_route::direct};
};

// The kni worker's queues of one port; no other worker uses these.
struct planned_kni_port {
  port_id port;
  std::vector<queue_id> rx_queues;  // of packets for the kernel
  std::vector<queue_id> tx_queues;  // empty: the kernel's packets for this port are dropped, by name
};

struct planned_kni {
  std::string place;  // of the worker in the file
  lcore_id lcore;
  std::vector<planned_kni_port> ports;
};

// A kernel interface beside a port, and the worker and queues that carry its packets.
struct planned_twin {
  twin_config config;
  std::size_t port{};               // position among the plan's
  std::optional<lcore_id> lcore{};  // of its kni worker; nothing: the master
  std::vector<queue_id> rx_queues{};
  twin_way_out out{twin_way_out::by_desk};
  queue_id tx_queue{};  // of by_queue
};

// The most packets and bytes that a control plane holds beside the pipelines: first packets of the pool, then its own.
struct planned_control {
  std::uint64_t punted{};    // packets that wait for it
  std::uint64_t doors{};     // packets that it sends or puts back, until a pipeline takes them
  std::uint64_t awaiting{};  // packets whose neighbour has been asked for its MAC address
  std::uint64_t at_work{};   // packets that it has in hand
  std::uint64_t fragments{};
  std::uint64_t datagrams{};  // in fragments
  std::uint64_t fragment_bytes{};

  [[nodiscard]] std::uint64_t packets() const { return punted + doors + awaiting + at_work; }
};

struct planned_port {
  port_facts facts;
  port_config config;
  std::shared_ptr<frame_list const> replayed{};  // that the port receives (port/replay/rx_replay.h)
};

// Each worker's jobs and queues, and the memory for them: all decisions that precede the start.
struct plan {
  data_plane_config config;
  std::vector<planned_port> ports;
  std::vector<planned_pipeline> pipelines;
  std::vector<planned_worker> workers;  // the master first
  std::optional<planned_kni> kni;       // its worker is in `workers`, without jobs of pipelines
  std::vector<planned_twin> twins;
  std::optional<planned_control> control{};  // if the function punts
  std::vector<planned_gpu> gpus;             // that pipelines use
  packet_pool_config pool;
  std::uint16_t pools{1};           // packet pools: one for all, or one per pipeline
  packet_pool_config payload_pool;  // of ports that split packets; pool then has the headers. Without a name: none
  packet_route route{packet_route::direct};  // the packets' way to their placement
  std::vector<std::string> notices;          // parts that work but could be better
};

// Throws usage_error if the executor cannot access packets in this placement. Part of make_plan(); for callers that
// know their configuration before they know the machine. Pure.
void require_reachable_packets(data_plane_config const& config);

// Throws usage_error if packets will be overwritten and the CPU cannot write them in this placement.
void require_writable_packets(data_plane_config const& config);

// Throws usage_error for an impossible configuration. Pure.
[[nodiscard]] plan make_plan(data_plane_config config, machine_facts const& machine);

// A port whose queues the kni worker has and that has no kernel interface beside it; nothing if all of them have one.
[[nodiscard]] std::optional<port_id> kni_port_without_twin(plan const& p);

// The plan as text for a person.
[[nodiscard]] std::string describe(plan const& p);

// The plan as a picture: by NUMA node its CPUs with their workers and pipelines, ports and GPUs. names: of the ports
// for people, in their order; empty: their numbers.
[[nodiscard]] std::string draw(plan const& p, std::span<std::string const> names);

}  // namespace packetwarp
