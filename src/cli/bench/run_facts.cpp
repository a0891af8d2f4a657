// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/run_facts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <rte_version.h>

#include <ctime>
#include <vector>

#include "bench/command_lines.h"
#include "cli/result_file.h"
#include "telemetry/host_info.h"
#include "telemetry/run_report.h"

namespace packetwarp::bench {

nlohmann::ordered_json own_host() {
  telemetry::run_report report;
  report.host = telemetry::read_host_info({.dpdk = rte_version(), .tsc_hz = 0});
  return nlohmann::ordered_json::parse(telemetry::to_json(report)).at("host");
}

std::string time_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}", fmt::gmtime(std::time(nullptr))); }

std::string command_line_of(invocation const& call) {
  std::vector<std::string> words{"packetwarp", call.command};
  words.insert(words.end(), call.eal.begin(), call.eal.end());
  if (!call.options.empty()) words.emplace_back("--");
  words.insert(words.end(), call.options.begin(), call.options.end());
  return joined(words);
}

void require_writable(std::string const& path, std::string_view option) { result_file const tried{path, option}; }

}  // namespace packetwarp::bench
