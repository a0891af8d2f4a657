// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/standard_error.h"
#include "base/process/stop.h"
#include "cli/capture/own_files.h"
#include "cli/command.h"
#include "cli/eal_start.h"
#include "cli/generate/options.h"
#include "cli/generate/report.h"
#include "cli/judge.h"
#include "cli/result_file.h"
#include "traffic/loop.h"

namespace packetwarp {
namespace {

using namespace traffic;

// A random key: packets that an earlier run left in a network must not pass for this run's.
signature_key key_of_this_run() {
  std::random_device entropy;
  return {std::uint64_t{entropy()} << 32 | entropy()};
}

// Files of this many packets are sent once, unless another limit ends the run.
void limit_rounds(generate_options& options, std::uint64_t packets) {
  auto& exchange = options.exchange;
  bool const has_limit = exchange.packets != 0 || exchange.duration.count() != 0;
  bool const endless = options.rounds == 0 || (has_limit && !options.rounds_are_given);
  auto const total = endless ? 0 : options.rounds * packets;
  if (total != 0) exchange.packets = exchange.packets == 0 ? total : std::min(exchange.packets, total);
}

void read_replay(generate_options& options) {
  if (options.replay.empty()) return;
  auto recorded = std::make_shared<capture>(capture::read(options.replay));
  if (!recorded->problem().empty()) log().warn("{}; the packets before that are sent", recorded->problem());
  if (recorded->skipped() != 0) {
    log().warn("{}: {} packets left out: recorded only in part, shorter than an Ethernet header or above 9596 bytes",
               options.replay, recorded->skipped());
  }
  limit_rounds(options, recorded->packets().size());
  options.exchange.recorded = std::move(recorded);
}

void read_asked(generate_options& options) {
  if (!options.asked.is_asked()) return;
  options.exchange.asked = read_questions(options.asked);
  limit_rounds(options, options.exchange.asked->count());
}

void read_stl(generate_options& options) {
  if (!options.stl) return;
  options.exchange.programs = read_profiles(*options.stl);
  for (auto const& one : options.exchange.programs) {
    for (auto const& notice : one->notices) log().warn("{}: {}", one->name, notice);
    if (traffic::stl::deepest_inspection(*one) == traffic::stl::inspection::checksums) continue;
    log().warn(
        "{}: it writes what a checksum covers and does not fix it, or EtherTypes or lengths: {} checked when packets "
        "come back",
        one->name,
        traffic::stl::deepest_inspection(*one) == traffic::stl::inspection::number ? "only their number is"
                                                                                   : "UDP and TCP checksums are not");
  }
}

std::string describe_traffic(generate_options const& options) {
  auto const& exchange = options.exchange;
  if (options.stl) return describe(exchange.programs);
  if (exchange.asked) return describe(*exchange.asked);
  if (exchange.recorded) {
    return fmt::format("{} packets of {}", exchange.recorded->packets().size(), options.replay);
  }
  auto const& what = exchange.what;
  return fmt::format("{}, sizes {}, {} flow{}", to_text(what.description), to_text(what.sizes), what.flows.flows,
                     what.flows.flows == 1 ? "" : "s");
}

std::string describe_rate(rate const& how_fast) {
  switch (how_fast.in) {
    case rate::unit::packets_per_second:
      return format_si(how_fast.value) + "pps a port";
    case rate::unit::l1_bits_per_second:
      return format_si(how_fast.value) + "b/s L1 a port";
    case rate::unit::l2_bits_per_second:
      return format_si(how_fast.value) + "b/s L2 a port";
    case rate::unit::line_percent:
      return fmt::format("{}% of the line", how_fast.value);
    case rate::unit::unlimited:
      return "as fast as it goes";
  }
  return {};
}

std::string describe_rate(exchange_config const& exchange) {
  bool const keeps_times = exchange.asked ? exchange.asked->pace() == capture_pace::recorded
                                          : exchange.recorded && exchange.pace == capture_pace::recorded;
  if (keeps_times) return "at the recorded times";
  if (exchange.programs.empty()) return describe_rate(exchange.how_fast);
  if (exchange.faster.to) return describe_rate(*exchange.faster.to);
  return exchange.faster.factor == 1 ? "at its own rates"
                                     : fmt::format("{} times its own rates", exchange.faster.factor);
}

std::vector<std::string> files_read(generate_options const& options) {
  auto files = files_of(options.asked);
  files.push_back(options.replay);
  if (options.stl) files.insert(files.end(), options.stl->files.begin(), options.stl->files.end());
  return files;
}

struct finished_run {
  exchange_result result;
  referee::end_cause cause{};
  std::optional<data_plane_totals> plane{};
  std::optional<telemetry::latency_percentiles> plane_latency_us{};
  std::vector<sent_by_port> sent{};
};

std::vector<sent_by_port> sent_by_ports(exchange_result const& result, std::span<port_facts const> ports) {
  std::vector<sent_by_port> all;
  for (auto const& one : result.directions) {
    auto const from = std::ranges::find(ports, one.from, &port_facts::id);
    if (from == ports.end()) continue;
    all.push_back({.name = from->name, .packets = one.what.sent.packets, .bytes = one.what.sent.bytes});
  }
  return all;
}

std::string why_ended(generate_options const& options, finished_run const& run) {
  if (stop_requested() != stop_request::none) return "signal";
  if (run.cause == referee::end_cause::ports_gone) return "ports gone";
  if (run.result.sent_all_there_is) return "profile";
  auto const& limits = options.exchange;
  auto const wanted = limits.packets * run.result.directions.size();
  bool const sent_all = wanted != 0 && run.result.total.sent.packets >= wanted;
  return limits.duration.count() != 0 && !sent_all ? "duration" : "count";
}

void print_period(live_period const& period) { (void)the_standard_error().put(live_line(period) + '\n'); }

finished_run run_through(generate_options const& options) {
  loop own{"wire", options.exchange, *options.through};
  auto result = own.run(options.timing, print_period);
  return {std::move(result),
          own.cause(),
          own.plane().totals(),
          telemetry::in_microseconds(own.plane().latency(), cycles_per_second()),
          {}};
}

finished_run run_on_ports(generate_options const& options) {
  auto const machine = read_machine();
  std::vector<port_id> ports;
  for (auto const& facts : machine.ports) ports.push_back(facts.id);
  auto const directions = directions_of(options, ports);
  require_intact(options.exchange, directions, machine.ports);
  exchange ends{options.exchange, directions, machine.others.size() + 1};
  std::vector<lcore_id> lcores;
  for (auto const& lcore : machine.others) lcores.push_back(lcore.id);
  if (lcores.empty()) lcores.push_back(machine.main.id);
  workforce workers;
  ends.deal(workers, lcores);
  referee master{ends, workers, options.timing, print_period};
  workers.run(master, std::chrono::seconds{2});
  auto result = ends.result();
  auto sent = sent_by_ports(result, machine.ports);
  return {std::move(result), master.cause(), std::nullopt, std::nullopt, std::move(sent)};
}

}  // namespace

int run_generate(invocation const& call) {
  survive_broken_pipes();
  auto options = parse_generate_options(call);
  read_replay(options);
  read_asked(options);
  try {
    read_stl(options);
  } catch (profile_help const& help) {
    print_result(help.what());
    return exit_success;
  }
  options.exchange.what.key = key_of_this_run();
  require_distinct_from_captures(files_read(options), {options.json}, call.eal);
  result_file result{options.json};
  auto const eal = start_eal(call);
  auto run = options.through ? run_through(options) : run_on_ports(options);
  auto const expected = options.through ? options.through->executor != executor_kind::none
                                        : options.exchange.expected == transform::mac_swapped;
  generate_report const report{.traffic = describe_traffic(options),
                               .rate = describe_rate(options.exchange),
                               .through = options.through_text,
                               .expected = options.exchange.asked ? "answered"
                                           : expected             ? "mac-swapped"
                                                                  : "as-sent",
                               .ended_by = why_ended(options, run),
                               .plane = run.plane,
                               .plane_latency_us = run.plane_latency_us,
                               .result = std::move(run.result)};
  auto const written = write_results(result, to_json(report), to_text(report));
  if (run.cause == referee::end_cause::ports_gone) {
    log().error("a port that it sends or receives by is gone; the result is of the time before");
    return exit_failure;
  }
  if (lack_packets(run.sent, call.eal)) return exit_failure;
  if (!report.result.total.is_flawless()) return exit_failure;
  return options.keeping == rate_keeping::strict && report.result.fell_short() ? exit_failure : written;
}

}  // namespace packetwarp
