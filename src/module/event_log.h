// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/log/log_writer.h"

namespace packetwarp {

// The file or FIFO of a stage's events, which a user may have asked for. For the master.
class event_log {
 public:
  // stage: the word in the network's file. path: empty: no file. room: bytes of lines that wait. Throws failure
  // with the stage's word if the file cannot be opened.
  event_log(std::string_view stage, std::string const& path, std::size_t room);

  // The line is lost, and counted, if it finds no room. Without a file nothing happens.
  void put(std::string_view line) {
    if (writer_) (void)writer_->put(line);
  }
  [[nodiscard]] bool is_open() const { return writer_.has_value(); }
  void flush() {
    if (writer_) writer_->flush();
  }
  // Gives the disk or the reader two more seconds. The last call.
  void finish();
  // Nothing without a file.
  [[nodiscard]] std::optional<log_counts> counts() const {
    return writer_ ? std::optional{writer_->counts()} : std::nullopt;
  }

 private:
  std::optional<log_writer> writer_;
};

}  // namespace packetwarp
