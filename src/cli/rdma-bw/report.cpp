// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/rdma-bw/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>

#include "base/units.h"

namespace packetwarp {
namespace {

constexpr double mib = 1 << 20;
constexpr std::string_view rule =
    "---------------------------------------------------------------------------------------\n";

[[nodiscard]] std::string_view name_of(rdma::initiator posting) {
  return posting == rdma::initiator::gpu ? "gpu" : "cpu";
}
[[nodiscard]] std::string_view name_of(rdma::transport engine) {
  return engine == rdma::transport::gpu ? "gpu" : "host";
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
  return {{"doorbells", engine.doorbells},
          {"writes", engine.writes},
          {"bytes", engine.bytes},
          {"completions", engine.completions},
          {"local_length_errors", engine.length_errors},
          {"local_operation_errors", engine.operation_errors},
          {"local_protection_errors", engine.protection_errors},
          {"remote_access_errors", engine.access_errors},
          {"flushed", engine.flushed},
          {"queue_overruns", engine.queue_overruns},
          {"completion_overruns", engine.completion_overruns}};
}

}  // namespace

std::string head_of(rdma_bw_options const& options) {
  return fmt::format(
      "RDMA write bandwidth: initiator {}, transport {}, {} queue{}, {} writes per iteration\n{}"
      " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n",
      name_of(options.test.posting), name_of(options.test.engine), options.test.queues,
      options.test.queues == 1 ? "" : "s", options.test.posts, rule);
}

std::string line_of(rdma::write_test_result const& result) {
  return fmt::format(" {:<7}    {:<10}       {:<7.2f}            {:<7.2f}              {:<7.6f}\n", result.bytes,
                     result.iterations, result.peak_bytes / mib, result.average_bytes / mib, result.messages / 1e6);
}

std::string times_of(std::vector<rdma::write_test_result> const& results, rdma::engine_counters const& engine) {
  auto text = fmt::format("{} #bytes     post[us]       commit[us]     flush[us]\n", rule);
  std::uint64_t checked = 0;
  for (auto const& one : results) {
    text += fmt::format(" {:<7}    {:<10.3f}     {:<10.3f}     {:<10.3f}\n", one.bytes, one.post_ns / 1e3,
                        one.commit_ns / 1e3, one.flush_ns / 1e3);
    checked += one.checked_bytes;
  }
  text += rule;
  return text + fmt::format("engine: {} writes, {} doorbells, {} completions; {} of target checked, all right\n",
                            engine.writes, engine.doorbells, engine.completions, format_size(checked));
}

std::string to_json(rdma_bw_options const& options, std::vector<rdma::write_test_result> const& results,
                    rdma::engine_counters const& engine) {
  nlohmann::json sizes = nlohmann::json::array();
  for (auto const& one : results) sizes.push_back(json_of(one));
  return nlohmann::json{{"version", 1},
                        {"initiator", name_of(options.test.posting)},
                        {"transport", name_of(options.test.engine)},
                        {"queues", options.test.queues},
                        {"posts", options.test.posts},
                        {"results", sizes},
                        {"engine", json_of(engine)}}
      .dump(2);
}

}  // namespace packetwarp
