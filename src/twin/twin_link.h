// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "burst/mbuf_ring.h"
#include "telemetry/counter.h"
#include "twin/twin_config.h"

namespace packetwarp {

// The fates of a kernel interface's packets. Each part has one writer; any thread may read.
struct alignas(64) twin_counters {
  // Written by the job that serves it: received + handed over = to_kernel + to_control + kernel_full +
  // kernel_lost + shutdown.
  telemetry::counter received;    // by RX queues of the port that are the kernel's
  telemetry::counter to_kernel;   // that its interface took
  telemetry::counter to_control;  // of the received: ARP and neighbour discovery, for the control plane
  telemetry::counter lost;        // its interface was deleted
  telemetry::counter full;  // its interface took nothing for the time-out, or the control plane was late or limits it
  // Out: from_kernel = sent + tx_full + tx_chained + no_tx_queue + rule_drop + no_room + shutdown, counted here and in
  // the data path.
  telemetry::counter from_kernel;
  telemetry::counter sent;
  telemetry::counter tx_full;
  telemetry::counter tx_chained;
  telemetry::counter no_tx_queue;  // its worker has no TX queue of the port
  telemetry::counter rule_drop;    // an egress rule of the port said so
  telemetry::counter no_room;      // the ring to the data path was full
  telemetry::counter shutdown_in;  // left over at the end
  telemetry::counter shutdown_out;
};

// Written by the TX job that sends the packets which the master hands to the data path.
struct alignas(64) twin_departures {
  telemetry::counter sent;
  telemetry::counter tx_full;
};

// Written by the master.
struct alignas(64) twin_handed {
  telemetry::counter packets;  // from the control plane
  telemetry::counter full;
};

// A kernel interface as the data path knows it: the place for its packets, and the counts of their fates.
class twin_link {
 public:
  // Room for bursts of a TCP connection with a large window.
  static constexpr std::uint32_t room = 4096;

  twin_link(twin_config const& config, std::uint16_t port);

  // Takes the packets that it has room for, from the first on; returns how many. The caller still owns the rest. Any
  // thread.
  [[nodiscard]] std::uint32_t hand_over(std::span<rte_mbuf*> packets) { return handed_.put(packets); }
  // Only the job that serves the interface makes the calls from here on.
  [[nodiscard]] std::uint32_t take(std::span<rte_mbuf*> into) { return handed_.take(into); }

  [[nodiscard]] twin_config const& config() const { return config_; }
  // The position of its port among the plan's.
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // The interface was set down, or is up again; until then it takes no packets. Called by the master.
  void note_down() {
    downs_.store(downs() + 1, std::memory_order_relaxed);
    is_down_.store(true, std::memory_order_relaxed);
  }
  void note_up() { is_down_.store(false, std::memory_order_relaxed); }
  // Any thread.
  [[nodiscard]] bool is_down() const { return is_down_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint32_t downs() const { return downs_.load(std::memory_order_relaxed); }
  // The interface was deleted: from here on its packets are dropped as kernel_lost. Called by the master.
  void note_gone() { is_gone_.store(true, std::memory_order_relaxed); }
  // Any thread.
  [[nodiscard]] bool is_gone() const { return is_gone_.load(std::memory_order_relaxed); }

  twin_counters counters;
  twin_departures departures;
  twin_handed handed;

 private:
  twin_config config_;
  std::uint16_t port_;
  mbuf_ring handed_;
  std::atomic<std::uint32_t> downs_{0};  // how often it was set down
  std::atomic<bool> is_down_{false};
  std::atomic<bool> is_gone_{false};
};

}  // namespace packetwarp
