// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cycles.h"
#include "master/driver_call.h"
#include "port/port.h"
#include "port/removal/removal_signs.h"
#include "worker/worker_messages.h"
#include "worker/workforce.h"

namespace packetwarp {

// Starts ports again whose physical functions were reset while a data plane runs, and waits for nothing:
//   serving -> leaving -> waiting -> starting -> rejoining -> serving
//   leaving:   each worker is told by a message, and its jobs touch the port no more;
//   waiting:   until no other thread calls drivers, and after a failed start for between_tries;
//   starting:  a thread beside the workers stops the port and starts it as it was set up, once its link is up; a port
//              that cannot be started is tried again;
//   rejoining: each worker is told to use the port again.
// Ports are started one at a time. For the master.
class port_restarts {
 public:
  static constexpr std::chrono::milliseconds between_looks{20};
  static constexpr std::chrono::seconds between_tries{1};
  // A driver that forgets its queues with its link starts in a few ms. If a physical function does not answer, the
  // driver waits this long, or longer, and reports success. That function may have been reset meanwhile, so the port is
  // started again.
  static constexpr std::chrono::seconds answer_time{1};

  struct hooks {
    // The master itself stops using the port, or uses it again.
    std::function<void(port_id)> leave;
    std::function<void(port_id)> rejoin;
    // Whether the data plane has flow rules of its own in the port.
    std::function<bool(port_id)> has_rules;
    // Whether no other thread calls drivers.
    std::function<bool()> may_call;
  };
  // All arguments outlive the object.
  port_restarts(std::deque<port>& ports, workforce& workers, removal_signs& signs, hooks on);

  // Called in the master's loop iterations. Throws failure if no thread can be made.
  void look(cycles now);
  // Whether a thread calls a driver.
  [[nodiscard]] bool is_calling() const { return starter_.has_value(); }

 private:
  enum class stage : std::uint8_t { serving, leaving, waiting, starting, rejoining };
  struct entry {
    port* of;
    std::size_t position;
    stage at{stage::serving};
    cycles next_look{0};
    cycles since{0};  // when the workers were told to leave the port
    cycles began{0};  // when its start began
    cycles next_try{0};
    bool has_failed{false};  // a failure has been reported
    std::optional<broadcast> told{};
  };
  void serve(entry& e, cycles now);
  [[nodiscard]] std::string_view why_it_stays(port const& p) const;
  void begin(entry& e, cycles now);
  void start(entry& e, cycles now);
  [[nodiscard]] std::optional<std::string> refusal_of(entry const& e, cycles now) const;
  void end(entry& e, cycles now);

  workforce& workers_;
  removal_signs& signs_;
  hooks on_;
  std::deque<entry> entries_;           // by position of the ports
  std::optional<driver_call> starter_;  // while a port is starting
};

}  // namespace packetwarp
