// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "telemetry/metrics_text.h"
#include "telemetry/run_report.h"

namespace packetwarp::telemetry {
namespace {

[[nodiscard]] labels with(labels all, std::string_view name, std::string value) {
  all.push_back({name, std::move(value)});
  return all;
}

// The names of ports that are a network's interfaces.
[[nodiscard]] labels with_interface(labels all, std::string const& name) {
  return name.empty() ? all : with(std::move(all), "interface", name);
}

[[nodiscard]] labels of(pipeline_report const& p) {
  return with_interface({{"pipeline", std::to_string(p.id)}}, p.interface);
}
[[nodiscard]] labels of(port_report const& p) {
  return with_interface({{"port", std::to_string(p.id)}, {"name", p.name}}, p.interface);
}
[[nodiscard]] labels of(twin_report const& k) { return {{"interface", k.name}, {"port", std::to_string(k.port)}}; }
[[nodiscard]] labels of(worker_report const& w) { return {{"lcore", std::to_string(w.lcore)}, {"role", w.role}}; }
// A family with a sample per report.
template <class Report>
void add(metrics_text& to, family const& next, std::vector<Report> const& reports, std::uint64_t Report::*value) {
  to.begin(next);
  for (auto const& report : reports) to.sample(of(report), report.*value);
}

// Every possible name has a sample, from 0 on: rate() then sees the first count as an increase, too.
template <class Names>
void add_drops(metrics_text& to, labels const& common, drop_counts const& drops, Names const& names) {
  auto const count = [&](std::string_view name, std::uint64_t packets) {
    to.sample(with(common, "reason", std::string{name}), packets);
  };
  for (auto const& name : names) {
    auto const found = std::find_if(drops.begin(), drops.end(), [&](auto const& one) { return one.name == name; });
    count(name, found == drops.end() ? 0 : found->packets);
  }
  for (auto const& drop : drops) {
    if (std::find(names.begin(), names.end(), drop.name) == names.end()) count(drop.name, drop.packets);
  }
}

void add_number(metrics_text& to, family const& next, std::uint64_t value) {
  to.begin(next);
  to.sample({}, value);
}

void add_run(metrics_text& to, run_report const& r) {
  to.begin({"build", "info", "What runs."});
  to.sample({{"version", r.version},
             {"command", r.command},
             {"executor", r.executor},
             {"placement", r.placement},
             {"burst", std::to_string(r.burst)}},
            std::uint64_t{1});
  to.begin({"uptime_seconds", "gauge", "Since the start.", "seconds"});
  to.sample({}, r.elapsed_seconds);
}

void add_mirrors(metrics_text& to, std::vector<pipeline_report> const& pipelines) {
  if (std::none_of(pipelines.begin(), pipelines.end(), [](auto const& p) { return p.mirror.has_value(); })) return;
  to.begin({"packets_mirrored", "counter", "Copies of packets that a mirror port took."});
  for (auto const& p : pipelines) {
    if (p.mirror) to.sample(of(p), p.mirror->sent);
  }
  to.begin({"packets_not_mirrored", "counter", "Packets without the copy that they should have had, by reason."});
  for (auto const& p : pipelines) {
    if (p.mirror) add_drops(to, of(p), p.mirror->lost, p.mirror->lost_names);
  }
}

void add_pipelines(metrics_text& to, run_report const& all) {
  auto const& pipelines = all.pipelines;
  using p = pipeline_report;
  add(to, {"packets_received", "counter", "Packets received from a port."}, pipelines, &p::rx);
  add(to, {"packets_sent", "counter", "Packets taken by a port."}, pipelines, &p::tx);
  add(to, {"packets_punted", "counter", "Packets given to the control plane, each time."}, pipelines, &p::punted);
  add(to, {"packets_handed_over", "counter", "Packets given to a pipeline of another GPU, which has their state."},
      pipelines, &p::handed_over);
  to.begin({"packets_dropped", "counter", "Packets dropped, by reason."});
  for (auto const& one : pipelines) add_drops(to, of(one), one.dropped, one.drop_names);
  add_mirrors(to, pipelines);
  add_number(to, {"packets_in_flight", "gauge", "Received, and neither sent nor dropped nor punted yet."},
             all.packets.in_flight);
  add(to, {"bursts", "counter", "Bursts of packets formed."}, pipelines, &p::bursts);
  add(to, {"ring_full", "counter", "Polls left out because every slot of the burst ring was in use."}, pipelines,
      &p::ring_full);
  add_number(to, {"pipelines_failed_over", "gauge", "Whose GPU failed and whose packets the CPU handles since."},
             all.failed_over);
  if (all.failover_ms) {
    to.begin({"gpu_failover_seconds", "gauge",
              "From the first sign of a GPU's failure to the first packet of the CPU's.", "seconds"});
    to.sample({}, *all.failover_ms / 1e3);
  }
  add_number(to, {"packets_checked", "counter", "Packets of the GPU that were compared with the CPU's results."},
             all.checked.packets);
  add_number(to, {"packets_checked_wrong", "counter", "Packets among these that differed."}, all.checked.wrong);
}

void add_latency(metrics_text& to, run_report const& all) {
  to.begin(
      {"latency_seconds", "histogram", "From a burst's first packet received to its verdicts, by packet.", "seconds"});
  for (auto const& p : all.pipelines) {
    auto const& seen = p.latency;
    for (std::size_t i = 0; i < seen.bounds.size(); ++i) {
      to.sample("_bucket", with(of(p), "le", metrics_number(seen.bounds[i])), seen.at_most[i]);
    }
    to.sample("_bucket", with(of(p), "le", "+Inf"), seen.packets);
    to.sample("_count", of(p), seen.packets);
    to.sample("_sum", of(p), seen.seconds);
  }
}

void add_workers(metrics_text& to, std::vector<worker_report> const& workers) {
  to.begin({"worker_busy_ratio", "gauge",
            "Share of an lcore's time in loop iterations that moved packets, since the start.", "ratio"});
  for (auto const& w : workers) to.sample(of(w), w.busy);
  add(to, {"worker_busy_cycles", "counter", "TSC cycles of an lcore's loop iterations that moved packets."}, workers,
      &worker_report::busy_cycles);
  add(to, {"worker_idle_cycles", "counter", "TSC cycles of an lcore's loop iterations that moved none."}, workers,
      &worker_report::idle_cycles);
  add(to, {"worker_loops", "counter", "Loop iterations of an lcore."}, workers, &worker_report::loops);
  auto const stages = [&](family const& next, std::uint64_t stage_report::*value) {
    to.begin(next);
    for (auto const& w : workers) {
      for (auto const& stage : w.stages) {
        to.sample({{"lcore", std::to_string(w.lcore)}, {"stage", stage.name}}, stage.*value);
      }
    }
  };
  stages({"stage_calls", "counter", "Calls of a job that moved packets, in the timed loop iterations."},
         &stage_report::calls);
  stages({"stage_packets", "counter", "Packets that these moved."}, &stage_report::packets);
  stages({"stage_cycles", "counter", "TSC cycles that these took."}, &stage_report::cycles);
}

// For drivers that count by queue.
void add_rx_queues(metrics_text& to, family const& next, std::vector<port_report> const& ports,
                   std::uint64_t rx_queue_report::*value) {
  to.begin(next);
  for (auto const& port : ports) {
    for (auto const& queue : port.rx_queues)
      to.sample(with(of(port), "queue", std::to_string(queue.queue)), queue.*value);
  }
}

void add_ports(metrics_text& to, std::vector<port_report> const& ports) {
  using p = port_report;
  auto const flag = [&](family const& next, bool (*is_set)(std::string const& state)) {
    to.begin(next);
    for (auto const& port : ports) to.sample(of(port), std::uint64_t{is_set(port.state)});
  };
  flag({"port_up", "gauge", "1 while the port is there and its link up."}, [](auto const& s) { return s == "up"; });
  flag({"port_present", "gauge", "0 once the port's device was taken away or its kernel interface deleted."},
       [](auto const& s) { return s == "up" || s == "down"; });
  add(to, {"port_packets_received", "counter", "Packets that the port received (ipackets)."}, ports, &p::rx_packets);
  add(to, {"port_packets_sent", "counter", "Packets that the port sent (opackets)."}, ports, &p::tx_packets);
  add(to, {"port_received_bytes", "counter", "Bytes that the port received (ibytes).", "bytes"}, ports, &p::rx_bytes);
  add(to, {"port_sent_bytes", "counter", "Bytes that the port sent (obytes).", "bytes"}, ports, &p::tx_bytes);
  add(to, {"port_missed", "counter", "Packets that found no descriptor (imissed)."}, ports, &p::imissed);
  add(to, {"port_receive_errors", "counter", "Packets received with an error (ierrors)."}, ports, &p::ierrors);
  add(to, {"port_send_errors", "counter", "Packets that could not be sent (oerrors)."}, ports, &p::oerrors);
  add(to, {"port_no_mbuf", "counter", "Receptions that found no mbuf (rx_nombuf)."}, ports, &p::rx_nombuf);
  add(to, {"port_restarts", "counter", "Starts of the port after its physical function was reset."}, ports,
      &p::restarts);
  add_rx_queues(to, {"rx_queue_packets", "counter", "Packets that an RX queue received."}, ports,
                &rx_queue_report::packets);
  add_rx_queues(to, {"rx_queue_missed", "counter", "Packets that found no descriptor in an RX queue."}, ports,
                &rx_queue_report::missed);
}

void add_control(metrics_text& to, control_report const& control) {
  to.begin({"control_packets_punted", "counter", "Packets that came to the control plane, by reason."});
  add_drops(to, {}, control.punted, control.punt_names);
  if (!control.classes.empty()) {
    to.begin({"control_class_packets", "counter", "Packets at the control plane's entrance, by class."});
    for (auto const& one : control.classes) {
      to.sample({{"class", one.name}, {"outcome", "taken"}}, one.taken);
      to.sample({{"class", one.name}, {"outcome", "full"}}, one.full);
      to.sample({{"class", one.name}, {"outcome", "limited"}}, one.limited);
    }
  }
  add_number(to, {"control_frames_sent", "counter", "Frames that the control plane sent."}, control.sent);
  add_number(to, {"control_packets_put_back", "counter", "Packets that it put before the function again."},
             control.put_back);
  to.begin({"control_packets_dropped", "counter", "The fates of the others, by name."});
  add_drops(to, {}, control.dropped, control.drop_names);
}

void add_kernel(metrics_text& to, std::vector<twin_report> const& twins) {
  using k = twin_report;
  to.begin({"kernel_interface_present", "gauge", "0 once a kernel interface beside a port was deleted."});
  for (auto const& one : twins) to.sample(of(one), std::uint64_t{one.state != "lost"});
  add(to, {"kernel_packets_taken", "counter", "Packets that a kernel interface took."}, twins, &k::to_kernel);
  add(to, {"kernel_packets_read", "counter", "Packets that came from a kernel interface."}, twins, &k::from_kernel);
  add(to, {"kernel_packets_sent", "counter", "Packets among these that the port took."}, twins, &k::sent);
  to.begin({"kernel_packets_dropped", "counter", "Packets dropped between a port and its kernel interface."});
  for (auto const& one : twins) {
    add_drops(to, with(of(one), "direction", "to"), one.dropped_in, k::in_names);
    add_drops(to, with(of(one), "direction", "from"), one.dropped_out, k::out_names);
  }
}

void add_logs(metrics_text& to, std::vector<log_report> const& logs) {
  to.begin({"log_lines_written", "counter", "Lines of a log that were written."});
  for (auto const& log : logs) to.sample({{"log", log.name}}, log.written);
  to.begin(
      {"log_lines_lost", "counter", "Lines of a log that found no room, because its reader or disk was too slow."});
  for (auto const& log : logs) to.sample({{"log", log.name}}, log.lost);
}

}  // namespace

std::string to_metrics(run_report const& report, exposition format) {
  metrics_text text{format};
  add_run(text, report);
  add_pipelines(text, report);
  add_latency(text, report);
  add_workers(text, report.workers);
  add_ports(text, report.ports);
  if (report.control) add_control(text, *report.control);
  if (!report.twins.empty()) add_kernel(text, report.twins);
  for (auto const& part : report.parts) part->add_metrics(text);
  if (!report.logs.empty()) add_logs(text, report.logs);
  return std::move(text).end();
}

}  // namespace packetwarp::telemetry
