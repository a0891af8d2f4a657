// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/units.h"
#include "telemetry/run_report.h"
#include "telemetry/text_table.h"

namespace packetwarp::telemetry {
namespace {

using enum text_table::align;

[[nodiscard]] std::string microseconds(double us) { return format_duration(us * 1e3); }

// "12 (runt 10, tx_full 2)", "none".
[[nodiscard]] std::string describe(drop_counts const& drops) {
  std::vector<std::string> named;
  for (auto const& drop : drops) {
    if (drop.packets != 0) named.push_back(fmt::format("{} {}", drop.name, with_separators(drop.packets)));
  }
  if (named.empty()) return "none";
  return fmt::format("{} ({})", with_separators(total(drops)), with_commas(named));
}

[[nodiscard]] std::string headline(run_report const& r) {
  return fmt::format(
      "packetwarp {} {}: executor {}, placement {}, bursts of {}; ended by {}\n\n"
      "rate     {}   {} L2 (with FCS) / {} L1 (+20 B framing)   measured over {}: rx {}, tx {}\n",
      r.version, r.command, r.executor, r.placement, r.burst, r.ended_by, with_unit(r.mpps() * 1e6, "pps"),
      with_unit(r.gbps_l2() * 1e9, "b/s"), with_unit(r.gbps_l1() * 1e9, "b/s"), format_duration(r.seconds * 1e9),
      with_separators(r.measured_rx), with_separators(r.measured_tx.packets));
}

[[nodiscard]] std::string packets_line(packet_counts const& p) {
  auto line =
      fmt::format("packets  rx {}   tx {}   punted {}   in flight {}   dropped {}\n", with_separators(p.rx),
                  with_separators(p.tx), with_separators(p.punted), with_separators(p.in_flight), describe(p.dropped));
  if (!p.conserved()) {
    line += fmt::format("         NOT CONSERVED: {} came, {} are accounted for; please report this\n",
                        with_separators(p.rx), with_separators(p.accounted()));
  }
  return line;
}

[[nodiscard]] std::string latency_line(std::optional<latency_percentiles> const& latency) {
  if (!latency) return "latency  none: no packet was measured\n";
  return fmt::format("latency  p50 {}   p99 {}   p99.9 {}   from rx to ready to send\n", microseconds(latency->p50),
                     microseconds(latency->p99), microseconds(latency->p999));
}

[[nodiscard]] std::string table_of(std::vector<pipeline_report> const& pipelines) {
  text_table table{{{"pipeline"},
                    {"from", left},
                    {"to", left},
                    {"rx"},
                    {"tx"},
                    {"punted"},
                    {"bursts"},
                    {"mean burst"},
                    {"ring full"},
                    {"p50"},
                    {"p99"},
                    {"p99.9"},
                    {"dropped", left}}};
  for (auto const& p : pipelines) {
    auto const at = [&](double latency_percentiles::*which) {
      return p.latency_us ? microseconds(*p.latency_us.*which) : std::string{"-"};
    };
    table.add_row({std::to_string(p.id), fmt::format("port {} rxq {}", p.rx_port, p.rx_queue),
                   fmt::format("{} txq {}", p.tx_port ? fmt::format("port {}", *p.tx_port) : "any port", p.tx_queue),
                   with_separators(p.rx), with_separators(p.tx), with_separators(p.punted), with_separators(p.bursts),
                   fmt::format("{:.1f}", p.mean_burst()), with_separators(p.ring_full), at(&latency_percentiles::p50),
                   at(&latency_percentiles::p99), at(&latency_percentiles::p999), describe(p.dropped)});
  }
  return table.text();
}

[[nodiscard]] std::string table_of(std::vector<worker_report> const& workers) {
  text_table table{{{"lcore"}, {"role", left}, {"busy"}, {"cycles/packet"}, {"loops"}, {"jobs", left}}};
  for (auto const& w : workers) {
    bool const known = w.cycles_per_packet && std::isfinite(*w.cycles_per_packet);
    table.add_row({std::to_string(w.lcore), w.role, w.jobs.empty() ? "-" : fmt::format("{:.0f} %", w.busy * 100),
                   known ? fmt::format("{:.1f}", *w.cycles_per_packet) : "-", with_separators(w.loops),
                   w.jobs.empty() ? "-" : with_commas(w.jobs)});
  }
  return table.text();
}

// "mirror   10 copies sent   lost 2 (tx_full 2)"; nothing if no pipeline sends copies.
[[nodiscard]] std::string mirror_line(std::vector<pipeline_report> const& pipelines) {
  mirror_report all;
  bool exists = false;
  for (auto const& p : pipelines) {
    if (!p.mirror) continue;
    exists = true;
    all.sent += p.mirror->sent;
    for (auto const& one : p.mirror->lost) add_drops(all.lost, one.name, one.packets);
  }
  if (!exists) return {};
  return fmt::format("mirror   {} copies sent   lost {}\n", with_separators(all.sent), describe(all.lost));
}

// The packets dropped on their way to the control plane, by class; nothing if none was.
[[nodiscard]] std::string refused_punts(control_report const& control) {
  std::string out;
  for (auto const& one : control.classes) {
    if (one.full + one.limited == 0) continue;
    out += fmt::format("         {} {}: {} beyond their limit, {} without room\n", out.empty() ? "refused" : "       ",
                       one.name, with_separators(one.limited), with_separators(one.full));
  }
  return out;
}

// "3 over 100 us, the longest 1.20 ms in execute 0, 3.21 s after the start; execute 0 2, receive 0 1".
[[nodiscard]] std::string describe(big_loop_report const& b) {
  auto text = fmt::format("{} over {}, the longest {}{}, {:.2f} s after the start", with_separators(b.count),
                          microseconds(b.over_us), microseconds(b.longest_us),
                          b.longest_job.empty() ? "" : " in " + b.longest_job, b.longest_at_seconds);
  if (b.by_job.size() < 2) return text;
  std::vector<std::string> jobs;
  for (auto const& job : b.by_job) jobs.push_back(fmt::format("{} {}", job.name, with_separators(job.packets)));
  return text + "; " + with_commas(jobs);
}

// The delays of workers' loop iterations, and of their answers to the master; nothing without any.
[[nodiscard]] std::string delays_of(run_report const& report) {
  std::string out;
  for (auto const& w : report.workers) {
    if (w.big_loops.count == 0) continue;
    out += fmt::format("big loops of lcore {}: {}\n", w.lcore, describe(w.big_loops));
  }
  if (report.master_looks.count != 0)
    out += fmt::format("big loops of the master: {}\n", describe(report.master_looks));
  for (auto const& w : report.workers) {
    if (w.message_timeouts == 0) continue;
    out += fmt::format("lcore {} did not answer {} of the master's messages in time\n", w.lcore,
                       with_separators(w.message_timeouts));
  }
  return out.empty() ? out : '\n' + out;
}

[[nodiscard]] std::string table_of(std::vector<port_report> const& ports) {
  text_table table{{{"port"},
                    {"name", left},
                    {"driver", left},
                    {"rx packets"},
                    {"tx packets"},
                    {"rx bytes"},
                    {"tx bytes"},
                    {"imissed"},
                    {"ierrors"},
                    {"oerrors"},
                    {"rx_nombuf"}}};
  for (auto const& p : ports) {
    table.add_row({std::to_string(p.id), p.name, p.driver, with_separators(p.rx_packets), with_separators(p.tx_packets),
                   with_separators(p.rx_bytes), with_separators(p.tx_bytes), with_separators(p.imissed),
                   with_separators(p.ierrors), with_separators(p.oerrors), with_separators(p.rx_nombuf)});
  }
  return table.text();
}

[[nodiscard]] std::string gone_line(port_report const& p) {
  if (p.state == "removed") return fmt::format("port {} ({}): its device was taken away\n", p.id, p.name);
  return p.state == "lost" ? fmt::format("port {} ({}): its kernel interface was deleted\n", p.id, p.name) : "";
}

[[nodiscard]] std::string restarts_line(port_report const& p) {
  if (p.restarts == 0) return {};
  return fmt::format("port {} ({}): started again {} time{} after its physical function was reset\n", p.id, p.name,
                     p.restarts, p.restarts == 1 ? "" : "s");
}

[[nodiscard]] std::string twin_line(twin_report const& k) {
  auto line = fmt::format("kernel   {} ({}, port {})   to it {}   dropped {}   from it {}   sent {}   dropped {}\n",
                          k.name, k.driver, k.port, with_separators(k.to_kernel), describe(k.dropped_in),
                          with_separators(k.from_kernel), with_separators(k.sent), describe(k.dropped_out));
  if (k.state == "lost") line += "         it was deleted while packetwarp ran\n";
  if (k.state == "down") line += "         it was set down while packetwarp ran\n";
  if (!k.conserved()) {
    line +=
        fmt::format("         NOT CONSERVED: {} for it and {} from it are not all accounted for; please report this\n",
                    with_separators(k.handed_over + k.received), with_separators(k.from_kernel));
  }
  return line;
}

// The queues of packets that a port missed, if it has several.
[[nodiscard]] std::string missed_by_queue(port_report const& p) {
  std::vector<std::string> missed;
  for (auto const& queue : p.rx_queues) {
    if (queue.missed != 0) missed.push_back(fmt::format("rxq {} {}", queue.queue, with_separators(queue.missed)));
  }
  if (missed.empty() || p.rx_queues.size() < 2) return {};
  return fmt::format("missed by port {}: {}\n", p.id, with_commas(missed));
}

}  // namespace

std::string to_text(run_report const& report) {
  auto out = headline(report) + packets_line(report.packets) + latency_line(report.latency_us);
  if (report.checked.packets != 0) {
    out += fmt::format("checked  {} packets of the GPU's, byte by byte with the CPU's: {}\n",
                       with_separators(report.checked.packets),
                       report.checked.wrong == 0 ? "all the same" : with_separators(report.checked.wrong) + " DIFFER");
  }
  if (auto const& control = report.control) {
    out += fmt::format("control  punted to it {}   sent {}   put back {}   dropped {}\n", describe(control->punted),
                       with_separators(control->sent), with_separators(control->put_back), describe(control->dropped));
    out += refused_punts(*control);
  }
  for (auto const& twin : report.twins) out += twin_line(twin);
  for (auto const& part : report.parts) out += part->line();
  out += mirror_line(report.pipelines);
  if (report.failed_over != 0) {
    out += fmt::format("gpu      failed under {} of {} pipelines, whose packets the CPU handled from then on{}\n",
                       report.failed_over, report.pipelines.size(),
                       report.failover_ms ? "; failover " + format_duration(*report.failover_ms * 1e6) : "");
  }
  for (auto const& log : report.logs) {
    if (log.lost == 0) continue;
    out += fmt::format("log      {}: {} lines lost, {} written\n", log.name, with_separators(log.lost),
                       with_separators(log.written));
  }
  if (!report.pipelines.empty()) out += '\n' + table_of(report.pipelines);
  if (!report.workers.empty()) out += '\n' + table_of(report.workers);
  out += delays_of(report);
  if (!report.ports.empty()) out += '\n' + table_of(report.ports);
  for (auto const& p : report.ports) out += missed_by_queue(p) + gone_line(p) + restarts_line(p);
  for (auto const& part : report.parts) out += part->table();
  out += fmt::format("\nhost: {}\n", describe(report.host));
  for (auto const& notice : report.notices) out += fmt::format("note: {}\n", notice);
  return out;
}

}  // namespace packetwarp::telemetry
