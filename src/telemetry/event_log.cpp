// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/event_log.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.h"
#include "base/log.h"

namespace packetwarp::telemetry {
namespace {

// RFC 3339, in UTC.
[[nodiscard]] std::string text_of(std::chrono::system_clock::time_point when) {
  auto const since = when.time_since_epoch();
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  auto const rest = std::chrono::duration_cast<std::chrono::microseconds>(since - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     rest.count());
}

}  // namespace

event_log::event_log(std::string path) : path_{std::move(path)} {
  if (path_.empty()) return;
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) {
    throw failure(fmt::format("event log {}: {}; give a file that can be written to", path_, std::strerror(errno)));
  }
}

event_log::~event_log() {
  if (file_ >= 0) (void)::close(file_);
}

void event_log::write(std::string_view event, nlohmann::ordered_json const& fields) {
  if (file_ < 0) return;
  nlohmann::ordered_json made{{"time", text_of(std::chrono::system_clock::now())}, {"event", event}};
  made.update(fields);
  auto const line = made.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  std::lock_guard const lock{mutex_};
  auto const written = ::write(file_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()) || has_complained_) return;
  has_complained_ = true;
  log().warn("event log {}: {}; events are lost", path_, written < 0 ? std::strerror(errno) : "no room");
}

}  // namespace packetwarp::telemetry
