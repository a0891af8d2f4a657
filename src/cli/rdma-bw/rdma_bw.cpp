// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"
#include "cli/command.h"
#include "cli/rdma-bw/end_counters.h"
#include "cli/rdma-bw/options.h"
#include "cli/rdma-bw/report.h"
#include "cli/result_file.h"

namespace packetwarp {
namespace {

class printer {
 public:
  explicit printer(result_file const& result) : quiet_{result.is_standard_output()} {}
  void operator()(std::string const& text) const {
    if (quiet_) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

 private:
  bool quiet_;
};

void run_within(rdma_bw_options const& options, result_file& result) {
  printer const print{result};
  rdma::write_test test{options.test};
  print(head_of(options));
  std::vector<rdma::write_test_result> results;
  for (auto const bytes : options.sizes) {
    results.push_back(test.run(bytes, options.iterations));
    print(line_of(results.back()));
    if (stop_requested() != stop_request::none) break;
  }
  auto const engine = test.stop();
  print(times_of(options, results, engine));
  if (!options.json.empty()) result.write(to_json(options, results, engine));
}

void run_client(rdma_bw_options const& options, rdma::connected_pair& pair, network_report& report,
                printer const& print) {
  rdma::network_bandwidth test{pair};
  for (auto const bytes : options.sizes) {
    report.results.push_back(test.run(bytes, options.test.posts, options.iterations));
    print(line_of(report.results.back()));
    if (stop_requested() != stop_request::none) break;
  }
  test.tell(report.results.back(), options.test.posts, options.test.queues);
}

void run_server(rdma_bw_options const& options, rdma::connected_pair& pair, network_report& report,
                printer const& print) {
  rdma::network_bandwidth test{pair};
  report.told = test.await();
  require_executed(*report.told, pair);
  print(line_of(*report.told));
  if (options.validate) report.checked_bytes = test.check(*report.told, options.test.queues);
}

void run_both_ways(rdma_bw_options const& options, rdma::connected_pair& pair, network_report& report,
                   printer const& print) {
  rdma::network_bandwidth test{pair};
  auto const both = test.run_both_ways(options.test.largest, options.test.posts, options.iterations);
  report.results.push_back(both.own);
  report.told = both.peers;
  require_executed(both.peers, pair);
  print(line_of_both(both));
  if (options.validate) report.checked_bytes = test.check(both.peers, options.test.queues);
}

void run_test(rdma_bw_options const& options, rdma::connected_pair& pair, network_report& report,
              printer const& print) {
  if (options.both_ways) {
    run_both_ways(options, pair, report, print);
  } else if (pair.role() == rdma::exchange_role::client) {
    run_client(options, pair, report, print);
  } else {
    run_server(options, pair, report, print);
  }
}

void run_across(invocation const& call, rdma_bw_options const& options, result_file& result) {
  printer const print{result};
  auto ours = open_end(call, options.transport, options.network);
  rdma::connected_pair pair{*ours.end, options.network.peer, [&] { print(line_of_waiting(options)); }};
  network_report report{.peer = pair.exchange().stream().peer(),
                        .peer_version = pair.exchange().peer_version(),
                        .mtu = options.transport == rdma_transport::shm ? 0 : pair.mtu(),
                        .properties = ours.end->properties()};
  print(head_of(options, report));
  try {
    run_test(options, pair, report, print);
    ours.end->stop();
    report.counters = ours.end->counters();
  } catch (failure const& wrong) {
    report.counters = counters_after_failure(*ours.end);
    report.error = with_own_part(wrong.what(), report.counters);
  }
  print(end_of(report));
  if (!options.json.empty()) result.write(to_json(options, report));
  if (!report.error.empty()) throw failure(report.error);
}

}  // namespace

int run_rdma_bw(invocation const& call) {
  auto const options = parse_rdma_bw_options(call);
  result_file result{options.json};
  if (has_peer(options.transport)) {
    run_across(call, options, result);
  } else {
    run_within(options, result);
  }
  return exit_success;
}

}  // namespace packetwarp
