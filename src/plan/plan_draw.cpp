// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "plan/plan.h"

namespace packetwarp {
namespace {

// The lcores and devices of one NUMA node.
struct node_contents {
  std::vector<planned_worker const*> workers;
  std::vector<std::size_t> ports;
  std::vector<planned_gpu const*> gpus;
};

class drawing {
 public:
  drawing(plan const& p, std::span<std::string const> names) : plan_{p}, names_{names} {}

  [[nodiscard]] std::string text() const {
    std::string out;
    for (auto const& [number, node] : nodes()) {
      out += fmt::format("{}{}\n", out.empty() ? "" : "\n",
                         number == unknown ? "node unknown" : fmt::format("node {}", number));
      for (auto const* worker : node.workers) out += draw(*worker);
      for (auto const port : node.ports) out += draw_port(port);
      for (auto const* gpu : node.gpus) out += draw(*gpu);
    }
    return out;
  }

 private:
  // Sorts after all others.
  static constexpr int unknown = std::numeric_limits<int>::max();

  [[nodiscard]] std::map<int, node_contents> nodes() const {
    std::map<int, node_contents> all;
    auto const at = [&](int socket) -> node_contents& { return all[socket < 0 ? unknown : socket]; };
    for (auto const& worker : plan_.workers) at(worker.lcore.socket).workers.push_back(&worker);
    for (std::size_t n = 0; n < plan_.ports.size(); ++n) at(plan_.ports[n].facts.socket).ports.push_back(n);
    for (auto const& gpu : plan_.gpus) at(gpu.socket).gpus.push_back(&gpu);
    return all;
  }

  [[nodiscard]] std::string name_of(port_id port) const {
    for (std::size_t n = 0; n < plan_.ports.size(); ++n) {
      if (plan_.ports[n].facts.id == port && n < names_.size()) return names_[n];
    }
    return fmt::format("port {}", port.value());
  }

  // A line for each pipeline that it works on, or for its other work.
  [[nodiscard]] std::string draw(planned_worker const& worker) const {
    auto head = fmt::format("  CPU {:<4} lcore {:<3} {:<18}", worker.lcore.cpus, worker.lcore.id.value(), worker.role);
    std::string out;
    for (auto const& way : ways_of(worker)) {
      out += fmt::format("{}{}\n", head, way);
      head = std::string(head.size(), ' ');
    }
    return out;
  }

  [[nodiscard]] std::vector<std::string> ways_of(planned_worker const& worker) const {
    if (worker.role == "kni" && plan_.kni) return twin_ways();
    std::vector<std::string> ways;
    if (worker.role.starts_with("master")) {
      ways.emplace_back("control plane, requests, statistics");
      for (auto const& twin : plan_.twins) {
        if (twin.lcore) continue;
        ways.push_back(
            fmt::format("{} by forwarding workers <-> kernel ({})", name_of(twin.config.port), twin.config.interface));
      }
    }
    for (std::size_t n = 0; n < plan_.pipelines.size(); ++n) {
      std::vector<job_kind> jobs;
      for (auto const& job : worker.jobs) {
        if (job.pipeline == n) jobs.push_back(job.kind);
      }
      if (!jobs.empty()) ways.push_back(way_of(plan_.pipelines[n], jobs));
    }
    if (ways.empty()) ways.emplace_back("nothing");
    return ways;
  }

  [[nodiscard]] std::string way_of(planned_pipeline const& of, std::vector<job_kind> const& jobs) const {
    auto const n = of.id.value();
    auto const does = [&](job_kind kind) { return std::find(jobs.begin(), jobs.end(), kind) != jobs.end(); };
    auto const queue = fmt::format("{} rxq {}", name_of(of.rx_port), of.rx_queue.value());
    auto const isolated = fmt::format("[ring {}: {} packets]", n, of.isolated_ring);
    auto const bursts = fmt::format("[{} bursts]", of.ring_slots);
    std::string way;
    auto const then = [&](std::string const& what) { way += (way.empty() ? "" : " -> ") + what; };
    if (does(job_kind::isolate)) {
      then(queue);
      then("isolate");
      then(isolated);
    }
    if (does(job_kind::receive)) {
      if (way.empty()) then(of.isolated_ring != 0 ? isolated : queue);
      then("receive");
      then(bursts);
    }
    if (does(job_kind::give)) then(fmt::format("GPU {}", of.gpu));
    if (does(job_kind::execute)) {
      if (way.empty()) then(bursts);
      then(executor_of(of));
    }
    if (does(job_kind::transmit)) {
      if (way.empty()) then(bursts);
      then("transmit");
      then(egresses_of(of));
    }
    return way;
  }

  [[nodiscard]] std::string executor_of(planned_pipeline const& of) const {
    auto const kind = to_string(plan_.config.executor);
    auto const what = fmt::format("{} ({})", plan_.config.function->name, kind);
    return of.gpu < 0 ? what : fmt::format("{} on GPU {}", what, of.gpu);
  }

  [[nodiscard]] std::string egresses_of(planned_pipeline const& of) const {
    std::string text;
    for (auto const& to : of.egresses) {
      text += fmt::format("{}{} txq {}", text.empty() ? "" : " | ", name_of(to.port), to.queue.value());
    }
    return text;
  }

  [[nodiscard]] std::vector<std::string> twin_ways() const {
    std::vector<std::string> ways;
    for (auto const& of : plan_.kni->ports) {
      for (auto const queue : of.rx_queues) {
        ways.push_back(fmt::format("{} rxq {} -> kernel", name_of(of.port), queue.value()));
      }
      if (of.rx_queues.empty()) ways.push_back(fmt::format("{} by its forwarding workers -> kernel", name_of(of.port)));
      for (auto const queue : of.tx_queues) {
        ways.push_back(fmt::format("kernel -> {} txq {}", name_of(of.port), queue.value()));
      }
      if (of.tx_queues.empty()) ways.push_back(fmt::format("kernel -> dropped: no TX queue of {}", name_of(of.port)));
    }
    return ways;
  }

  [[nodiscard]] std::string draw_port(std::size_t n) const {
    auto const& port = plan_.ports[n];
    return fmt::format(
        "  port {} {} ({}): {} rxq x {}, {} txq x {} descriptors\n", port.facts.id.value(),
        n < names_.size() ? names_[n] : port.facts.name,
        n < names_.size() ? fmt::format("{}, {}", port.facts.name, port.facts.driver) : port.facts.driver,
        port.config.rx_queues, port.config.rx_descriptors, port.config.tx_queues, port.config.tx_descriptors);
  }

  [[nodiscard]] static std::string draw(planned_gpu const& gpu) {
    return fmt::format(
        "  GPU {} {}\n", gpu.index,
        gpu.name.empty() ? "(this machine does not have it)" : fmt::format("({}, {})", gpu.name, gpu.pci_address));
  }

  plan const& plan_;
  std::span<std::string const> names_;
};

}  // namespace

std::string draw(plan const& p, std::span<std::string const> names) { return drawing{p, names}.text(); }

}  // namespace packetwarp
