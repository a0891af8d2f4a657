// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-bw/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>

#include "base/units.h"
#include "cli/rdma-bw/end_counters.h"
#include "rdma/engine/counter_names.h"

namespace packetwarp {
namespace {

constexpr double mib = 1 << 20;
constexpr std::string_view rule =
    "---------------------------------------------------------------------------------------\n";

constexpr std::string_view columns =
    " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n";

[[nodiscard]] std::string_view name_of(rdma::initiator posting) {
  return posting == rdma::initiator::gpu ? "gpu" : "cpu";
}
// "" or ", GPU 0 to GPU 1"
[[nodiscard]] std::string gpus_of(rdma_bw_options const& options) {
  auto const& test = options.test;
  return test.target_gpu ? fmt::format(", GPU {} to GPU {}", test.gpu, *test.target_gpu) : "";
}

[[nodiscard]] nlohmann::json json_of(rdma::write_test_result const& result) {
  return {{"bytes", result.bytes},
          {"iterations", result.iterations},
          {"peak_bytes_per_second", result.peak_bytes},
          {"average_bytes_per_second", result.average_bytes},
          {"messages_per_second", result.messages},
          {"post_ns", result.post_ns},
          {"commit_ns", result.commit_ns},
          {"flush_ns", result.flush_ns},
          {"checked_bytes", result.checked_bytes}};
}

[[nodiscard]] nlohmann::json json_of(rdma::engine_counters const& engine) {
  nlohmann::json made;
  for (auto const& [name, value] : rdma::with_names(engine)) made[name] = value;
  return made;
}

[[nodiscard]] std::string times_table(std::vector<rdma::write_test_result> const& results) {
  auto text = fmt::format("{} #bytes     post[us]       commit[us]     flush[us]\n", rule);
  for (auto const& one : results)
    text += fmt::format(" {:<7}    {:<10.3f}     {:<10.3f}     {:<10.3f}\n", one.bytes, one.post_ns / 1e3,
                        one.commit_ns / 1e3, one.flush_ns / 1e3);
  return text += rule;
}

}  // namespace

std::string head_of(rdma_bw_options const& options) {
  return fmt::format("RDMA write bandwidth: initiator {}, transport {}{}, {} queue{}, {} writes per iteration\n{}{}",
                     name_of(options.test.posting), to_string(options.transport), gpus_of(options), options.test.queues,
                     options.test.queues == 1 ? "" : "s", options.test.posts, rule, columns);
}

std::string line_of(rdma::write_test_result const& result) {
  return fmt::format(" {:<7}    {:<10}       {:<7.2f}            {:<7.2f}              {:<7.6f}\n", result.bytes,
                     result.iterations, result.peak_bytes / mib, result.average_bytes / mib, result.messages / 1e6);
}

std::string times_of(rdma_bw_options const& options, std::vector<rdma::write_test_result> const& results,
                     rdma::engine_counters const& engine) {
  std::uint64_t checked = 0;
  for (auto const& one : results) checked += one.checked_bytes;
  auto const bytes = format_size(checked);
  if (options.transport == rdma_transport::store)
    return times_table(results) + fmt::format(
                                      "stored: {} writes, no commit, and flush is the fence after them; {} of "
                                      "target checked, all right\n",
                                      engine.writes, bytes);
  return times_table(results) +
         fmt::format("engine: {} writes, {} doorbells, {} completions; {} of target checked, all right\n",
                     engine.writes, engine.doorbells, engine.completions, bytes);
}

std::string to_json(rdma_bw_options const& options, std::vector<rdma::write_test_result> const& results,
                    rdma::engine_counters const& engine) {
  nlohmann::json sizes = nlohmann::json::array();
  for (auto const& one : results) sizes.push_back(json_of(one));
  nlohmann::json made{{"version", 1},
                      {"initiator", name_of(options.test.posting)},
                      {"transport", to_string(options.transport)},
                      {"queues", options.test.queues},
                      {"posts", options.test.posts},
                      {"results", sizes},
                      {"engine", json_of(engine)}};
  if (options.test.target_gpu) {
    made["gpu"] = options.test.gpu;
    made["target_gpu"] = *options.test.target_gpu;
  }
  return made.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string line_of_waiting(rdma_bw_options const& options) {
  return fmt::format("waiting for a client on TCP port {}\n", options.network.peer.tcp_port);
}

std::string head_of(rdma_bw_options const& options, network_report const& report) {
  bool const serves = options.network.peer.server.empty() && !options.both_ways;
  return fmt::format("RDMA write bandwidth: transport {}, {} {} (exchange {}), {} queue{}{}{}\n{}{}{}",
                     to_string(options.transport),
                     options.both_ways ? "writing to and written by"
                     : serves          ? "written by"
                                       : "writing to",
                     report.peer, report.peer_version, options.test.queues, options.test.queues == 1 ? "" : "s",
                     mtu_of(report.mtu), serves ? "" : fmt::format(", {} writes per iteration", options.test.posts),
                     lines_of(report.properties), rule, columns);
}

std::string line_of(rdma::told_result const& told) {
  return fmt::format(" {:<7}    {:<10}       {:<7.2f}            {:<7.2f}              {:<7.6f}\n", told.bytes,
                     told.iterations, told.peak, told.average, told.messages);
}

std::string line_of_both(rdma::two_way_result const& both) {
  auto sum = both.own;
  sum.peak_bytes += both.peers.peak * mib;
  sum.average_bytes += both.peers.average * mib;
  sum.messages += both.peers.messages * 1e6;
  return line_of(sum);
}

std::string end_of(network_report const& report) {
  auto text = report.results.empty() ? std::string{rule} : times_table(report.results);
  if (!report.results.empty() && report.told)
    text += fmt::format("average: this end wrote {:.2f} MB/s, the peer {:.2f} MB/s\n",
                        report.results.front().average_bytes / mib, report.told->average);
  text += line_of_counters(report.counters);
  if (report.checked_bytes)
    text += fmt::format("{} of the target checked, all right\n", format_size(*report.checked_bytes));
  return text;
}

std::string to_json(rdma_bw_options const& options, network_report const& report) {
  nlohmann::json sizes = nlohmann::json::array();
  for (auto const& one : report.results) sizes.push_back(json_of(one));
  nlohmann::json made{{"version", 1},
                      {"initiator", name_of(options.test.posting)},
                      {"payload", has_bytes_on_gpu(options.network.end) ? "gpu" : "host"},
                      {"transport", to_string(options.transport)},
                      {"role", options.network.peer.server.empty() ? "server" : "client"},
                      {"both_ways", options.both_ways},
                      {"peer", report.peer},
                      {"peer_version", report.peer_version},
                      {"queues", options.test.queues},
                      {"posts", options.test.posts},
                      {"results", sizes},
                      {"counters", nlohmann::json::object()}};
  if (report.mtu != 0) made["mtu"] = report.mtu;
  for (auto const& [name, text] : report.properties) made[name] = text;
  for (auto const& [name, value] : report.counters) made["counters"][name] = value;
  if (report.told)
    made["told"] = {{"bytes", report.told->bytes},
                    {"iterations", report.told->iterations},
                    {"peak_mib_per_second", report.told->peak},
                    {"average_mib_per_second", report.told->average},
                    {"millions_per_second", report.told->messages}};
  if (report.checked_bytes) made["checked_bytes"] = *report.checked_bytes;
  if (!report.error.empty()) made["error"] = report.error;
  return made.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace packetwarp
