// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plan/plan_steps.h"
#include "plan/plan_text.h"

namespace packetwarp {
namespace {

// The EAL's lcore of this number, which the list names.
[[nodiscard]] lcore_facts lcore_of(lcore_id id, std::string const& place, machine_facts const& machine) {
  if (machine.main.id == id) return machine.main;
  auto const found =
      std::find_if(machine.others.begin(), machine.others.end(), [&](auto const& one) { return one.id == id; });
  if (found != machine.others.end()) return *found;
  std::set<unsigned> known{machine.main.id.value()};
  for (auto const& one : machine.others) known.insert(one.id.value());
  refuse_at(place, fmt::format("the EAL has no lcore {}; it has {} (--lcores, -l)", id.value(), in_words(known)));
}

void require_queues(listed_worker const& worker, std::vector<port_facts> const& ports) {
  auto const require = [](worker_port const& of, std::string_view direction, std::vector<queue_id> const& queues,
                          port_facts const& port, std::uint16_t most) {
    for (auto const queue : queues) {
      if (queue.value() < most) continue;
      refuse_at(of.place, fmt::format("{} has no {} queue {}; it can have {}", label_of(port), direction, queue.value(),
                                      most == 1 ? "one, 0" : fmt::format("{}, 0 to {}", most, most - 1)));
    }
  };
  for (auto const& of : worker.ports) {
    auto const& port = ports[of.port];
    require(of, "RX", of.rx_queues, port, port.max_rx_queues);
    require(of, "TX", of.tx_queues, port, port.max_tx_queues);
  }
}

void require_main_lcore(listed_worker const& master, machine_facts const& machine) {
  if (master.lcore == machine.main.id) return;
  refuse_at(master.place, fmt::format("the EAL's main lcore is {}; give it --main-lcore {}, or the master lcore {}",
                                      machine.main.id.value(), master.lcore.value(), machine.main.id.value()));
}

// A forwarding worker's TX queue of a port, for the n-th of its pipelines: they share its queues, on one thread.
[[nodiscard]] queue_id tx_queue_of(listed_worker const& worker, std::size_t port, std::size_t n) {
  for (auto const& of : worker.ports) {
    if (of.port == port && !of.tx_queues.empty()) return of.tx_queues[n % of.tx_queues.size()];
  }
  return {};
}

// An lcore's entry among the workers, made if it is missing.
[[nodiscard]] planned_worker& worker_on(plan& p, lcore_id lcore, std::string_view role, std::string const& place,
                                        machine_facts const& machine) {
  auto const found =
      std::find_if(p.workers.begin(), p.workers.end(), [&](auto const& one) { return one.lcore.id == lcore; });
  if (found != p.workers.end()) return *found;
  return p.workers.emplace_back(
      planned_worker{.lcore = lcore_of(lcore, place, machine), .role = std::string{role}, .jobs = {}});
}

// Deals the jobs of the last pipeline. The receiving worker also gives bursts to a GPU if another worker collects them.
void deal_jobs(plan& p, listed_worker const& worker, machine_facts const& machine) {
  auto const n = p.pipelines.size() - 1;
  auto const executes_on = worker.execute_on.value_or(worker.lcore);
  auto const transmits_on = worker.transmit_on.value_or(executes_on);
  auto const add = [&](lcore_id lcore, std::string_view role, job_kind kind) {
    worker_on(p, lcore, role, worker.place, machine).jobs.push_back({kind, n});
  };
  auto const role = to_string(worker.role);
  add(worker.lcore, role, job_kind::receive);
  if (p.pipelines.back().gives_apart) add(worker.lcore, role, job_kind::give);
  add(executes_on, "execute", job_kind::execute);
  add(transmits_on, "transmit", job_kind::transmit);
}

void add_pipeline(plan& p, listed_worker const& worker, worker_port const& of, queue_id queue,
                  std::vector<port_facts> const& ports) {
  planned_pipeline made{.id = pipeline_id{static_cast<std::uint16_t>(p.pipelines.size())},
                        .rx_port = ports[of.port].id,
                        .rx_queue = queue,
                        .egresses = {}};
  if (of.isolated_rx) made.isolated_ring = of.isolated_rx->ring;
  made.gives_apart = worker.execute_on.has_value() && needs_gpu(p.config.executor);
  auto const first =
      std::find_if(p.workers.begin(), p.workers.end(), [&](auto const& one) { return one.lcore.id == worker.lcore; });
  auto const so_far = static_cast<std::size_t>(std::count_if(
      first->jobs.begin(), first->jobs.end(), [](auto const& job) { return job.kind == job_kind::receive; }));
  for (std::size_t port = 0; port < ports.size(); ++port) {
    made.egresses.push_back({.port = ports[port].id, .queue = tx_queue_of(worker, port, so_far)});
  }
  p.pipelines.push_back(std::move(made));
}

void add_forwarding(plan& p, listed_worker const& worker, std::vector<port_facts> const& ports,
                    machine_facts const& machine) {
  p.workers.push_back({.lcore = lcore_of(worker.lcore, worker.place, machine),
                       .role = std::string{to_string(worker.role)},
                       .jobs = {}});
  for (auto const& of : worker.ports) {
    for (auto const queue : of.rx_queues) {
      add_pipeline(p, worker, of, queue, ports);
      deal_jobs(p, worker, machine);
      if (!of.isolated_rx) continue;
      worker_on(p, of.isolated_rx->lcore, "isolated-receive", of.place, machine)
          .jobs.push_back({job_kind::isolate, p.pipelines.size() - 1});
    }
  }
}

void add_kni(plan& p, listed_worker const& worker, std::vector<port_facts> const& ports, machine_facts const& machine) {
  p.workers.push_back({.lcore = lcore_of(worker.lcore, worker.place, machine),
                       .role = std::string{to_string(worker.role)},
                       .jobs = {}});
  p.kni = planned_kni{.place = worker.place, .lcore = worker.lcore, .ports = {}};
  for (auto const& of : worker.ports) {
    p.kni->ports.push_back({.port = ports[of.port].id, .rx_queues = of.rx_queues, .tx_queues = of.tx_queues});
  }
}

void note_idle_lcores(plan& p, machine_facts const& machine) {
  std::set<unsigned> idle;
  for (auto const& one : machine.others) idle.insert(one.id.value());
  for (auto const& worker : p.workers) idle.erase(worker.lcore.id.value());
  if (!idle.empty()) p.notices.push_back(fmt::format("lcore {}: no worker is listed on it", in_words(idle)));
}

}  // namespace

void plan_listed(plan& p, std::vector<port_facts> const& ports, machine_facts const& machine) {
  if (p.config.function->leaves == departure::by_peer) {
    throw usage_error(fmt::format("workers are listed for functions that send by any port; {} sends by a port's peer",
                                  p.config.function->name));
  }
  std::vector<std::string> names;
  names.reserve(ports.size());
  for (auto const& port : ports) names.push_back(label_of(port));
  auto const workers = p.config.listed;
  require_sound(workers, names);
  for (auto const& worker : workers) {
    require_queues(worker, ports);
    if (worker.role != worker_role::master) continue;
    auto const lcore = lcore_of(worker.lcore, worker.place, machine);
    require_main_lcore(worker, machine);
    p.workers.push_back({.lcore = lcore, .role = std::string{to_string(worker.role)}, .jobs = {}});
  }
  for (auto const& worker : workers) {
    if (worker.role == worker_role::forwarding) add_forwarding(p, worker, ports, machine);
    if (worker.role == worker_role::kni) add_kni(p, worker, ports, machine);
  }
  p.config.pipelines = static_cast<std::uint16_t>(p.pipelines.size());
  note_idle_lcores(p, machine);
}

}  // namespace packetwarp
