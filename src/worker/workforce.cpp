// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/workforce.h"

#include <fmt/format.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/error.h"
#include "base/log/log.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

// The time between checks whether a worker has returned.
constexpr std::chrono::milliseconds join_period{1};

// Loop iterations of a master with jobs; each costs a few hundred ns.
constexpr double looks_per_second = 2000;

}  // namespace

worker& workforce::on(lcore_id lcore) {
  auto& found = workers_[lcore];
  if (!found) found = std::make_unique<worker>(signals_);
  return *found;
}

std::vector<std::uint64_t> workforce::loops() const {
  std::vector<std::uint64_t> made;
  for (auto const& [lcore, w] : workers_) {
    if (w->has_jobs()) made.push_back(w->loops());
  }
  return made;
}

std::optional<std::uint64_t> workforce::post(lcore_id to, std::shared_ptr<worker_message> what) {
  auto const number = on(to).mail().post(std::move(what));
  if (number) signals_.posted.store(signals_.posted.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return number;
}

std::uint64_t workforce::least_loops() const {
  auto const made = loops();
  return made.empty() ? std::numeric_limits<std::uint64_t>::max() : *std::min_element(made.begin(), made.end());
}

void workforce::run(master& m, std::chrono::milliseconds grace) {
  // On every exit no worker runs on: the objects that its jobs use may be destroyed next.
  struct halt_and_join {
    workforce& force;
    std::chrono::milliseconds grace;
    ~halt_and_join() {
      force.signals_.phase.store(run_phase::halted, std::memory_order_release);
      force.join(grace);
    }
  } const at_end{*this, grace};
  launch();
  supervise(m);
}

void workforce::launch() {
  for (auto const& [lcore, w] : workers_) {
    if (lcore.value() == rte_get_main_lcore() || !w->has_jobs()) continue;
    auto const entry = [](void* self) {
      static_cast<worker*>(self)->run();
      return 0;
    };
    if (rte_eal_remote_launch(entry, w.get(), lcore.value()) != 0) {
      throw failure(
          fmt::format("lcore {} is busy with something else; give packetwarp lcores of its own", lcore.value()));
    }
    launched_.push_back(lcore);
  }
}

void workforce::supervise(master& m) {
  auto const own = workers_.find(lcore_id{rte_get_main_lcore()});
  bool const has_jobs = own != workers_.end() && own->second->has_jobs();
  auto const period = static_cast<cycles>(cycles_per_second() / looks_per_second);
  cycles next_look = 0;
  while (signals_.phase.load(std::memory_order_relaxed) != run_phase::halted) {
    if (has_jobs) own->second->run_once();
    auto const now = now_cycles();
    if (now >= next_look) {
      signals_.phase.store(m.supervise(now), std::memory_order_release);
      auto const after = now_cycles();
      if (big_looks_.is_big(after - now)) big_looks_.record(now, after - now, std::nullopt);
      if (has_jobs) own->second->resume(after);
      next_look = now + period;
    }
    if (has_jobs) continue;
    if (auto const rest = m.rest(); rest.count() != 0) sleep_for(rest);
  }
}

void workforce::join(std::chrono::milliseconds grace) {
  auto const until = std::chrono::steady_clock::now() + grace;
  for (auto const lcore : launched_) {
    while (!workers_.at(lcore)->has_returned()) {
      if (std::chrono::steady_clock::now() >= until) {
        // The worker's thread may still use anything: so nothing is freed.
        log().critical("lcore {} did not stop: a port's driver does not return; leaving it there", lcore.value());
        std::_Exit(exit_failure);
      }
      sleep_for(join_period);
    }
    rte_eal_wait_lcore(lcore.value());
  }
  launched_.clear();
}

}  // namespace packetwarp
