// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <mutex>
#include <string>
#include <string_view>

namespace packetwarp::telemetry {

// What happens to a run, for programs that read logs: one JSON object a line, {"time":...,"event":...} and the event's
// own fields. Appends to a file, each line in one write, so that it can be rotated by copying and cut lines are none.
// For threads that may wait for a disk: the master and those beside it, never a worker.
class event_log {
 public:
  // Empty path: nothing is written. Throws failure for a file that cannot be appended to.
  explicit event_log(std::string path = {});
  event_log(event_log const&) = delete;
  event_log& operator=(event_log const&) = delete;
  ~event_log();

  // fields: an object. A line that cannot be written is told once in the program's log, and is lost.
  void write(std::string_view event, nlohmann::ordered_json const& fields = nlohmann::ordered_json::object());

 private:
  std::string path_;
  int file_{-1};
  std::mutex mutex_;
  bool has_complained_{false};
};

}  // namespace packetwarp::telemetry
