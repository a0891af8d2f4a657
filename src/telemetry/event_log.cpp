// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/event_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "base/error.h"

namespace packetwarp::telemetry {
namespace {

constexpr std::size_t most_waiting = std::size_t{1} << 20;  // bytes

// RFC 3339, in UTC.
[[nodiscard]] std::string text_of(std::chrono::system_clock::time_point when) {
  auto const since = when.time_since_epoch();
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  auto const rest = std::chrono::duration_cast<std::chrono::microseconds>(since - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     rest.count());
}

}  // namespace

event_log::event_log(std::string path) {
  if (path.empty()) return;
  try {
    writer_.emplace(fmt::format("event log {}", path), make_log_file(path), most_waiting);
  } catch (failure const& wrong) {
    throw failure(fmt::format("event log {}; give a file that can be written to", wrong.what()));
  }
}

void event_log::write(std::string_view event, nlohmann::ordered_json const& fields) {
  if (!writer_) return;
  nlohmann::ordered_json made{{"time", text_of(std::chrono::system_clock::now())}, {"event", event}};
  made.update(fields);
  auto const line = made.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::lock_guard const lock{mutex_};
  (void)writer_->put(line);
  writer_->flush();
}

std::optional<log_counts> event_log::counts() const {
  return writer_ ? std::optional{writer_->counts()} : std::nullopt;
}

void event_log::finish(std::chrono::milliseconds patience) {
  std::lock_guard const lock{mutex_};
  if (writer_) writer_->finish(patience);
}

}  // namespace packetwarp::telemetry
