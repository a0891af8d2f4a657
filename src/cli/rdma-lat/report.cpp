// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-lat/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>

namespace packetwarp {

namespace {

constexpr std::string_view columns_of_latency =
    "---------------------------------------------------------------------------------------\n"
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% "
    "percentile[usec]   99.9% percentile[usec]\n";

[[nodiscard]] nlohmann::json json_of(std::vector<rdma::latency_result> const& results) {
  nlohmann::json sizes = nlohmann::json::array();
  for (auto const& one : results) {
    sizes.push_back({{"bytes", one.bytes},
                     {"iterations", one.iterations},
                     {"min_us", one.least},
                     {"max_us", one.most},
                     {"typical_us", one.typical},
                     {"average_us", one.average},
                     {"deviation_us", one.deviation},
                     {"p99_us", one.of_99_percent},
                     {"p999_us", one.of_999_per_mille}});
  }
  return sizes;
}

}  // namespace

std::string head_of(rdma_lat_options const& options, latency_report const& report) {
  return fmt::format("RDMA write latency: transport {}, {} {} (exchange {}){}\n{}{}", to_string(options.transport),
                     options.network.peer.server.empty() ? "server of" : "client of", report.peer, report.peer_version,
                     mtu_of(report.mtu), lines_of(report.properties), columns_of_latency);
}

std::string head_of(rdma_lat_options const& options) {
  return fmt::format("RDMA write latency: transport {}, GPU {} and GPU {}, a write and a signal each way\n{}",
                     to_string(options.transport), options.pair.gpu, options.pair.target_gpu, columns_of_latency);
}

std::string line_of(rdma::latency_result const& result) {
  return fmt::format(
      " {:<7} {:<10}     {:<7.2f}        {:<7.2f}      {:<7.2f}\t       {:<7.2f}     \t{:<7.2f}\t\t{:<7.2f} "
      "\t\t{:<7.2f}\n",
      result.bytes, result.iterations, result.least, result.most, result.typical, result.average, result.deviation,
      result.of_99_percent, result.of_999_per_mille);
}

std::string to_json(rdma_lat_options const& options, latency_report const& report) {
  nlohmann::json made{{"version", 1},
                      {"transport", to_string(options.transport)},
                      {"role", options.network.peer.server.empty() ? "server" : "client"},
                      {"peer", report.peer},
                      {"peer_version", report.peer_version},
                      {"results", json_of(report.results)},
                      {"counters", nlohmann::json::object()}};
  if (report.mtu != 0) made["mtu"] = report.mtu;
  for (auto const& [name, text] : report.properties) made[name] = text;
  for (auto const& [name, value] : report.counters) made["counters"][name] = value;
  if (!report.error.empty()) made["error"] = report.error;
  return made.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string to_json(rdma_lat_options const& options, std::vector<rdma::latency_result> const& results,
                    std::uint64_t checked_bytes) {
  return nlohmann::json{{"version", 1},
                        {"transport", to_string(options.transport)},
                        {"gpu", options.pair.gpu},
                        {"target_gpu", options.pair.target_gpu},
                        {"results", json_of(results)},
                        {"checked_bytes", checked_bytes}}
      .dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace packetwarp
