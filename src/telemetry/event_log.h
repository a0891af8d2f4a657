// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/log/log_writer.h"

namespace packetwarp::telemetry {

// The events of a run, for programs that read logs: one JSON object per line, {"time":...,"event":...} and the event's
// own fields. A thread of the log's own appends to the file (base/log/log_writer.h): no event waits for a disk. For the
// master and the threads beside it, never for a worker.
class event_log {
 public:
  // Empty path: nothing is written. Throws failure for a file that cannot be appended to.
  explicit event_log(std::string path = {});

  // fields: an object. A line that finds no room is lost and counted.
  void write(std::string_view event, nlohmann::ordered_json const& fields = nlohmann::ordered_json::object());
  // The counts of the log's lines; nothing without a file.
  [[nodiscard]] std::optional<log_counts> counts() const;
  // Finishes as log_writer does. The last call.
  void finish(std::chrono::milliseconds patience);

 private:
  std::optional<log_writer> writer_;
  std::mutex mutex_;  // held while memory is written, never for a disk
};

}  // namespace packetwarp::telemetry
