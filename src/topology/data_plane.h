// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "memory/gpu.h"
#include "memory/packet_pool.h"
#include "port/port.h"
#include "topology/pipeline.h"
#include "topology/plan.h"
#include "topology/workforce.h"

namespace packetwarp {

// Sums over pipelines, at one moment.
struct data_plane_totals {
  std::uint64_t rx_packets{}, rx_bytes{}, tx_packets{}, punted{}, dropped_packets{}, dropped_bytes{}, bursts{},
      ring_full{};
  cycles first_seen{}, last_seen{};  // of polls that found packets; 0 before there was one

  [[nodiscard]] std::uint64_t gone() const { return tx_packets + punted + dropped_packets; }
  [[nodiscard]] std::uint64_t in_flight() const { return rx_packets > gone() ? rx_packets - gone() : 0; }
};

// A plan, applied: GPUs opened, ports started, pool, pipelines and workers made, jobs dealt. Forwards while it runs.
class data_plane {
 public:
  // Throws usage_error or failure; nothing is left half made.
  explicit data_plane(plan planned);

  [[nodiscard]] plan const& planned() const { return plan_; }
  // Of the first pipeline, or of all.
  [[nodiscard]] packet_pool const& pool() const { return pools_.front(); }
  [[nodiscard]] std::deque<port> const& ports() const { return ports_; }
  [[nodiscard]] std::deque<pipeline> const& pipelines() const { return pipelines_; }
  // To add jobs of others to, before running it.
  [[nodiscard]] workforce& workers() { return workforce_; }
  [[nodiscard]] workforce const& workers() const { return workforce_; }

  // Starts the executors, runs the workforce (see there) and stops the executors. Once.
  void run(workforce::master& master, std::chrono::milliseconds grace);

  // GPUs in use, by their index.
  [[nodiscard]] std::map<int, gpu_facts> const& gpus() const { return gpus_; }
  // Work on a GPU did not end when it was told to: what it can reach is to be left to the process. After run().
  [[nodiscard]] bool runs_on() const { return runs_on_; }
  // Pipelines whose GPU has failed, and whose packets the CPU handles.
  [[nodiscard]] std::uint64_t failed_over() const;
  // What was looked at of the GPUs' work.
  [[nodiscard]] check_counts checked() const;

  // From rx to ready to send, by packet, over all pipelines.
  [[nodiscard]] telemetry::histogram_snapshot latency() const;

  // Departures are read before arrivals, so that in_flight() is never too small.
  [[nodiscard]] data_plane_totals totals() const;

 private:
  [[nodiscard]] port const& port_of(port_id id) const;
  [[nodiscard]] rx_pools pools_of(planned_port const& p) const;
  void stop_executors();
  // Until told to stop: asks after every executor's GPU.
  void watch_executors(std::stop_token const& stop);
  plan plan_;
  std::map<int, gpu_facts> gpus_;
  std::deque<packet_pool> pools_;  // they outlive ports and pipelines, which hold their packets
  std::optional<packet_pool> payload_pool_;
  std::deque<port> ports_;
  std::deque<pipeline> pipelines_;
  workforce workforce_;
  std::vector<memory_registration> registrations_;  // of pools_, and of the pools of others whose packets come through
  bool runs_on_{false};
};

}  // namespace packetwarp
