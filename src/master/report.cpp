// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/report.h"

#include <rte_version.h>

#include <algorithm>
#include <map>

namespace packetwarp {
namespace {

using telemetry::histogram_snapshot;

// The bytes that left are the received and added bytes less the dropped and removed bytes: this is exact once no packet
// is in flight, and each packet's length is read only once. Without packets, the bytes are those of packets in flight.
[[nodiscard]] telemetry::traffic sent_between(data_plane_totals const& from, data_plane_totals const& to) {
  auto const bytes = [](data_plane_totals const& t) {
    return t.rx_bytes > t.dropped_bytes ? t.rx_bytes - t.dropped_bytes : 0;
  };
  auto const packets = to.tx_packets - from.tx_packets;
  return {.packets = packets, .bytes = packets != 0 && bytes(to) > bytes(from) ? bytes(to) - bytes(from) : 0};
}

[[nodiscard]] std::vector<std::string> drop_names_of(pipeline const& p) {
  std::vector<std::string> all;
  for (std::size_t reason = 0; reason < max_drop_reasons; ++reason) {
    if (auto const name = p.name_of(static_cast<drop_reason>(reason)); !name.empty()) all.emplace_back(name);
  }
  return all;
}

[[nodiscard]] telemetry::mirror_report mirror_of(departure_counters const& departures) {
  telemetry::mirror_report said{.sent = departures.mirrored.read(), .lost = {}, .lost_names = {}};
  for (std::size_t n = 0; n < mirror_loss_names.size(); ++n) {
    auto const lost = departures.not_mirrored[n].read();
    if (lost != 0) telemetry::add_drops(said.lost, mirror_loss_names[n], lost);
    said.lost_names.emplace_back(mirror_loss_names[n]);
  }
  return said;
}

// Departures are read before arrivals, so that no packet seems to leave before it arrived.
[[nodiscard]] telemetry::pipeline_report report_on(pipeline const& p) {
  auto const& counters = p.counters();
  auto const& departures = counters.departures;
  auto const& planned = p.planned();
  auto const tx = departures.packets.read();
  auto const punted = departures.punted.read();
  telemetry::drop_counts dropped;
  for (std::size_t reason = 0; reason < departures.dropped.size(); ++reason) {
    auto const n = departures.dropped[reason].read();
    if (n != 0) telemetry::add_drops(dropped, p.name_of(static_cast<drop_reason>(reason)), n);
  }
  auto const steered = counters.arrivals.steered.read();
  auto const drop_before = [&](drop_reason why, std::uint64_t n) {
    if (n != 0) telemetry::add_drops(dropped, data_path_drop_name(why), n);
  };
  drop_before(drop_reason::kernel_full, counters.arrivals.kernel_full.read());
  drop_before(drop_reason::isolated_full, counters.arrivals.isolated_full.read());
  telemetry::pipeline_report said{.id = planned.id.value(),
                                  .rx_port = planned.rx_port.value(),
                                  .rx_queue = planned.rx_queue.value(),
                                  .tx_port = {},
                                  .tx_queue = planned.egresses.front().queue.value(),
                                  .rx = counters.arrivals.packets.read(),
                                  .tx = tx,
                                  .punted = punted + steered,
                                  .handed_over = departures.handed_over.read(),
                                  .dropped = std::move(dropped),
                                  .drop_names = drop_names_of(p),
                                  .bursts = counters.received.bursts.read(),
                                  .ring_full = counters.received.ring_full.read() + counters.isolated.ring_full.read()};
  if (planned.egresses.size() == 1) said.tx_port = planned.egresses.front().port.value();
  return said;
}

// A worker's cost per packet: the cycles of its jobs' polls, divided by the packets that went through its pipelines, in
// the loop iterations that were timed job by job.
[[nodiscard]] std::optional<double> cycles_per_packet(worker const& w, planned_worker const& planned) {
  cycles spent = 0;
  std::map<std::size_t, std::uint64_t> packets;  // of each pipeline: its jobs move the same packets
  for (std::size_t i = 0; i < planned.jobs.size(); ++i) {
    auto const& account = *w.accounts()[i];
    spent += account.cycles.read();
    auto& most = packets[planned.jobs[i].pipeline];
    most = std::max(most, account.packets.read());
  }
  std::uint64_t total = 0;
  for (auto const& [pipeline, n] : packets) total += n;
  if (total == 0) return std::nullopt;
  return static_cast<double>(spent) / static_cast<double>(total);
}

// Counts only loop iterations that began after the start of the run.
[[nodiscard]] telemetry::big_loop_report report_on(big_loops const& big, std::chrono::nanoseconds over,
                                                   cycles run_began) {
  return {
      .over_us = static_cast<double>(over.count()) / 1e3,
      .count = big.count,
      .longest_us = to_nanoseconds(big.longest) / 1e3,
      .longest_at_seconds = big.longest_began > run_began ? to_nanoseconds(big.longest_began - run_began) / 1e9 : 0};
}

[[nodiscard]] telemetry::big_loop_report report_on(worker const& w, std::chrono::nanoseconds over, cycles run_began) {
  auto const big = w.big().read();
  auto said = report_on(big, over, run_began);
  if (big.longest_job) said.longest_job = w.accounts()[*big.longest_job]->what->name();
  for (auto const& account : w.accounts()) {
    auto const n = account->big_loops.read();
    if (n != 0) telemetry::add_drops(said.by_job, account->what->name(), n);
  }
  return said;
}

[[nodiscard]] telemetry::worker_report report_on(worker const& w, planned_worker const& planned) {
  telemetry::worker_report said{.lcore = planned.lcore.id.value(), .role = planned.role, .loops = w.loops()};
  for (auto const& account : w.accounts()) {
    said.jobs.push_back(account->what->name());
    said.stages.push_back({.name = said.jobs.back(),
                           .calls = account->calls.read(),
                           .packets = account->packets.read(),
                           .cycles = account->cycles.read()});
  }
  said.busy_cycles = w.busy_cycles();
  said.idle_cycles = w.idle_cycles();
  auto const all = said.busy_cycles + said.idle_cycles;
  if (all != 0) said.busy = static_cast<double>(said.busy_cycles) / static_cast<double>(all);
  said.cycles_per_packet = cycles_per_packet(w, planned);
  said.messages = w.mail().done();
  said.message_timeouts = w.mail().timeouts();
  return said;
}

[[nodiscard]] telemetry::port_report report_on(port const& p, port_state state) {
  auto const counted = p.counts();
  std::vector<telemetry::rx_queue_report> queues;
  for (unsigned n = 0; n < counted.rx_queues.size(); ++n) {
    if (auto const& one = counted.rx_queues[n]) queues.push_back({n, one->packets, one->missed});
  }
  return {.id = p.facts().id.value(),
          .name = p.facts().name,
          .driver = p.facts().driver,
          .state = std::string{to_string(state)},
          .rx_packets = counted.rx_packets,
          .tx_packets = counted.tx_packets,
          .rx_bytes = counted.rx_bytes,
          .tx_bytes = counted.tx_bytes,
          .imissed = counted.missed,
          .ierrors = counted.rx_errors,
          .oerrors = counted.tx_errors,
          .rx_nombuf = counted.no_mbuf,
          .restarts = p.restarts(),
          .rx_queues = std::move(queues)};
}

// Packets that other threads have put into the rings of a kernel interface's worker.
[[nodiscard]] std::uint64_t handed_over(data_plane const& plane, twin_link const& link) {
  std::uint64_t packets = link.handed.packets.read();
  for (auto const& p : plane.pipelines()) {
    if (p.planned().rx_port != link.config().port) continue;
    packets += p.counters().departures.to_kernel.read() + p.counters().arrivals.steered.read();
  }
  return packets;
}

void add_pipelines(telemetry::run_report& report, data_plane const& plane, supervisor const& master) {
  histogram_snapshot everywhere;
  auto const before = master.latency_before();
  for (std::size_t i = 0; i < plane.pipelines().size(); ++i) {
    auto const& p = plane.pipelines()[i];
    auto& said = report.pipelines.emplace_back(report_on(p));
    if (plane.planned().config.mirror_to) said.mirror = mirror_of(p.counters().departures);
    auto latency = p.counters().departures.latency.snapshot();
    said.latency = telemetry::distribution_of(latency, cycles_per_second());
    if (i < before.size()) latency -= before[i];
    said.latency_us = telemetry::in_microseconds(latency, cycles_per_second());
    everywhere += latency;
    report.packets.rx += said.rx;
    report.packets.tx += said.tx;
    report.packets.punted += said.punted;
    for (auto const& drop : said.dropped) telemetry::add_drops(report.packets.dropped, drop.name, drop.packets);
  }
  report.latency_us = telemetry::in_microseconds(everywhere, cycles_per_second());
}

[[nodiscard]] telemetry::host_info host_of(data_plane const& plane) {
  auto host = telemetry::read_host_info({.dpdk = rte_version(), .tsc_hz = cycles_per_second()});
  for (auto const& [index, gpu] : plane.gpus()) {
    host.gpus.push_back({.index = index,
                         .name = gpu.name,
                         .pci_address = gpu.pci_address,
                         .cuda_driver = gpu.driver,
                         .cuda_runtime = gpu.runtime});
  }
  return host;
}

}  // namespace

run_reporter::run_reporter(std::string command, data_plane const& plane, supervisor const& master)
    : command_{std::move(command)}, plane_{plane}, master_{master}, host_{host_of(plane)} {}

telemetry::run_report run_reporter::now() const {
  // The count of returned packets is read before the punts, so that it cannot exceed them.
  auto returned = plane_.totals().returned;
  auto report = say();
  report.phase = master_.phase() == run_phase::running ? "running" : "draining";
  auto& packets = report.packets;
  auto const gone = packets.tx + packets.punted + telemetry::total(packets.dropped);
  // Packets that left without having arrived were put back meanwhile.
  if (gone > packets.rx + returned) returned = gone - packets.rx;
  packets.in_flight = packets.rx + returned - gone;
  packets.punted -= returned;
  return report;
}

telemetry::run_report run_reporter::at_end() const {
  auto report = say();
  auto const totals = plane_.totals();
  report.phase = "ended";
  report.ended_by = to_string(master_.cause());
  report.packets.punted -= std::min(totals.returned, report.packets.punted);
  report.packets.in_flight = totals.in_flight();
  return report;
}

// Counts all punts of a packet, also if it was put back.
telemetry::run_report run_reporter::say() const {
  auto const measured = master_.measured();
  auto const& config = plane_.planned().config;
  telemetry::run_report report{.command = command_,
                               .version = PACKETWARP_VERSION,
                               .executor = std::string{to_string(config.executor)},
                               .placement = std::string{to_string(config.where)},
                               .burst = config.burst,
                               .elapsed_seconds = to_nanoseconds(now_cycles() - master_.started()) / 1e9,
                               .seconds = measured.seconds(),
                               .measured_rx = measured.to.rx_packets - measured.from.rx_packets,
                               .measured_tx = sent_between(measured.from, measured.to),
                               .host = host_,
                               .notices = plane_.planned().notices};
  report.failed_over = plane_.failed_over();
  if (auto const loss = plane_.loss(); loss && loss->first_packet != 0) {
    auto const since = [&](cycles then) { return to_nanoseconds(then - std::min(then, loss->first_sign)) / 1e6; };
    report.failover_ms = since(loss->first_packet);
    report.failover_last_ms = since(loss->last_packet);
  }
  report.checked = {.packets = plane_.checked().packets, .wrong = plane_.checked().wrong};
  add_pipelines(report, plane_, master_);
  for (auto const& planned : plane_.planned().workers) {
    auto const found = plane_.workers().workers().find(planned.lcore.id);
    if (found == plane_.workers().workers().end()) continue;
    report.workers.push_back(report_on(*found->second, planned));
    report.workers.back().big_loops = report_on(*found->second, config.big_loop, master_.started());
  }
  report.master_looks = report_on(plane_.workers().big_looks().read(), config.big_loop_master, master_.started());
  for (std::size_t n = 0; n < plane_.ports().size(); ++n) {
    report.ports.push_back(report_on(plane_.ports()[n], master_.state_of(n)));
  }
  return report;
}

std::vector<telemetry::twin_report> make_twin_report(data_plane const& plane) {
  std::vector<telemetry::twin_report> all;
  for (auto const* link : plane.twin_links()) {
    if (link == nullptr) continue;
    auto const& counters = link->counters;
    telemetry::twin_report said{.name = link->config().interface,
                                .port = link->config().port.value(),
                                .driver = std::string{to_string(choose_kernel_driver(link->config().driver))},
                                .state = link->is_gone()   ? "lost"
                                         : link->is_down() ? "down"
                                                           : "here",
                                .handed_over = handed_over(plane, *link),
                                .received = counters.received.read(),
                                .to_control = counters.to_control.read(),
                                .to_kernel = counters.to_kernel.read(),
                                .from_kernel = counters.from_kernel.read(),
                                .sent = counters.sent.read() + link->departures.sent.read()};
    auto const drop = [](telemetry::drop_counts& into, std::string_view name, std::uint64_t packets) {
      if (packets != 0) telemetry::add_drops(into, name, packets);
    };
    drop(said.dropped_in, "kernel_full", counters.full.read());
    drop(said.dropped_in, "kernel_lost", counters.lost.read());
    drop(said.dropped_in, "shutdown", counters.shutdown_in.read());
    drop(said.dropped_out, "tx_full", counters.tx_full.read() + link->departures.tx_full.read());
    drop(said.dropped_out, "tx_chained", counters.tx_chained.read());
    drop(said.dropped_out, "no_tx_queue", counters.no_tx_queue.read());
    drop(said.dropped_out, "rule_drop", counters.rule_drop.read());
    drop(said.dropped_out, "no_room", counters.no_room.read());
    drop(said.dropped_out, "shutdown", counters.shutdown_out.read());
    all.push_back(std::move(said));
  }
  return all;
}

telemetry::live_period make_live_period(measurement const& period, cycles run_began) {
  return {.elapsed_seconds = to_nanoseconds(period.end - run_began) / 1e9,
          .seconds = period.seconds(),
          .rx_packets = period.to.rx_packets - period.from.rx_packets,
          .tx = sent_between(period.from, period.to),
          .dropped = period.to.dropped_packets - period.from.dropped_packets,
          .in_flight = period.to.in_flight(),
          .big_loops = period.to.big_loops - std::min(period.from.big_loops, period.to.big_loops)};
}

}  // namespace packetwarp
