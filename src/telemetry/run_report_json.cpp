// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "telemetry/run_report.h"

namespace packetwarp::telemetry {
namespace {

using json = nlohmann::ordered_json;

template <class Value>
[[nodiscard]] json or_null(std::optional<Value> const& value) {
  return value ? json(*value) : json(nullptr);
}

[[nodiscard]] json latency_object(std::optional<latency_percentiles> const& latency) {
  if (!latency) return nullptr;
  return {{"p50", latency->p50}, {"p99", latency->p99}, {"p999", latency->p999}};
}

[[nodiscard]] json drops_object(drop_counts const& drops) {
  auto object = json::object();
  for (auto const& drop : drops) object[drop.name] = drop.packets;
  return object;
}

[[nodiscard]] json object_of(control_report const& c) {
  auto classes = json::object();
  for (auto const& one : c.classes) {
    classes[one.name] = {{"taken", one.taken}, {"full", one.full}, {"limited", one.limited}};
  }
  return {{"punted", drops_object(c.punted)}, {"classes", std::move(classes)}, {"sent", c.sent},
          {"put_back", c.put_back},           {"to_kernel", c.to_kernel},      {"dropped", drops_object(c.dropped)}};
}

[[nodiscard]] json object_of(twin_report const& k) {
  return {{"name", k.name},
          {"port", k.port},
          {"driver", k.driver},
          {"state", k.state},
          {"in",
           {{"handed_over", k.handed_over},
            {"received", k.received},
            {"to_kernel", k.to_kernel},
            {"to_control", k.to_control},
            {"dropped", drops_object(k.dropped_in)}}},
          {"out", {{"from_kernel", k.from_kernel}, {"sent", k.sent}, {"dropped", drops_object(k.dropped_out)}}}};
}

[[nodiscard]] json object_of(pipeline_report const& p) {
  json made{{"id", p.id},
            {"rx_port", p.rx_port},
            {"rx_queue", p.rx_queue},
            {"tx_port", or_null(p.tx_port)},
            {"tx_queue", p.tx_queue},
            {"rx", p.rx},
            {"tx", p.tx},
            {"punted", p.punted},
            {"handed_over", p.handed_over},
            {"dropped", drops_object(p.dropped)},
            {"bursts", p.bursts},
            {"mean_burst", p.mean_burst()},
            {"ring_full", p.ring_full},
            {"latency_us", latency_object(p.latency_us)}};
  if (p.mirror) made["mirror"] = {{"sent", p.mirror->sent}, {"lost", drops_object(p.mirror->lost)}};
  return made;
}

[[nodiscard]] json object_of(big_loop_report const& b) {
  bool const some = b.count != 0;
  return {{"over_us", b.over_us},
          {"count", b.count},
          {"longest_us", some ? json(b.longest_us) : json(nullptr)},
          {"longest_at_seconds", some ? json(b.longest_at_seconds) : json(nullptr)},
          {"longest_job", b.longest_job.empty() ? json(nullptr) : json(b.longest_job)},
          {"by_job", drops_object(b.by_job)}};
}

[[nodiscard]] json object_of(log_report const& l) {
  return {{"name", l.name}, {"written", l.written}, {"lost", l.lost}};
}

[[nodiscard]] json object_of(stage_report const& s) {
  return {{"name", s.name},
          {"calls", s.calls},
          {"packets", s.packets},
          {"cycles", s.cycles},
          {"cycles_per_packet", or_null(s.cycles_per_packet())},
          {"packets_per_call", or_null(s.packets_per_call())}};
}

[[nodiscard]] json object_of(worker_report const& w) {
  auto stages = json::array();
  for (auto const& stage : w.stages) stages.push_back(object_of(stage));
  return {{"lcore", w.lcore},       {"role", w.role},
          {"jobs", w.jobs},         {"stages", std::move(stages)},
          {"busy", w.busy},         {"cycles_per_packet", or_null(w.cycles_per_packet)},
          {"loops", w.loops},       {"big_loops", object_of(w.big_loops)},
          {"messages", w.messages}, {"message_timeouts", w.message_timeouts}};
}

[[nodiscard]] json object_of(rx_queue_report const& q) {
  return {{"queue", q.queue}, {"packets", q.packets}, {"missed", q.missed}};
}

[[nodiscard]] json object_of(port_report const& p) {
  auto queues = json::array();
  for (auto const& queue : p.rx_queues) queues.push_back(object_of(queue));
  return {{"id", p.id},
          {"name", p.name},
          {"driver", p.driver},
          {"state", p.state},
          {"rx_packets", p.rx_packets},
          {"tx_packets", p.tx_packets},
          {"rx_bytes", p.rx_bytes},
          {"tx_bytes", p.tx_bytes},
          {"imissed", p.imissed},
          {"ierrors", p.ierrors},
          {"oerrors", p.oerrors},
          {"rx_nombuf", p.rx_nombuf},
          {"restarts", p.restarts},
          {"rx_queues", std::move(queues)}};
}

[[nodiscard]] json object_of(hugepage_info const& pages) {
  return {{"size_bytes", pages.size_bytes}, {"total", or_null(pages.total)}, {"free", or_null(pages.free)}};
}

[[nodiscard]] json object_of(gpu_info const& gpu) {
  return {{"index", gpu.index},
          {"name", gpu.name},
          {"pci_address", gpu.pci_address},
          {"cuda_driver", gpu.cuda_driver},
          {"cuda_runtime", gpu.cuda_runtime}};
}

template <class Report>
[[nodiscard]] json array_of(std::vector<Report> const& reports) {
  auto array = json::array();
  for (auto const& report : reports) array.push_back(object_of(report));
  return array;
}

[[nodiscard]] json object_of(host_info const& host) {
  return {{"cpu_model", host.cpu_model},
          {"cpus", or_null(host.cpus)},
          {"numa_nodes", or_null(host.numa_nodes)},
          {"memory_bytes", or_null(host.memory_bytes)},
          {"hugepages", array_of(host.hugepages)},
          {"kernel", host.kernel},
          {"distribution", host.distribution},
          {"dpdk", host.dpdk},
          {"compiler", host.compiler},
          {"tsc_hz", or_null(host.tsc_hz)},
          {"gpus", array_of(host.gpus)}};
}

[[nodiscard]] json object_of(packet_counts const& packets) {
  return {{"rx", packets.rx},
          {"tx", packets.tx},
          {"punted", packets.punted},
          {"in_flight", packets.in_flight},
          {"dropped", drops_object(packets.dropped)}};
}

}  // namespace

std::string to_json(run_report const& report, json_layout layout) {
  json object{{"command", report.command},
              {"version", report.version},
              {"elapsed_seconds", report.elapsed_seconds},
              {"seconds", report.seconds},
              {"executor", report.executor},
              {"placement", report.placement},
              {"burst", report.burst},
              {"phase", report.phase},
              {"ended_by", report.ended_by.empty() ? json(nullptr) : json(report.ended_by)},
              {"mpps", report.mpps()},
              {"gbps_l1", report.gbps_l1()},
              {"gbps_l2", report.gbps_l2()},
              {"measured", {{"rx", report.measured_rx}, {"tx", report.measured_tx.packets}}},
              {"packets", object_of(report.packets)},
              {"latency_us", latency_object(report.latency_us)},
              {"failed_over", report.failed_over},
              {"master", {{"big_loops", object_of(report.master_looks)}}},
              {"checked", {{"packets", report.checked.packets}, {"wrong", report.checked.wrong}}},
              {"pipelines", array_of(report.pipelines)},
              {"workers", array_of(report.workers)},
              {"ports", array_of(report.ports)},
              {"host", object_of(report.host)},
              {"notices", report.notices}};
  if (!report.logs.empty()) object["logs"] = array_of(report.logs);
  if (report.failover_ms) object["failover_ms"] = *report.failover_ms;
  if (report.failover_last_ms) object["failover_last_ms"] = *report.failover_last_ms;
  if (report.control) object["control"] = object_of(*report.control);
  if (!report.twins.empty()) object["kernel"] = array_of(report.twins);
  for (auto const& part : report.parts) object[std::string{part->name()}] = part->object();
  // A driver may name a port in any bytes; bytes that are not UTF-8 must not cost the whole report.
  return object.dump(layout == json_layout::lines ? 2 : -1, ' ', false, json::error_handler_t::replace);
}

}  // namespace packetwarp::telemetry
