// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "burst/mbuf_ring.h"
#include "capture/packet_capture.h"
#include "egress/departure_hooks.h"
#include "executor/gpu/gpu_work.h"
#include "gpu/domain.h"
#include "gpu/gpu.h"
#include "master/gpu_watch.h"
#include "master/port_removals.h"
#include "master/port_restarts.h"
#include "master/twin_watch.h"
#include "memory/packet_pool.h"
#include "pipeline/pipeline.h"
#include "plan/plan.h"
#include "port/port.h"
#include "port/replay/rx_replay.h"
#include "punt/control_desk.h"
#include "twin/host_twin.h"
#include "twin/twin_job.h"
#include "twin/twin_link.h"
#include "worker/delay_job.h"
#include "worker/workforce.h"

namespace packetwarp {

// Sums over pipelines, at one moment.
struct data_plane_totals {
  // rx_bytes includes packets that the control plane has put back and bytes that functions have put in front of
  // packets, dropped_bytes punted packets and bytes that functions have removed: the difference is the bytes that were
  // sent or are in flight.
  std::uint64_t rx_packets{}, rx_bytes{}, tx_packets{}, punted{}, dropped_packets{}, dropped_bytes{}, bursts{},
      ring_full{};
  std::uint64_t returned{};          // by the control plane, from the punted packets
  std::uint64_t big_loops{};         // of all workers
  cycles first_seen{}, last_seen{};  // of polls that found packets; 0 before the first

  [[nodiscard]] std::uint64_t gone() const { return tx_packets + punted + dropped_packets; }
  [[nodiscard]] std::uint64_t in_flight() const {
    auto const come = rx_packets + returned;
    return come > gone() ? come - gone() : 0;
  }
};

// The domains of GPUs, by their index.
using gpu_domains = std::map<int, std::shared_ptr<gpu_domain>>;

// An applied plan: GPUs opened, ports started, pools, pipelines and workers made, jobs dealt. Forwards while it runs.
class data_plane {
 public:
  // Makes the function's tables after the ports have been started. The tables outlive the data plane.
  using table_maker = std::function<function_tables(std::deque<port>&)>;

  // Throws usage_error or failure, and then leaves nothing half made. tables: the function's; they outlive the data
  // plane.
  explicit data_plane(plan planned, function_tables const& tables = {})
      : data_plane{std::move(planned), [tables](std::deque<port>&) { return tables; }} {}
  // domains: those of GPUs that already have tables; the others are made.
  data_plane(plan planned, table_maker const& make_tables, gpu_domains domains = {});

  [[nodiscard]] plan const& planned() const { return plan_; }
  // The pool of the first pipeline, or of all pipelines.
  [[nodiscard]] packet_pool const& pool() const { return pools_.front(); }
  // A single pool for all pipelines, or a pool for each; then the pool of payloads, if ports split packets.
  [[nodiscard]] std::deque<packet_pool> const& pools() const { return pools_; }
  [[nodiscard]] packet_pool const* payload_pool() const { return payload_pool_ ? &*payload_pool_ : nullptr; }
  [[nodiscard]] std::deque<port> const& ports() const { return ports_; }
  [[nodiscard]] std::deque<pipeline> const& pipelines() const { return pipelines_; }
  // The place where punted packets wait for the master; nullptr if the function punts none.
  [[nodiscard]] control_desk* desk() { return desk_ ? &*desk_ : nullptr; }
  // Egress hooks for packets that no pipeline's function sends; nullptr without hooks.
  [[nodiscard]] departure_hooks const* departures() const { return departures_; }
  // Kernel interfaces by the position of their ports, nullptr for a port without one.
  [[nodiscard]] std::vector<twin_link*> const& twin_links() const { return links_by_port_; }
  // For the master: carries the packets of kernel interfaces that no worker serves; returns the number of packets.
  std::uint32_t serve_twins(tick const& t);
  [[nodiscard]] bool serves_twins() const { return !masters_.empty(); }
  // For the master: removes the routes that announce this machine, from the kernel; logs the kernel's refusals.
  void withdraw_routes();
  // For the master, at the end: leaves the kernel interfaces to the next run.
  void keep_twins();
  // Called after the workers' end: packets that kernel interfaces still hold are dropped, by name.
  void give_up_twins();
  // The point at which packets are captured as they pass.
  [[nodiscard]] capture_point& captures() { return *captures_; }
  [[nodiscard]] capture_point const& captures() const { return *captures_; }
  // For other owners' jobs, which are added before run().
  [[nodiscard]] workforce& workers() { return workforce_; }
  [[nodiscard]] workforce const& workers() const { return workforce_; }

  // Starts the executors, runs the workforce (workforce::run()) and stops the executors. Called once.
  void run(workforce::master& master, std::chrono::milliseconds grace);

  // GPUs in use, by their index.
  [[nodiscard]] std::map<int, gpu_facts> const& gpus() const { return gpus_; }
  // Whether work on a GPU did not end when it was told to: the memory that it can reach must be left to the process.
  // Call it after run().
  [[nodiscard]] bool runs_on() const { return runs_on_; }
  // The number of pipelines whose GPU has failed, so that the CPU handles their packets.
  [[nodiscard]] std::uint64_t failed_over() const;
  // For the master, once per loop iteration: gives up GPUs that have failed.
  void look_after_gpus(cycles now) const;
  // For the master, once per loop iteration: gives back devices that are being removed, and restarts ports that have
  // been reset. Throws failure.
  void look_after_ports(cycles now) {
    removals_->look(now);
    restarts_->look(now);
  }
  // The same: detects kernel interfaces that are deleted or renamed.
  void look_after_twins(cycles now) { twin_watch_->look(now); }
  // The loss of the first domain that was lost; nothing if all domains work.
  [[nodiscard]] std::optional<gpu_loss> loss() const;
  // The counts of the GPUs' checked work.
  [[nodiscard]] check_counts checked() const;

  // The latency of packets over all pipelines, from reception until they are ready to send.
  [[nodiscard]] telemetry::histogram_snapshot latency() const;

  // Departures are read before arrivals, so that in_flight() is never too small.
  [[nodiscard]] data_plane_totals totals() const;

 private:
  void add_notices(std::vector<std::string> const& more);
  void bind_hairpins();
  void start_replays();
  void make_links();
  void make_handovers();
  void make_twin_job(planned_twin const& planned, twin_link& link);
  void steer_by_port(planned_twin const& planned);
  void add_jobs();
  void watch_ports();
  void leave(port_id gone);
  void abandon(port_id gone);
  [[nodiscard]] bool has_address_flows(port_id in) const;
  [[nodiscard]] bool has_drained(port_id from) const;
  [[nodiscard]] port const& port_of(port_id id) const;
  [[nodiscard]] pipeline_surroundings surroundings_of(planned_pipeline const& p, gpu_facts const& gpu,
                                                      function_tables const& tables);
  [[nodiscard]] std::uint16_t position_of(port_id id) const;
  [[nodiscard]] rx_pools pools_of(planned_port const& p) const;
  // The pipelines' work on GPUs, in the order of the pipelines.
  [[nodiscard]] std::vector<gpu_work*> gpu_works() const;
  void stop_executors();
  plan plan_;
  std::map<int, gpu_facts> gpus_;
  gpu_domains domains_;
  std::deque<packet_pool> pools_;  // they outlive ports and pipelines, which hold their packets
  std::optional<packet_pool> payload_pool_;
  std::deque<port> ports_;
  std::deque<rx_replay> replays_;
  hairpin_bindings hairpins_;
  std::optional<control_desk> desk_;
  std::deque<mbuf_ring> handed_;  // by pipeline, if GPUs hand over packets to each other; otherwise empty
  departure_hooks const* departures_{};
  std::deque<twin_link> links_;
  std::vector<twin_link*> links_by_port_;
  std::deque<host_twin> twins_;
  std::deque<port_flows> address_flows_;
  std::unique_ptr<capture_point> captures_{std::make_unique<capture_point>()};
  epoch_origin epochs_;
  std::deque<pipeline> pipelines_;
  std::deque<twin_job> twin_jobs_;
  std::vector<twin_job*> masters_;  // those of twin_jobs_ that the master polls
  std::deque<delay_job> delays_;
  workforce workforce_;
  std::vector<memory_registration> registrations_;  // of pools_, and of other owners' pools whose packets arrive
  bool runs_on_{false};
  std::optional<gpu_watch> gpu_watch_;
  std::optional<twin_watch> twin_watch_;
  std::optional<removal_signs> signs_;
  std::optional<port_restarts> restarts_;  // destroyed first: it may be starting or closing a port
  std::optional<port_removals> removals_;
};

}  // namespace packetwarp
