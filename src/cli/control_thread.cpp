// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control_thread.h"

#include <fmt/format.h>
#include <rte_lcore.h>

#include <cstring>
#include <utility>

#include "base/error.h"

namespace packetwarp {

control_thread::control_thread(std::string const& name, std::function<void(std::stop_token const&)> work)
    : task_{new task{.work = std::move(work)}} {
  auto const entry = [](void* mine) -> void* {
    auto const& it = *static_cast<task*>(mine);
    it.work(it.stop.get_token());
    return nullptr;
  };
  // The error is the negative of a system's.
  if (auto const error = rte_ctrl_thread_create(&thread_, name.c_str(), nullptr, entry, task_.get()); error != 0) {
    throw failure(fmt::format("thread {}: {}", name, std::strerror(-error)));
  }
}

control_thread::~control_thread() {
  task_->stop.request_stop();
  ::pthread_join(thread_, nullptr);
}

}  // namespace packetwarp
