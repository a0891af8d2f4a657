// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/cycles.h"
#include "base/ids.h"

namespace packetwarp {

// The phase of a data plane's life. Only ever moves forward; set by the master, read by every worker.
enum class run_phase : int {
  running,
  draining,    // ports are no longer polled; what was received is finished and sent
  abandoning,  // what is in flight is dropped as "shutdown" instead of sent
  halted       // workers return
};

// The words to a job each time it is polled.
struct tick {
  // How fresh `now` is: read just before this poll, or when the loop iteration began.
  enum class clock : std::uint8_t { fresh, of_turn };

  cycles now;
  run_phase phase;
  clock read{clock::fresh};
};

// A non-blocking piece of work that a worker polls in turn with its others. It must not block, allocate, throw or log.
class job {
 public:
  job() = default;
  job(job const&) = delete;
  job& operator=(job const&) = delete;
  virtual ~job() = default;

  // Does a little work; says how many packets it moved, 0 when there was nothing to do.
  virtual std::uint32_t poll(tick const& t) = 0;
  // The port's device is taken away: from here on the job touches the port no more. Packets that wait for it are
  // dropped. On the job's thread, between two polls, and bound as a poll is.
  virtual void leave(port_id /*gone*/, cycles /*now*/) {}
  // The port that the job left is started again: from here on the job uses it as before. Called as leave() is.
  virtual void rejoin(port_id /*back*/) {}
  // As people see it in tables: "receive 0".
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace packetwarp
