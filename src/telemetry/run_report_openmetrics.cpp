// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>

#include "telemetry/run_report.h"

namespace packetwarp::telemetry {
namespace {

// A label's name and its value, as it is.
struct label {
  std::string_view name;
  std::string value;
};
using labels = std::vector<label>;

[[nodiscard]] std::string escaped(std::string_view value) {
  std::string made;
  for (auto const c : value) {
    if (c == '\n') {
      made += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

[[nodiscard]] std::string text_of(labels const& all) {
  std::string made;
  for (auto const& [name, value] : all) {
    made += fmt::format("{}{}=\"{}\"", made.empty() ? "" : ",", name, escaped(value));
  }
  return made.empty() ? made : "{" + made + "}";
}

// Writes families one behind the other: their metadata first, then every sample, as the format asks for.
class metrics_text {
 public:
  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = fmt::format("packetwarp_{}", name);
    suffix_ = type == "counter" ? "_total" : type == "info" ? "_info" : "";
    text_ += fmt::format("# TYPE {0} {1}\n# HELP {0} {2}\n", name_, type, help);
  }
  template <class Value>
  void sample(labels const& of, Value value) {
    text_ += fmt::format("{}{}{} {}\n", name_, suffix_, text_of(of), value);
  }
  [[nodiscard]] std::string end() && { return std::move(text_) + "# EOF\n"; }

 private:
  std::string text_, name_, suffix_;
};

[[nodiscard]] labels of(pipeline_report const& p) { return {{"pipeline", std::to_string(p.id)}}; }
[[nodiscard]] labels of(port_report const& p) {
  return {{"port", std::to_string(p.id)}, {"name", p.name}, {"driver", p.driver}};
}
[[nodiscard]] labels of(worker_report const& w) { return {{"lcore", std::to_string(w.lcore)}, {"role", w.role}}; }

[[nodiscard]] labels with(labels all, std::string_view name, std::string value) {
  all.push_back({name, std::move(value)});
  return all;
}

// One family: a sample of each report.
template <class Report, class Value>
void counters(metrics_text& to, std::string_view name, std::string_view help, std::vector<Report> const& reports,
              Value Report::*value) {
  to.begin(name, "counter", help);
  for (auto const& report : reports) to.sample(of(report), report.*value);
}

void add_pipelines(metrics_text& to, run_report const& all) {
  counters(to, "received_packets", "Packets received from a port.", all.pipelines, &pipeline_report::rx);
  counters(to, "sent_packets", "Packets taken by a port.", all.pipelines, &pipeline_report::tx);
  counters(to, "punted_packets", "Packets given to the control plane.", all.pipelines, &pipeline_report::punted);
  counters(to, "bursts", "Bursts of packets formed.", all.pipelines, &pipeline_report::bursts);
  counters(to, "ring_full", "Polls left out because every slot of the burst ring was in use.", all.pipelines,
           &pipeline_report::ring_full);
  to.begin("dropped_packets", "counter", "Packets dropped, by reason.");
  for (auto const& p : all.pipelines) {
    for (auto const& drop : p.dropped) to.sample(with(of(p), "reason", drop.name), drop.packets);
  }
  to.begin("in_flight_packets", "gauge", "Packets received that are neither sent nor dropped nor punted yet.");
  to.sample({}, all.packets.in_flight);
  to.begin("failed_over_pipelines", "gauge", "Pipelines whose GPU failed and whose packets the CPU handles since.");
  to.sample({}, all.failed_over);
}

void add_latency(metrics_text& to, run_report const& all) {
  to.begin("latency_seconds", "gauge", "From a burst's first packet received to its verdicts, by packet, since the start.");
  for (auto const& p : all.pipelines) {
    if (!p.latency_us) continue;
    to.sample(with(of(p), "percentile", "50"), p.latency_us->p50 / 1e6);
    to.sample(with(of(p), "percentile", "99"), p.latency_us->p99 / 1e6);
    to.sample(with(of(p), "percentile", "99.9"), p.latency_us->p999 / 1e6);
  }
}

void add_workers(metrics_text& to, run_report const& all) {
  to.begin("worker_busy_ratio", "gauge", "Share of a worker's time in turns that moved packets, since the start.");
  for (auto const& w : all.workers) to.sample(of(w), w.busy);
  to.begin("worker_cycles_per_packet", "gauge", "TSC cycles that a packet costs a worker.");
  for (auto const& w : all.workers) {
    if (w.cycles_per_packet) to.sample(of(w), *w.cycles_per_packet);
  }
  counters(to, "worker_loops", "Turns that a worker made.", all.workers, &worker_report::loops);
}

void add_ports(metrics_text& to, run_report const& all) {
  counters(to, "port_received_packets", "Packets that the port received.", all.ports, &port_report::rx_packets);
  counters(to, "port_sent_packets", "Packets that the port sent.", all.ports, &port_report::tx_packets);
  counters(to, "port_received_bytes", "Bytes that the port received.", all.ports, &port_report::rx_bytes);
  counters(to, "port_sent_bytes", "Bytes that the port sent.", all.ports, &port_report::tx_bytes);
  counters(to, "port_missed_packets", "Packets that found no descriptor (imissed).", all.ports, &port_report::imissed);
  counters(to, "port_receive_errors", "Packets received with an error (ierrors).", all.ports, &port_report::ierrors);
  counters(to, "port_send_errors", "Packets that could not be sent (oerrors).", all.ports, &port_report::oerrors);
  counters(to, "port_no_mbuf", "Receptions that found no mbuf (rx_nombuf).", all.ports, &port_report::rx_nombuf);
}

void add_control(metrics_text& to, control_report const& control) {
  to.begin("control_taken_packets", "counter", "Packets that came to the control plane, by reason.");
  for (auto const& punt : control.punted) to.sample({{"reason", punt.name}}, punt.packets);
  to.begin("control_sent_packets", "counter", "Frames that the control plane sent.");
  to.sample({}, control.sent);
  to.begin("control_put_back_packets", "counter", "Packets that it put in front of the function again.");
  to.sample({}, control.put_back);
  to.begin("control_dropped_packets", "counter", "What became of the others, by name.");
  for (auto const& drop : control.dropped) to.sample({{"reason", drop.name}}, drop.packets);
}

}  // namespace

std::string to_openmetrics(run_report const& report) {
  metrics_text text;
  text.begin("build", "info", "What runs.");
  text.sample({{"version", report.version},
               {"command", report.command},
               {"executor", report.executor},
               {"placement", report.placement},
               {"burst", std::to_string(report.burst)}},
              1);
  add_pipelines(text, report);
  add_latency(text, report);
  add_workers(text, report);
  add_ports(text, report);
  if (report.control) add_control(text, *report.control);
  return std::move(text).end();
}

}  // namespace packetwarp::telemetry
