// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/interrupt_gate.h"

#include <rte_ethdev.h>
#include <sched.h>

#include <algorithm>
#include <chrono>

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

// The rounds of the interrupt thread while all ports are connected, in which a peer can only leave; and while a port
// awaits its peer, whose messages take a round each.
constexpr auto period = 50ms, period_of_meeting = 1ms;
// The longest that a callback of a driver holds up hold().
constexpr auto longest_round = 2s;

}  // namespace

interrupt_gate::interrupt_gate() {
  standing_.emplace([](void* self) { static_cast<interrupt_gate*>(self)->wait_here(); }, this);
}

interrupt_gate::~interrupt_gate() {
  {
    std::lock_guard const lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  standing_.reset();
}

std::shared_ptr<interrupt_gate> interrupt_gate::of_process() {
  static std::weak_ptr<interrupt_gate> shared;
  auto found = shared.lock();
  if (!found) shared = found = std::make_shared<interrupt_gate>();
  return found;
}

std::unique_lock<std::mutex> interrupt_gate::hold() {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, longest_round, [this] { return is_here_; });
  return lock;
}

void interrupt_gate::add(port_id port, std::deque<queue_pass> const& passes) {
  std::lock_guard const lock{mutex_};
  ports_.push_back({port, &passes});
}

void interrupt_gate::forget(port_id port) {
  std::erase_if(ports_, [port](gated_port const& one) { return one.id == port; });
}

void interrupt_gate::wait_here() {
  std::unique_lock lock{mutex_};
  is_here_ = true;
  changed_.notify_all();
  shut_.store(false, std::memory_order_release);
  changed_.wait_for(lock, all_are_connected() ? period : period_of_meeting, [this] { return ends_; });
  shut_.store(true, std::memory_order_seq_cst);
  for (auto const& one : ports_) {
    for (auto const& pass : *one.passes) {
      while (pass.is_inside()) ::sched_yield();
    }
  }
  is_here_ = false;
}

bool interrupt_gate::all_are_connected() const {
  return std::ranges::all_of(ports_, [](gated_port const& one) {
    rte_eth_link link{};
    return rte_eth_link_get_nowait(one.id.value(), &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
  });
}

}  // namespace packetwarp
