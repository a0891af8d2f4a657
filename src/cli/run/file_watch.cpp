// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file_watch.h"

#include <sys/stat.h>

#include <condition_variable>
#include <mutex>

namespace packetwarp {

file_mark mark_of(std::string const& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  auto const of = [](auto n) { return static_cast<std::uint64_t>(n); };
  return {of(found.st_dev),         of(found.st_ino),          of(found.st_size),
          of(found.st_mtim.tv_sec), of(found.st_mtim.tv_nsec), of(found.st_ctim.tv_nsec)};
}

namespace {

void look(std::string const& path, file_mark known, std::chrono::milliseconds period, std::stop_token const& stop,
          std::atomic<bool>& changed) {
  std::mutex mutex;
  std::condition_variable_any never;
  auto last = known;
  while (true) {
    std::unique_lock lock{mutex};
    if (never.wait_for(lock, stop, period, [] { return false; }) || stop.stop_requested()) return;
    auto const seen = mark_of(path);
    if (seen != known && seen == last && seen != file_mark{}) {
      known = seen;
      changed.store(true, std::memory_order_relaxed);
    }
    last = seen;
  }
}

}  // namespace

file_watch::file_watch(std::string const& path, file_mark const& known, std::chrono::milliseconds period)
    : thread_{"file-watch", [path, period, known, changed = changed_.get()](std::stop_token const& stop) {
                look(path, known, period, stop, *changed);
              }} {}

}  // namespace packetwarp
