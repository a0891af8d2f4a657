// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/l2fwd/options.h"
#include "cli/result_file.h"
#include "topology/supervisor.h"

namespace packetwarp {

int run_l2fwd(invocation const& call) {
  auto const options = parse_l2fwd_options(call);
  result_file result{options.json};
  auto const eal = start_eal(call);
  data_plane plane{make_plan(options.plane, read_machine())};
  supervisor master{plane, options.limits, [](measurement const& m) {
                      fmt::print("{:.2f} Mpps\n",
                                 static_cast<double>(m.to.tx_packets - m.from.tx_packets) / m.seconds() / 1e6);
                    }};
  plane.workers().run(master, std::chrono::seconds{2});
  auto const& m = master.measured();
  fmt::print("{} s {:.2f} Mpps rx {} tx {} dropped {} bursts {}\n", m.seconds(),
             static_cast<double>(m.to.tx_packets - m.from.tx_packets) / m.seconds() / 1e6, plane.totals().rx_packets,
             plane.totals().tx_packets, plane.totals().dropped_packets, plane.totals().bursts);
  return exit_success;
}

}  // namespace packetwarp
