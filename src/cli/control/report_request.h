// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include "cli/control/line_server.h"
#include "request/request.h"
#include "telemetry/report_board.h"

namespace packetwarp {

// "report": the run's report of the moment, as --json writes it at the end. For any number of clients, one thread at a
// time writes it, and all clients that want the same report get the same text. For one thread.
class report_answers {
 public:
  // The board outlives all of the work.
  explicit report_answers(telemetry::report_board& board) : board_{board} {}
  [[nodiscard]] request_work answer(request const& asked);

 private:
  // A report as a line, or on its way to one.
  struct written {
    std::uint64_t number{};  // of the begun ones
    telemetry::report_board::shared_report report;
    std::shared_future<std::string> line;
    [[nodiscard]] bool is_ready() const {
      return line.valid() && line.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    }
  };
  telemetry::report_board& board_;
  std::shared_ptr<written> newest_{std::make_shared<written>()};
};

}  // namespace packetwarp
