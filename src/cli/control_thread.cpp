// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/control_thread.h"

#include <fmt/format.h>
#include <rte_lcore.h>
#include <rte_thread.h>
#include <rte_version.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace packetwarp {
namespace {

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
using thread_end = std::uint32_t;

// 0 or a system's error.
[[nodiscard]] int start(pthread_t& thread, char const* name, thread_end (*entry)(void*), void* with) {
  rte_thread_t made{};
  auto const error = rte_thread_create_control(&made, name, entry, with);
  thread = made.opaque_id;
  return error;
}
#else
using thread_end = void*;

[[nodiscard]] int start(pthread_t& thread, char const* name, thread_end (*entry)(void*), void* with) {
  return -rte_ctrl_thread_create(&thread, name, nullptr, entry, with);
}
#endif

}  // namespace

control_thread::control_thread(std::string const& name, std::function<void(std::stop_token const&)> work)
    : task_{new task{.work = std::move(work)}} {
  auto const entry = [](void* mine) -> thread_end {
    auto const& it = *static_cast<task*>(mine);
    it.work(it.stop.get_token());
    return {};
  };
  if (auto const error = start(thread_, name.c_str(), entry, task_.get()); error != 0) {
    throw failure(fmt::format("thread {}: {}", name, std::strerror(error)));
  }
}

control_thread::~control_thread() {
  task_->stop.request_stop();
  ::pthread_join(thread_, nullptr);
}

}  // namespace packetwarp
