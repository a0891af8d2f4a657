// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/results/results.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace packetwarp::bench {
namespace {

template <class Measured, class Parameters>
std::optional<double> median_mpps(std::vector<Measured> const& all, Parameters const& what) {
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.what == what; });
  if (found == all.end()) return std::nullopt;
  auto const over = found->spread_over(&figures::mpps);
  return over ? std::optional{over->median} : std::nullopt;
}

}  // namespace

std::string_view to_string(case_status status) {
  switch (status) {
    case case_status::pending:
      return "pending";
    case case_status::ok:
      return "ok";
    case case_status::failed:
      return "failed";
    case case_status::unsupported:
      return "unsupported";
  }
  return "unknown";
}

std::optional<telemetry::latency_percentiles> median_latency(bench_case const& of) {
  std::vector<double> p50, p99, p999;
  for (auto const& run : of.runs) {
    if (!run.latency_us) continue;
    p50.push_back(run.latency_us->p50);
    p99.push_back(run.latency_us->p99);
    p999.push_back(run.latency_us->p999);
  }
  if (!of.has_figures() || p50.empty()) return std::nullopt;
  return telemetry::latency_percentiles{spread_of(std::move(p50))->median, spread_of(std::move(p99))->median,
                                        spread_of(std::move(p999))->median};
}

void add_notice(results& to, std::string const& notice) {
  if (std::find(to.notices.begin(), to.notices.end(), notice) == to.notices.end()) to.notices.push_back(notice);
}

void require_figures(results const& all) {
  if (all.cases.empty() || std::ranges::any_of(all.cases, &bench_case::has_figures)) return;
  throw failure(fmt::format("no case has a figure; the first was {}: {}", to_string(all.cases.front().status),
                            all.cases.front().reason));
}

beside figures_beside(results const& all, bench_case const& one) {
  auto const peer_mpps = [&](testpmd_mode mode) -> std::optional<double> {
    auto const what = peer_of(one.what, mode);
    return what ? median_mpps(all.peers, *what) : std::nullopt;
  };
  return {.none = median_mpps(all.cases, with_executor(one.what, executor_kind::none)),
          .cpu = median_mpps(all.cases, with_executor(one.what, executor_kind::cpu)),
          .testpmd_io = peer_mpps(testpmd_mode::io),
          .testpmd_macswap = peer_mpps(testpmd_mode::macswap)};
}

namespace {

// The name of a host's GPU, by its index.
[[nodiscard]] std::string gpu_name(nlohmann::ordered_json const& host, nlohmann::ordered_json const& index) {
  for (auto const& gpu : host.value("gpus", nlohmann::ordered_json::array())) {
    if (gpu.value("index", nlohmann::ordered_json{}) == index) return gpu.value("name", "unknown");
  }
  return "none";
}

}  // namespace

std::string difference(results const& then, results const& now) {
  if (then.version != now.version) return fmt::format("version {}, this is {}", then.version, now.version);
  if (then.commit != now.commit) return fmt::format("commit {}, this is {}", then.commit, now.commit);
  for (auto const* key : {"cpu_model", "cpus", "numa_nodes", "kernel", "distribution", "dpdk", "compiler"}) {
    auto const was = then.host.value(key, nlohmann::ordered_json{});
    auto const is = now.host.value(key, nlohmann::ordered_json{});
    if (was != is) return fmt::format("{} {}, this is {}", key, was.dump(), is.dump());
  }
  for (auto const& gpu : then.host.value("gpus", nlohmann::ordered_json::array())) {
    auto const index = gpu.value("index", nlohmann::ordered_json{});
    auto const was = gpu_name(then.host, index);
    auto const is = gpu_name(now.host, index);
    if (was != is) return fmt::format("GPU {} {}, this is {}", index.dump(), was, is);
  }
  return {};
}

}  // namespace packetwarp::bench
