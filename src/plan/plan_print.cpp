// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/units.h"
#include "plan/plan_steps.h"
#include "punt/control_desk.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string describe(std::vector<planned_egress> const& egresses) {
  auto const& first = egresses.front();
  if (egresses.size() != 1) return fmt::format("any port txq {}", first.queue.value());
  return fmt::format("port {} txq {}", first.port.value(), first.queue.value());
}

[[nodiscard]] std::string jobs_of(plan const& p, planned_worker const& worker) {
  if (worker.role == to_string(worker_role::kni)) return "passes packets between ports and the kernel";
  if (worker.jobs.empty()) return worker.role.starts_with("master") ? "watches, prints" : "idle";
  std::string text;
  for (auto const& j : worker.jobs) {
    auto const& pipeline = p.pipelines[j.pipeline];
    if (!text.empty()) text += ", ";
    switch (j.kind) {
      case job_kind::isolate:
        text +=
            fmt::format("isolate {} (port {} rxq {})", j.pipeline, pipeline.rx_port.value(), pipeline.rx_queue.value());
        break;
      case job_kind::receive:
        text += pipeline.isolated_ring != 0 ? fmt::format("receive {} (isolated ring)", j.pipeline)
                                            : fmt::format("receive {} (port {} rxq {})", j.pipeline,
                                                          pipeline.rx_port.value(), pipeline.rx_queue.value());
        break;
      case job_kind::give:
        text += fmt::format("give {} (GPU {})", j.pipeline, pipeline.gpu);
        break;
      case job_kind::execute:
        text += fmt::format("execute {} ({})", j.pipeline, to_string(p.config.executor));
        break;
      case job_kind::transmit:
        text += fmt::format("transmit {} ({})", j.pipeline, describe(pipeline.egresses));
        break;
    }
  }
  return text;
}

// A plan cannot name the packets that a NIC steers past forwarding workers: its driver may refuse.
[[nodiscard]] std::string describe(planned_twin const& twin) {
  std::vector<std::string> queues;
  for (auto const queue : twin.rx_queues) queues.push_back(fmt::format("rxq {}", queue.value()));
  if (twin.out == twin_way_out::by_queue) queues.push_back(fmt::format("txq {}", twin.tx_queue.value()));
  return fmt::format("\nkernel interface {} ({}) beside port {}: carried by {}{}{}\n", twin.config.interface,
                     to_string(choose_kernel_driver(twin.config.driver)), twin.config.port.value(),
                     twin.lcore ? fmt::format("lcore {}", twin.lcore->value()) : "the master",
                     queues.empty() ? "" : ", ", fmt::join(queues, ", "));
}

[[nodiscard]] std::string describe(punt_limits const& limits) {
  std::string text = "\npunts to the master, for each port and reason: ";
  for (std::size_t n = 0; n < punt_classes; ++n) {
    auto const& limit = limits.of_class[n];
    text += fmt::format("{}{} {}/s ({} at once, {} may wait)", n == 0 ? "" : ", ",
                        to_string(static_cast<punt_class>(n)), limit.per_second, limit.at_once, control_desk::rooms[n]);
  }
  return text + "\n";
}

// " in host memory, 4 MiB in GPU 0's", if there is a choice.
[[nodiscard]] std::string in_gpu_of(packet_pool_config const& pool) {
  if (pool.gpu < 0) return {};
  return fmt::format(" of host memory and {} of GPU {}'s", format_size(pool.gpu_bytes()), pool.gpu);
}

}  // namespace

std::string describe(plan const& p) {
  auto out = fmt::format("executor {}, placement {}, workers {}, bursts of {} (closed after {})\n",
                         to_string(p.config.executor), to_string(p.config.where), to_string(p.config.workers),
                         p.config.burst, format_duration(static_cast<double>(p.config.burst_timeout.count())));
  out += fmt::format("\n{:>5}  {:>5}  {:>4}  {:<20}  jobs, in the order they are polled\n", "lcore", "CPUs", "node",
                     "worker");
  for (auto const& w : p.workers) {
    out += fmt::format("{:>5}  {:>5}  {:>4}  {:<20}  {}\n", w.lcore.id.value(), w.lcore.cpus, w.lcore.socket, w.role,
                       jobs_of(p, w));
  }
  out += fmt::format("\n{:>4}  {:<18}  {:<14}  {:>4}  {:>10}  {:>10}\n", "port", "name", "driver", "node", "rxq x desc",
                     "txq x desc");
  for (auto const& port : p.ports) {
    out += fmt::format("{:>4}  {:<18}  {:<14}  {:>4}  {:>10}  {:>10}\n", port.facts.id.value(), port.facts.name,
                       port.facts.driver, port.facts.socket,
                       fmt::format("{} x {}", port.config.rx_queues, port.config.rx_descriptors),
                       fmt::format("{} x {}", port.config.tx_queues, port.config.tx_descriptors));
  }
  out += fmt::format("\n{:>8}  {:<14}  {:<14}  bursts in flight\n", "pipeline", "from", "to");
  for (auto const& pipeline : p.pipelines) {
    out += fmt::format("{:>8}  {:<14}  {:<14}  {}\n", pipeline.id.value(),
                       fmt::format("port {} rxq {}", pipeline.rx_port.value(), pipeline.rx_queue.value()),
                       describe(pipeline.egresses), pipeline.ring_slots);
  }
  for (auto const& twin : p.twins) out += describe(twin);
  if (p.control) out += describe(*p.control);
  if (p.config.function->leaves == departure::by_any_port) out += describe(p.config.punts);
  auto const each = p.pools == 1 ? std::string{} : fmt::format("s ({}, one a pipeline)", p.pools);
  out += fmt::format(
      "\npacket pool{}: {} packets x {} bytes of data = {}{}{} (queues, rings, bursts and {} a worker's cache)\n", each,
      p.pool.packets, p.pool.data_room, format_size(p.pool.bytes()), in_gpu_of(p.pool), each.empty() ? "" : " each",
      p.pool.cache);
  if (!p.payload_pool.name.empty()) {
    out += fmt::format("payload pool: {} packets x {} bytes of data = {}{}\n", p.payload_pool.packets,
                       p.payload_pool.data_room, format_size(p.payload_pool.bytes()), in_gpu_of(p.payload_pool));
  }
  for (auto const& notice : p.notices) out += fmt::format("note: {}\n", notice);
  return out;
}

}  // namespace packetwarp
