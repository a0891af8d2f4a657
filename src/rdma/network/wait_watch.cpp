// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/wait_watch.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/process/stop.h"
#include "base/sleep.h"

namespace packetwarp::rdma {
namespace {

constexpr std::chrono::milliseconds between_looks{5};

}  // namespace

wait_watch::wait_watch(std::function<std::string()> ask, std::function<void()> end_waits)
    : ask_{std::move(ask)}, end_waits_{std::move(end_waits)}, thread_{[this](std::stop_token const& asked) {
        look(asked);
      }} {}

std::string wait_watch::reason() const {
  std::scoped_lock const lock{mutex_};
  return reason_;
}

void wait_watch::require_none() const {
  if (auto const found = reason(); !found.empty()) throw failure(fmt::format("rdma: {}", found));
}

void wait_watch::look(std::stop_token const& asked) {
  std::string found;
  while (found.empty()) {
    if (asked.stop_requested()) return;
    sleep_for(between_looks);
    if (ask_) found = ask_();
    if (found.empty() && stop_requested() == stop_request::abandon) found = "interrupted while writes were under way";
  }
  {
    // Before a wait ends: its thread asks for the reason then.
    std::scoped_lock const lock{mutex_};
    reason_ = std::move(found);
  }
  try {
    end_waits_();
  } catch (failure const&) {  // the waits end with their GPU
    return;
  }
}

}  // namespace packetwarp::rdma
