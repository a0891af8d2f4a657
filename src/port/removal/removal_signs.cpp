// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/removal/removal_signs.h"

#include <fmt/format.h>
#include <rte_errno.h>

#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

// The callback of an event that is being delivered cannot be unregistered; a delivery takes less time than this.
constexpr std::chrono::microseconds told_in{100};

constexpr std::array port_events{RTE_ETH_EVENT_INTR_RMV, RTE_ETH_EVENT_INTR_RESET};

}  // namespace

removal_signs::removal_signs(std::deque<port> const& ports) {
  for (auto const& one : ports) watched_.emplace_back(one.facts().id, one.facts().device);
  int result = 0;
  for (auto const event : port_events) {
    if (result == 0) result = rte_eth_dev_callback_register(RTE_ETH_ALL, event, on_port_event, this);
  }
  if (result == 0) result = rte_dev_event_callback_register(nullptr, on_device_event, this);
  if (result == 0) return;
  end_port_events();
  throw failure(fmt::format("events of devices that are taken away: not registered: {}", rte_strerror(-result)));
}

removal_signs::~removal_signs() {
  while (rte_dev_event_callback_unregister(nullptr, on_device_event, this) == -EAGAIN) sleep_for(told_in);
  end_port_events();
}

void removal_signs::end_port_events() {
  for (auto const event : port_events) {
    while (rte_eth_dev_callback_unregister(RTE_ETH_ALL, event, on_port_event, this) == -EAGAIN) sleep_for(told_in);
  }
}

void removal_signs::set(std::string const& device) {
  for (auto& one : watched_) {
    if (one.device == device) one.asked.store(true, std::memory_order_release);
  }
}

int removal_signs::on_port_event(std::uint16_t port, rte_eth_event_type what, void* self, void*) {
  auto& signs = *static_cast<removal_signs*>(self);
  for (auto& one : signs.watched_) {
    if (one.id != port_id{port}) continue;
    if (what == RTE_ETH_EVENT_INTR_RESET) {
      one.reset.store(true, std::memory_order_relaxed);
      continue;
    }
    one.asked.store(true, std::memory_order_release);
    if (!one.device.empty()) signs.set(one.device);
  }
  return 0;
}

void removal_signs::on_device_event(char const* device, rte_dev_event_type what, void* self) {
  if (what == RTE_DEV_EVENT_REMOVE && device != nullptr) static_cast<removal_signs*>(self)->set(device);
}

}  // namespace packetwarp
