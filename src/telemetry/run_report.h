// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/histogram.h"
#include "telemetry/host_info.h"
#include "telemetry/metrics_text.h"
#include "telemetry/report_part.h"
#include "telemetry/traffic.h"

namespace packetwarp::telemetry {

// Drops by name, in the order in which the names were first added.
struct drop_count {
  std::string name{};
  std::uint64_t packets{};
};
using drop_counts = std::vector<drop_count>;
void add_drops(drop_counts& to, std::string_view name, std::uint64_t packets);
[[nodiscard]] std::uint64_t total(drop_counts const& drops);

// Microseconds from the receipt of a burst's first packet to its verdicts, per packet.
struct latency_percentiles {
  double p50{};
  double p99{};
  double p999{};
};
// The percentiles in microseconds; nothing if nothing was recorded.
[[nodiscard]] std::optional<latency_percentiles> in_microseconds(histogram_snapshot const& cycles,
                                                                 double cycles_per_second);

// The fates of a run's packets, from its start to its end.
struct packet_counts {
  std::uint64_t rx{};
  std::uint64_t tx{};
  std::uint64_t punted{};  // and not put back
  std::uint64_t in_flight{};
  drop_counts dropped{};

  // Whether every packet that came is accounted for.
  [[nodiscard]] bool conserved() const { return rx == accounted(); }
  [[nodiscard]] std::uint64_t accounted() const { return tx + punted + in_flight + total(dropped); }
};

// Packets whose bytes and verdict after a GPU had them were compared with the CPU's result.
struct check_report {
  std::uint64_t packets{};
  std::uint64_t wrong{};
};

// The fate of a class of punts at the control plane's entrance.
struct punt_class_report {
  std::string name{};
  std::uint64_t taken{};
  std::uint64_t full{};     // dropped: too many waited
  std::uint64_t limited{};  // dropped: more than the limit of their port and reason
};

// The work of a control plane on the packets that were punted to it.
struct control_report {
  drop_counts punted{};  // by reason
  std::vector<punt_class_report> classes{};
  std::uint64_t sent{};  // its answers and questions, and packets that it had held
  std::uint64_t put_back{};
  std::uint64_t to_kernel{};  // handed to kernel interfaces, also straight from the data path
  drop_counts dropped{};
  std::vector<std::string> punt_names{}, drop_names{};  // all possible names
};

// The packets between a port and the kernel interface beside it.
struct twin_report {
  // All possible names of drops on the way to the kernel, and from it.
  static constexpr std::array<std::string_view, 3> in_names{"kernel_full", "kernel_lost", "shutdown"};
  static constexpr std::array<std::string_view, 6> out_names{"tx_full",   "tx_chained", "no_tx_queue",
                                                             "rule_drop", "no_room",    "shutdown"};

  std::string name{};  // of the interface
  unsigned port{};
  std::string driver{};
  std::string state{"here"};    // here, down (it was set down), lost (it was deleted)
  std::uint64_t handed_over{};  // by the data path and the control plane
  std::uint64_t received{};     // by RX queues of the port that are its own
  std::uint64_t to_control{};   // of the received: handed to the control plane
  std::uint64_t to_kernel{};
  drop_counts dropped_in{};
  std::uint64_t from_kernel{};
  std::uint64_t sent{};  // that the port took
  drop_counts dropped_out{};

  // Whether every packet is accounted for, in both directions.
  [[nodiscard]] bool conserved() const {
    return handed_over + received == to_kernel + to_control + total(dropped_in) &&
           from_kernel == sent + total(dropped_out);
  }
};

// The latency of packets since the start, from the receipt of a burst's first packet to its verdicts.
struct latency_distribution {
  // Upper bounds in seconds: 1, 2 and 5 of each power of ten.
  static constexpr std::array bounds{1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3,
                                     2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 2e-1, 5e-1, 1.0};
  std::array<std::uint64_t, bounds.size()> at_most{};  // packets that took no longer, within 1/64 of the bound
  std::uint64_t packets{};
  double seconds{};  // of all, summed, within 1/64
};
[[nodiscard]] latency_distribution distribution_of(histogram_snapshot const& cycles, double cycles_per_second);

// The fate of a log's lines.
struct log_report {
  std::string name{};  // stderr, events, or its module's
  std::uint64_t written{};
  std::uint64_t lost{};
};

// Copies of a pipeline's packets for a mirror port. Packets are counted without their copies.
struct mirror_report {
  std::uint64_t sent{};
  drop_counts lost{};                     // packets without the copy that they should have had, by reason
  std::vector<std::string> lost_names{};  // all possible names
};

struct pipeline_report {
  unsigned id{};
  std::string interface {};  // the RX port's name in the file of a network
  unsigned rx_port{}, rx_queue{};
  std::optional<unsigned> tx_port{};  // nothing: any port
  unsigned tx_queue{};
  std::uint64_t rx{}, tx{}, punted{};
  std::uint64_t handed_over{};  // to pipelines of other GPUs, which have their state
  drop_counts dropped{};
  std::vector<std::string> drop_names{};  // all possible names
  std::uint64_t bursts{};
  std::uint64_t ring_full{};  // polls skipped because every slot was in use
  std::optional<mirror_report> mirror{};
  std::optional<latency_percentiles> latency_us{};
  latency_distribution latency{};

  [[nodiscard]] double mean_burst() const {
    return bursts == 0 ? 0 : static_cast<double>(rx) / static_cast<double>(bursts);
  }
};

// A job of a worker, in the iterations that were timed job by job: the first, and one in sixteen.
struct stage_report {
  std::string name{};
  std::uint64_t calls{};  // polls that moved packets; the following are of these polls
  std::uint64_t packets{};
  std::uint64_t cycles{};

  // Nothing if the job moved no packets.
  [[nodiscard]] std::optional<double> cycles_per_packet() const;
  [[nodiscard]] std::optional<double> packets_per_call() const;
};

// Loop iterations of a thread over a threshold, and the jobs that took them.
struct big_loop_report {
  double over_us{};  // the threshold; 0: nothing was recorded
  std::uint64_t count{};
  double longest_us{};
  double longest_at_seconds{};  // of the run
  std::string longest_job{};    // empty: not known
  drop_counts by_job{};         // iterations by the job that took most of the time; unknown jobs are in count alone
};

struct worker_report {
  unsigned lcore{};
  std::string role{};
  std::vector<std::string> jobs{};
  std::vector<stage_report> stages{};          // of each job
  std::uint64_t busy_cycles{}, idle_cycles{};  // in iterations that moved packets, in all others
  double busy{};                               // share of its time in iterations that moved packets, 0 to 1
  std::optional<double> cycles_per_packet{};   // nothing when unknown
  std::uint64_t loops{};
  big_loop_report big_loops{};
  std::uint64_t messages{};          // of the master, carried out
  std::uint64_t message_timeouts{};  // messages that the master stopped waiting for
};

// An RX queue, as its port's driver counts it.
struct rx_queue_report {
  unsigned queue{};
  std::uint64_t packets{}, missed{};
};

// The names are rte_eth_stats'.
struct port_report {
  unsigned id{};
  std::string name{};
  std::string interface {};  // its name in the file of a network
  std::string driver{};
  std::string state{"up"};  // up, down (its link), lost (its kernel interface), removed (its device)
  std::uint64_t rx_packets{}, tx_packets{}, rx_bytes{}, tx_bytes{};
  std::uint64_t imissed{}, ierrors{}, oerrors{}, rx_nombuf{};
  std::uint64_t restarts{};                  // after resets by its physical function
  std::vector<rx_queue_report> rx_queues{};  // of the queues that the driver tells of
};

// The report of a forwarding run when it has ended, or of the moment while it runs. Rates are over the measured
// stretch, packets over the whole run.
struct run_report {
  std::string command{};
  std::string version{};
  std::string executor{};
  std::string placement{};
  std::uint32_t burst{};
  std::string phase{};     // running, draining or ended
  std::string ended_by{};  // signal, packets, idle, duration, ...; empty while it runs

  double elapsed_seconds{};     // since the start
  double seconds{};             // measured
  std::uint64_t measured_rx{};  // packets
  traffic measured_tx{};
  packet_counts packets{};
  std::optional<latency_percentiles> latency_us{};

  std::uint64_t failed_over{};  // pipelines whose GPU failed, and whose packets the CPU handled from then on
  std::optional<double> failover_last_ms{};  // to the first packet of the slowest pipeline on the CPU
  std::optional<double> failover_ms{};       // from the first sign of a GPU's failure to the first packet on the CPU

  big_loop_report master_looks{};  // the master's own

  check_report checked{};
  std::optional<control_report> control{};
  std::vector<twin_report> twins{};
  std::vector<std::shared_ptr<report_part const>> parts{};  // of modules, in their order

  std::vector<pipeline_report> pipelines{};
  std::vector<worker_report> workers{};
  std::vector<port_report> ports{};
  host_info host{};
  std::vector<log_report> logs{};
  std::vector<std::string> notices{};  // facts that a reader needs to judge the numbers

  // The rate of packets sent; 0 if no time was measured.
  [[nodiscard]] double mpps() const { return per_second(static_cast<double>(measured_tx.packets), seconds) / 1e6; }
  [[nodiscard]] double gbps_l1() const { return per_second(measured_tx.l1_bits(), seconds) / 1e9; }
  [[nodiscard]] double gbps_l2() const { return per_second(measured_tx.l2_bits(), seconds) / 1e9; }
};

// The report as tables for a terminal, with a line end.
[[nodiscard]] std::string to_text(run_report const& report);
// The report as one JSON object, without a line end. Numbers that are not finite, and unknown values, are null.
enum class json_layout : std::uint8_t { lines, one_line };
[[nodiscard]] std::string to_json(run_report const& report, json_layout layout = json_layout::lines);
// The report as an exposition, which Prometheus scrapes: counters since the start, in base units, each name with
// "packetwarp_" before it. Unknown values are left out.
[[nodiscard]] std::string to_metrics(run_report const& report, exposition format);

}  // namespace packetwarp::telemetry
