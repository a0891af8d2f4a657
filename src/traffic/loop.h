// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "master/data_plane.h"
#include "plan/plan.h"
#include "port/ring_wire.h"
#include "traffic/exchange.h"
#include "traffic/referee.h"

namespace packetwarp::traffic {

// packetwarp's own data plane between a generator and its verifier, in one process, on wires of rings:
//   generator -> wire -> rx, function, tx -> wire -> verifier
// Every pipeline of the data plane is fed by a queue of its own. The data plane has two ports, which are peers, so
// packets that are sent on one wire come back on the other. Each packet is an mbuf of the generator from end to end.
class loop {
 public:
  static constexpr std::uint32_t wire_depth = 1024;  // packets, of each direction of each queue
  static constexpr std::uint16_t wires = 2;
  static constexpr std::uint16_t most_pipelines = wires * ring_wire::most_queues;

  // name: of the wires, unique in the process. The config's `expected` follows from the data plane's executor and
  // function; it has at most most_pipelines. Throws usage_error or failure.
  loop(std::string const& name, exchange_config config, data_plane_config plane);

  // Called once. Returns when all packets are back or --linger is over.
  exchange_result run(referee::timing const& times, referee::period_callback on_period);

  [[nodiscard]] data_plane const& plane() const { return *plane_; }
  [[nodiscard]] exchange const& ends() const { return *exchange_; }
  [[nodiscard]] referee::end_cause cause() const { return cause_; }

 private:
  void make_plan_of(data_plane_config config);
  [[nodiscard]] std::vector<direction> directions() const;
  [[nodiscard]] std::uint32_t packets_under_way() const;
  [[nodiscard]] port_id outer_end(port_id inner) const;

  std::deque<ring_wire> wires_;
  std::vector<lcore_id> own_lcores_;  // of the generator's jobs
  std::size_t lcores_{};
  plan plan_;
  std::optional<exchange> exchange_;  // its packets are in the data plane, too
  std::optional<data_plane> plane_;
  referee::end_cause cause_{};
};

}  // namespace packetwarp::traffic
