// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"
#include "cli/command.h"
#include "cli/rdma-bw/options.h"
#include "cli/rdma-bw/report.h"
#include "cli/result_file.h"

namespace packetwarp {

int run_rdma_bw(invocation const& call) {
  auto const options = parse_rdma_bw_options(call);
  result_file result{options.json};
  auto const print = [&](std::string const& text) {
    if (result.is_standard_output()) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  rdma::write_test test{options.test};
  print(head_of(options));
  std::vector<rdma::write_test_result> results;
  for (auto const bytes : options.sizes) {
    results.push_back(test.run(bytes, options.iterations));
    print(line_of(results.back()));
    if (stop_requested() != stop_request::none) break;
  }
  auto const engine = test.stop();
  print(times_of(results, engine));
  if (!options.json.empty()) result.write(to_json(options, results, engine));
  return exit_success;
}

}  // namespace packetwarp
