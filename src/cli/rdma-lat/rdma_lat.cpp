// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/rdma-bw/end_counters.h"
#include "cli/rdma-lat/options.h"
#include "cli/rdma-lat/report.h"
#include "cli/result_file.h"
#include "rdma/bandwidth/gpu_needed.h"

namespace packetwarp {

namespace {

class lat_printer {
 public:
  explicit lat_printer(result_file const& result) : quiet_{result.is_standard_output()} {}
  void operator()(std::string const& text) const {
    if (quiet_) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

 private:
  bool quiet_;
};

// Between two kernels of this process.
void run_pair(rdma_lat_options const& options, result_file& result) {
  lat_printer const print{result};
  rdma::require_any_gpu("--transport roce");
  rdma::pair_latency test{options.pair};
  print(head_of(options));
  latency_report report;
  for (auto const bytes : options.sizes) {
    auto const times = test.run(bytes, options.iterations);
    std::vector<double> us;
    us.reserve(times.between.size());
    for (auto const ns : times.between) us.push_back(ns / 2e3);
    report.results.push_back(rdma::summarize_latency(us, bytes, options.iterations));
    print(line_of(report.results.back()));
    if (stop_requested() != stop_request::none) break;
  }
  print(fmt::format("{} of targets checked, all right\n", format_size(test.checked_bytes())));
  if (!options.json.empty()) result.write(to_json(options, report.results, test.checked_bytes()));
}

void run_lat_test(rdma_lat_options const& options, rdma::connected_pair& pair, latency_report& report,
                  lat_printer const& print) {
  rdma::network_latency test{pair, options.network.end};
  for (auto const bytes : options.sizes) {
    report.results.push_back(test.run(bytes, options.iterations));
    print(line_of(report.results.back()));
  }
  test.finish();
}

void run_across(invocation const& call, rdma_lat_options const& options, result_file& result) {
  lat_printer const print{result};
  auto ours = open_end(call, options.transport, options.network);
  auto const port = options.network.peer.tcp_port;
  rdma::connected_pair pair{*ours.end, options.network.peer,
                            [&] { print(fmt::format("waiting for a client on TCP port {}\n", port)); }};
  latency_report report{.peer = pair.exchange().stream().peer(),
                        .peer_version = pair.exchange().peer_version(),
                        .mtu = options.transport == rdma_transport::shm ? 0 : pair.mtu(),
                        .properties = ours.end->properties()};
  print(head_of(options, report));
  try {
    run_lat_test(options, pair, report, print);
    ours.end->stop();
    report.counters = ours.end->counters();
  } catch (failure const& wrong) {
    report.counters = counters_after_failure(*ours.end);
    report.error = with_own_part(wrong.what(), report.counters);
  }
  print(line_of_counters(report.counters));
  if (!options.json.empty()) result.write(to_json(options, report));
  if (!report.error.empty()) throw failure(report.error);
}

}  // namespace

int run_rdma_lat(invocation const& call) {
  auto const options = parse_rdma_lat_options(call);
  result_file result{options.json};
  if (has_peer(options.transport)) {
    run_across(call, options, result);
  } else {
    run_pair(options, result);
  }
  return exit_success;
}

}  // namespace packetwarp
