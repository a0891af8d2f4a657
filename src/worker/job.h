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
  draining,    // ports are no longer polled; received packets are finished and sent
  abandoning,  // packets in flight are dropped as "shutdown" instead of sent
  halted       // workers return
};

// The arguments of each poll of a job.
struct tick {
  // The moment of `now`: just before this poll, or when the loop iteration began.
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

  // Does a little work; returns how many packets it moved, 0 if it had nothing to do.
  virtual std::uint32_t poll(tick const& t) = 0;
  // The port's device is taken away: from here on the job does not touch the port. Packets that wait for the port are
  // dropped. Called on the job's thread, between two polls, under the same restrictions as poll().
  virtual void leave(port_id /*gone*/, cycles /*now*/) {}
  // The port that the job left is started again: from here on the job uses it as before. Called as leave() is.
  virtual void rejoin(port_id /*back*/) {}
  // The name in tables: "receive 0".
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace packetwarp
