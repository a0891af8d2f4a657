// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/worker_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "plan/plan_text.h"

namespace packetwarp {
namespace {

void require_one_master(std::span<listed_worker const> workers) {
  listed_worker const* master = nullptr;
  for (auto const& one : workers) {
    if (one.role != worker_role::master) continue;
    if (master != nullptr) refuse_at(one.place, fmt::format("lcore {} is the master already", master->lcore.value()));
    if (!one.ports.empty()) refuse_at(one.place, "the master has no queues; leave out 'ports'");
    master = &one;
  }
  if (master == nullptr) refuse_at(workers.front().place, "no worker is the master; add {lcore: 0, role: master}");
}

void require_one_kni_at_most(std::span<listed_worker const> workers) {
  listed_worker const* kni = nullptr;
  for (auto const& one : workers) {
    if (one.role != worker_role::kni) continue;
    if (kni != nullptr) refuse_at(one.place, fmt::format("lcore {} is the kni worker already", kni->lcore.value()));
    kni = &one;
  }
}

// The owner of each lcore. The isolated receivers of one forwarding worker may share an lcore.
class lcore_owners {
 public:
  void take(lcore_id lcore, std::string const& place, std::string const& as) {
    auto const [owner, is_new] = owners_.emplace(lcore, as);
    if (is_new || owner->second == as) return;
    refuse_at(place,
              fmt::format("lcore {} is {} already; give each an lcore of its own", lcore.value(), owner->second));
  }

 private:
  std::map<lcore_id, std::string> owners_;
};

void require_own_lcores(std::span<listed_worker const> workers) {
  lcore_owners owners;
  for (std::size_t n = 0; n < workers.size(); ++n) {
    owners.take(workers[n].lcore, workers[n].place, fmt::format("that of workers[{}]", n));
  }
  for (std::size_t n = 0; n < workers.size(); ++n) {
    for (auto const& lcore : {workers[n].execute_on, workers[n].transmit_on}) {
      if (lcore) owners.take(*lcore, workers[n].place, fmt::format("an execute_on or transmit_on of workers[{}]", n));
    }
    for (auto const& port : workers[n].ports) {
      if (!port.isolated_rx) continue;
      owners.take(port.isolated_rx->lcore, port.place, fmt::format("the isolated receiver of workers[{}]", n));
    }
  }
}

// The owner of each queue of one direction.
class queue_owners {
 public:
  explicit queue_owners(std::string_view direction) : direction_{direction} {}
  void take(std::span<queue_id const> queues, worker_port const& of, lcore_id by, std::span<std::string const> ports) {
    for (auto const queue : queues) {
      auto const [owner, is_new] = owners_.emplace(std::pair{of.port, queue}, by);
      if (is_new) continue;
      refuse_at(of.place, fmt::format("{} queue {} of {} is lcore {}'s already; a queue has one worker", direction_,
                                      queue.value(), ports[of.port], owner->second.value()));
    }
  }

 private:
  std::string_view direction_;
  std::map<std::pair<std::size_t, queue_id>, lcore_id> owners_;
};

void require_own_queues(std::span<listed_worker const> workers, std::span<std::string const> ports) {
  queue_owners rx{"RX"}, tx{"TX"};
  for (auto const& worker : workers) {
    std::set<std::size_t> seen;
    for (auto const& port : worker.ports) {
      if (port.port >= ports.size()) refuse_at(port.place, "no such port");
      if (!seen.insert(port.port).second)
        refuse_at(port.place, fmt::format("port {} is there twice", ports[port.port]));
      rx.take(port.rx_queues, port, worker.lcore, ports);
      tx.take(port.tx_queues, port, worker.lcore, ports);
    }
  }
}

[[nodiscard]] bool receives(listed_worker const& worker) {
  return std::any_of(worker.ports.begin(), worker.ports.end(), [](auto const& one) { return !one.rx_queues.empty(); });
}

void require_way_out(listed_worker const& worker, std::span<std::string const> ports) {
  for (std::size_t n = 0; n < ports.size(); ++n) {
    auto const has = std::any_of(worker.ports.begin(), worker.ports.end(),
                                 [&](auto const& one) { return one.port == n && !one.tx_queues.empty(); });
    if (has) continue;
    refuse_at(
        worker.place,
        fmt::format("it has no TX queue of {}, by which any packet may leave; give it tx_queues there", ports[n]));
  }
}

void require_use(listed_worker const& worker, std::span<std::string const> ports) {
  if (worker.role != worker_role::forwarding && (worker.execute_on || worker.transmit_on)) {
    refuse_at(worker.place, "execute_on and transmit_on are a forwarding worker's");
  }
  for (auto const& port : worker.ports) {
    if (!port.isolated_rx) continue;
    if (worker.role != worker_role::forwarding) refuse_at(port.place, "isolated_rx is a forwarding worker's");
    if (port.rx_queues.empty()) refuse_at(port.place, "isolated_rx has no queue to receive from; give rx_queues");
  }
  if (worker.role == worker_role::forwarding) {
    if (!receives(worker)) refuse_at(worker.place, "it receives nothing; give it rx_queues of a port");
    require_way_out(worker, ports);
  }
  if (worker.role == worker_role::kni) {
    bool const has_queues = std::any_of(worker.ports.begin(), worker.ports.end(), [](auto const& one) {
      return !one.rx_queues.empty() || !one.tx_queues.empty();
    });
    if (!has_queues) refuse_at(worker.place, "it has no queues; give it rx_queues, tx_queues or both of a port");
  }
}

}  // namespace

std::string_view to_string(worker_role role) {
  switch (role) {
    case worker_role::master:
      return "master";
    case worker_role::forwarding:
      return "forwarding";
    case worker_role::kni:
      return "kni";
  }
  return "unknown";
}

void require_sound(std::span<listed_worker const> workers, std::span<std::string const> ports) {
  if (workers.empty()) throw usage_error("no worker is listed");
  require_one_master(workers);
  require_one_kni_at_most(workers);
  require_own_lcores(workers);
  require_own_queues(workers, ports);
  for (auto const& worker : workers) require_use(worker, ports);
  bool const forwards =
      std::any_of(workers.begin(), workers.end(), [](auto const& one) { return one.role == worker_role::forwarding; });
  if (!forwards) refuse_at(workers.front().place, "no worker forwards; add one of role forwarding");
}

}  // namespace packetwarp
