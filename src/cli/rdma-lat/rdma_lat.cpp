// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "base/error.h"
#include "cli/command.h"
#include "cli/rdma-lat/options.h"
#include "cli/rdma-lat/report.h"
#include "cli/result_file.h"

namespace packetwarp {

int run_rdma_lat(invocation const& call) {
  auto const options = parse_rdma_lat_options(call);
  result_file result{options.json};
  auto const print = [&](std::string const& text) {
    if (result.is_standard_output()) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  auto ours = open_end(call, options.transport, options.network);
  if (options.network.peer.server.empty())
    print(fmt::format("waiting for a client on TCP port {}\n", options.network.peer.tcp_port));
  rdma::connected_pair pair{*ours.end, options.network.peer};
  latency_report report{.peer = pair.exchange().stream().peer(),
                        .peer_version = pair.exchange().peer_version(),
                        .mtu = pair.mtu(),
                        .properties = ours.end->properties()};
  print(head_of(options, report));
  rdma::network_latency test{pair};
  for (auto const bytes : options.sizes) {
    report.results.push_back(test.run(bytes, options.iterations));
    print(line_of(report.results.back()));
  }
  test.finish();
  ours.end->stop();
  report.counters = ours.end->counters();
  print(losses_of(report.counters));
  if (!options.json.empty()) result.write(to_json(options, report));
  return exit_success;
}

}  // namespace packetwarp
