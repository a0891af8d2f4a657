// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/cpu_list.h"
#include "plan/plan_steps.h"
#include "plan/plan_text.h"

namespace packetwarp {
namespace {

[[nodiscard]] bool is_busy(planned_worker const& worker) { return !worker.jobs.empty() || worker.role == "kni"; }

// The CPU of a worker that has one to itself.
[[nodiscard]] std::optional<unsigned> cpu_of(planned_worker const& worker) {
  auto const cpus = parse_cpu_list(worker.lcore.cpus);
  return cpus && cpus->size() == 1 ? std::optional{cpus->front()} : std::nullopt;
}

[[nodiscard]] bool has_job(planned_worker const& worker, job_kind kind, std::size_t pipeline) {
  return std::any_of(worker.jobs.begin(), worker.jobs.end(),
                     [&](auto const& job) { return job.kind == kind && job.pipeline == pipeline; });
}

// Whether a worker only receives for the other: DPVS's tuning puts these two on one core.
[[nodiscard]] bool receives_for(planned_worker const& one, planned_worker const& other) {
  return !one.jobs.empty() && std::all_of(one.jobs.begin(), one.jobs.end(), [&](auto const& job) {
    return job.kind == job_kind::isolate && has_job(other, job_kind::receive, job.pipeline);
  });
}

// Busy lcores by the CPU that each of them has to itself, or shares.
[[nodiscard]] std::map<unsigned, std::set<unsigned>> lcores_by_cpu(plan const& p) {
  std::map<unsigned, std::set<unsigned>> lcores;
  for (auto const& worker : p.workers) {
    if (auto const cpu = cpu_of(worker); is_busy(worker) && cpu) lcores[*cpu].insert(worker.lcore.id.value());
  }
  return lcores;
}

[[nodiscard]] std::string lcores_in_words(std::set<unsigned> const& lcores) {
  return fmt::format("lcore{} {}", lcores.size() == 1 ? "" : "s", in_words(lcores));
}

void warn_of_first_core(plan& p, cpu_topology const& cpus) {
  auto const first = cpus.core_of(0);
  for (auto const& [cpu, lcores] : lcores_by_cpu(p)) {
    if (!std::binary_search(first.begin(), first.end(), cpu)) continue;
    p.notices.push_back(fmt::format("CPU {} has {}{}, where the kernel's own work gathers; use others (--lcores)", cpu,
                                    lcores_in_words(lcores), cpu == 0 ? "" : " and is of one core with CPU 0"));
  }
}

void warn_of_turns(plan& p) {
  for (auto const& [cpu, lcores] : lcores_by_cpu(p)) {
    if (lcores.size() == 1) continue;
    p.notices.push_back(fmt::format("CPU {} has {}, which take turns; give each a CPU of its own (--lcores)", cpu,
                                    lcores_in_words(lcores)));
  }
}

void warn_of_scheduling(plan& p, cpu_topology const& cpus) {
  cpu_list used;
  for (auto const& [cpu, lcores] : lcores_by_cpu(p)) used.push_back(cpu);
  auto const scheduled = without(used, cpus.isolated);
  if (scheduled.empty()) return;
  p.notices.push_back(fmt::format("CPU {}: the kernel schedules other work there (isolcpus, see packetwarp doctor)",
                                  to_text(scheduled)));
}

// Adds a notice about two busy workers on hyperthreads of one core.
void warn_of_sharing(plan& p, planned_worker const& one, planned_worker const& other, cpu_topology const& cpus) {
  auto const a = cpu_of(one);
  auto const b = cpu_of(other);
  if (!a || !b || *a == *b) return;
  auto const core = cpus.core_of(*a);
  if (!std::binary_search(core.begin(), core.end(), *b)) return;
  if (receives_for(one, other) || receives_for(other, one)) return;
  p.notices.push_back(
      fmt::format("lcores {} and {} are on CPUs {} and {} of one core, and slow each other; only an isolated receiver "
                  "and the worker it receives for should be",
                  one.lcore.id.value(), other.lcore.id.value(), *a, *b));
}

void warn_of_sharing(plan& p, cpu_topology const& cpus) {
  for (std::size_t n = 0; n < p.workers.size(); ++n) {
    for (std::size_t other = n + 1; other < p.workers.size(); ++other) {
      if (is_busy(p.workers[n]) && is_busy(p.workers[other])) {
        warn_of_sharing(p, p.workers[n], p.workers[other], cpus);
      }
    }
  }
}

// Virtual devices have a NUMA node, too, without any hardware.
[[nodiscard]] bool is_hardware(port_facts const& port) { return !has_name_of_virtual_port(port.name); }

[[nodiscard]] bool is_far(int node, int other) { return node >= 0 && other >= 0 && node != other; }

// Ports that a worker receives from, or that all packets of a pipeline leave by.
[[nodiscard]] std::set<port_id> ports_of(plan const& p, planned_worker const& worker) {
  std::set<port_id> ports;
  for (auto const& job : worker.jobs) {
    auto const& pipeline = p.pipelines[job.pipeline];
    bool const polls = job.kind == job_kind::isolate || (job.kind == job_kind::receive && pipeline.isolated_ring == 0);
    if (polls) ports.insert(pipeline.rx_port);
    if (job.kind == job_kind::transmit && pipeline.egresses.size() == 1) ports.insert(pipeline.egresses[0].port);
  }
  return ports;
}

void warn_of_far_ports(plan& p) {
  for (auto const& worker : p.workers) {
    for (auto const id : ports_of(p, worker)) {
      auto const port =
          std::find_if(p.ports.begin(), p.ports.end(), [&](auto const& one) { return one.facts.id == id; });
      if (!is_hardware(port->facts) || !is_far(worker.lcore.socket, port->facts.socket)) continue;
      p.notices.push_back(fmt::format(
          "lcore {} is on NUMA node {}, and {} on node {}: each packet crosses from one to "
          "the other; give the worker a CPU of node {}",
          worker.lcore.id.value(), worker.lcore.socket, label_of(port->facts), port->facts.socket, port->facts.socket));
    }
  }
}

void warn_of_far_gpus(plan& p) {
  for (auto const& worker : p.workers) {
    std::set<int> used;
    for (auto const& job : worker.jobs) {
      if (job.kind == job_kind::execute || job.kind == job_kind::give) used.insert(p.pipelines[job.pipeline].gpu);
    }
    for (auto const& gpu : p.gpus) {
      if (!used.contains(gpu.index) || !is_far(worker.lcore.socket, gpu.socket)) continue;
      p.notices.push_back(
          fmt::format("lcore {} is on NUMA node {}, and GPU {} on node {}: each burst crosses from one "
                      "to the other; give the worker a CPU of node {}",
                      worker.lcore.id.value(), worker.lcore.socket, gpu.index, gpu.socket, gpu.socket));
    }
  }
}

}  // namespace

void warn_of_places(plan& p, machine_facts const& machine) {
  // This applies to CPUs that were chosen one by one: lcores that get jobs by their number may be on any CPU.
  if (p.config.workers == arrangement::listed) {
    warn_of_first_core(p, machine.cpus);
    warn_of_turns(p);
    warn_of_scheduling(p, machine.cpus);
  }
  warn_of_sharing(p, machine.cpus);
  warn_of_far_ports(p);
  warn_of_far_gpus(p);
}

}  // namespace packetwarp
