// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "telemetry/traffic.h"

namespace packetwarp::bench {
namespace {

// Lcores that a case can use: one for each group of jobs, one to watch, and one for the generator if one exists.
std::uint32_t wanted_lcores(parameters const& what) {
  std::uint32_t groups = 2;
  if (what.workers == arrangement::run_to_completion) groups = 1;
  if (what.workers == arrangement::pair_cpu) groups = 3;
  return groups * what.pipelines + 1 + (what.offered_mpps ? 1 : 0);
}

template <class T>
void add_once(std::vector<T>& to, T one) {
  if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(std::move(one));
}

// Adds a case of every executor under the same conditions.
void add_executors(std::vector<parameters>& to, parameters const& same, matrix const& m) {
  add_once(to, with_executor(same, executor_kind::none));
  add_once(to, with_executor(same, executor_kind::cpu));
  for (auto const executor : m.executors) {
    for (auto const where : m.placements) {
      auto one = same;
      one.where = where;
      add_once(to, with_executor(one, executor));
    }
  }
}

// The offered loads: none first, for full speed, then each rate.
std::vector<std::optional<double>> offers_of(matrix const& m, std::uint32_t frame_bytes) {
  std::vector<std::optional<double>> all{std::nullopt};
  for (auto const& how_fast : m.offered) all.emplace_back(to_mpps(how_fast, frame_bytes, "--rate"));
  return all;
}

}  // namespace

std::string describe(parameters const& what) {
  auto text = fmt::format("{}, burst {}, {} B, {} pipeline{}", to_string(what.executor), what.burst, what.frame_bytes,
                          what.pipelines, what.pipelines == 1 ? "" : "s");
  if (what.where != placement::host) text += fmt::format(", {} memory", to_string(what.where));
  if (what.packet_time.count() != 0) {
    text += fmt::format(", {} a packet", format_duration(static_cast<double>(what.packet_time.count())));
  }
  if (what.workers != arrangement::run_to_completion) text += fmt::format(", {}", to_string(what.workers));
  if (what.offered_mpps) text += fmt::format(", {}pps offered", format_si(*what.offered_mpps * 1e6));
  return text;
}

parameters with_executor(parameters what, executor_kind executor) {
  what.executor = executor;
  if (!needs_gpu(executor)) what.where = placement::host;
  if (executor == executor_kind::none) what.packet_time = std::chrono::nanoseconds{0};
  return what;
}

std::string_view to_string(testpmd_mode mode) { return mode == testpmd_mode::io ? "io" : "macswap"; }

std::optional<peer_parameters> peer_of(parameters const& what, testpmd_mode mode) {
  constexpr std::uint32_t most_burst = 512;  // testpmd's MAX_PKT_BURST
  bool const comparable = !what.offered_mpps && what.packet_time.count() == 0 && what.lcores > 1 &&
                          what.workers == arrangement::run_to_completion && what.burst <= most_burst;
  if (!comparable) return std::nullopt;
  return peer_parameters{.mode = mode,
                         .burst = what.burst,
                         .frame_bytes = what.frame_bytes,
                         .pipelines = what.pipelines,
                         .lcores = what.lcores};
}

std::vector<parameters> cases_of(matrix const& m, std::uint32_t lcores) {
  std::vector<parameters> all;
  parameters one;
  auto const add_bursts = [&] {
    one.lcores = std::min(lcores, wanted_lcores(one));
    for (auto const burst : m.bursts) {
      one.burst = burst;
      add_executors(all, one, m);
    }
  };
  for (auto const& function : m.functions) {
    one.function = function;
    for (auto const pipelines : m.pipelines) {
      one.pipelines = pipelines;
      for (auto const workers : m.workers) {
        one.workers = workers;
        for (auto const frame_bytes : m.frame_bytes) {
          one.frame_bytes = frame_bytes;
          for (auto const packet_time : m.packet_times) {
            one.packet_time = packet_time;
            for (auto const offered : offers_of(m, frame_bytes)) {
              one.offered_mpps = offered;
              add_bursts();
            }
          }
        }
      }
    }
  }
  return all;
}

std::vector<peer_parameters> peers_of(std::vector<parameters> const& cases) {
  std::vector<peer_parameters> all;
  for (auto const& one : cases) {
    for (auto const mode : {testpmd_mode::io, testpmd_mode::macswap}) {
      if (auto const beside = peer_of(one, mode)) add_once(all, *beside);
    }
  }
  return all;
}

double to_mpps(rate const& how_fast, std::uint32_t frame_bytes, std::string_view what) {
  using enum rate::unit;
  switch (how_fast.in) {
    case packets_per_second:
      return how_fast.value / 1e6;
    case l2_bits_per_second:
      return how_fast.value / (8.0 * frame_bytes) / 1e6;
    case l1_bits_per_second:
      return how_fast.value / (8.0 * static_cast<double>(frame_bytes + telemetry::traffic::framing_bytes)) / 1e6;
    case line_percent:
    case unlimited:
      break;
  }
  throw usage_error(
      fmt::format("{}: there is no line to take a share of; give packets or bits, as 10mpps or 10gbps", what));
}

}  // namespace packetwarp::bench
