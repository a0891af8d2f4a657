// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/thread/beside_lcores.h"

#include <fmt/format.h>
#include <rte_lcore.h>
#include <rte_thread.h>
#include <rte_version.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "base/error.h"

namespace packetwarp {
namespace {

using task = std::function<void()>;

void run_once(void* mine) {
  std::unique_ptr<task> const work{static_cast<task*>(mine)};
  (*work)();
}

// Returns 0 or the system's error.
[[nodiscard]] int start_plainly(pthread_t& thread, void* with) {
  auto const entry = [](void* mine) -> void* {
    run_once(mine);
    return nullptr;
  };
  return ::pthread_create(&thread, nullptr, entry, with);
}

#if RTE_VERSION >= RTE_VERSION_NUM(23, 11, 0, 0)
[[nodiscard]] int start_by_eal(pthread_t& thread, char const* name, void* with) {
  auto const entry = [](void* mine) -> std::uint32_t {
    run_once(mine);
    return 0;
  };
  rte_thread_t made{};
  auto const error = rte_thread_create_control(&made, name, entry, with);
  thread = made.opaque_id;
  return error;
}
#else
[[nodiscard]] int start_by_eal(pthread_t& thread, char const* name, void* with) {
  auto const entry = [](void* mine) -> void* {
    run_once(mine);
    return nullptr;
  };
  return -rte_ctrl_thread_create(&thread, name, nullptr, entry, with);
}
#endif

}  // namespace

pthread_t start_beside_lcores(char const* name, std::function<void()> work) {
  auto with = std::make_unique<task>(std::move(work));
  pthread_t thread{};
  bool const has_eal = rte_lcore_count() != 0;
  if (auto const error = has_eal ? start_by_eal(thread, name, with.get()) : start_plainly(thread, with.get());
      error != 0) {
    throw failure(fmt::format("thread {}: {}", name, std::strerror(error)));
  }
  (void)with.release();  // the thread owns it now
  return thread;
}

void run_beside_lcores(std::function<void()> const& work) {
  std::exception_ptr thrown;
  auto const thread = start_beside_lcores("pw-once", [&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  ::pthread_join(thread, nullptr);
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace packetwarp
