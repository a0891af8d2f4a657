// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/process/text_file.h"
#include "bench/results/json_parts.h"
#include "bench/results/results.h"
#include "bench/words.h"

namespace packetwarp::bench {
namespace {

using json = nlohmann::ordered_json;
using telemetry::latency_percentiles;

constexpr std::array statuses{case_status::pending, case_status::ok, case_status::failed, case_status::unsupported};
constexpr std::array modes{testpmd_mode::io, testpmd_mode::macswap};

json json_of(std::optional<spread> const& over) {
  if (!over) return nullptr;
  return {{"median", over->median}, {"min", over->min}, {"max", over->max}};
}

json json_of(beside const& others) {
  return {{"none", value_json(others.none)},
          {"cpu", value_json(others.cpu)},
          {"testpmd_io", value_json(others.testpmd_io)},
          {"testpmd_macswap", value_json(others.testpmd_macswap)}};
}

template <class Measured>
void add_status(json& to, Measured const& one) {
  to["status"] = to_string(one.status);
  to["reason"] = one.reason.empty() ? json(nullptr) : json(one.reason);
  to["command"] = one.command;
}

json json_of(results const& all, bench_case const& one) {
  auto made = case_json(one.what);
  made["offered_mpps"] = value_json(one.what.offered_mpps);
  add_status(made, one);
  made["runs"] = json::array();
  for (auto const& run : one.runs) {
    made["runs"].push_back({{"mpps", run.mpps},
                            {"gbps_l1", run.gbps_l1},
                            {"gbps_l2", run.gbps_l2},
                            {"latency_us", latency_json(run.latency_us)}});
  }
  made["mpps"] = json_of(one.spread_over(&figures::mpps));
  made["gbps_l1"] = json_of(one.spread_over(&figures::gbps_l1));
  made["gbps_l2"] = json_of(one.spread_over(&figures::gbps_l2));
  made["latency_us"] = latency_json(median_latency(one));
  made["beside"] = json_of(figures_beside(all, one));
  return made;
}

json json_of(peer const& one) {
  json made{{"program", "dpdk-testpmd"},           {"mode", to_string(one.what.mode)}, {"burst", one.what.burst},
            {"frame_bytes", one.what.frame_bytes}, {"pipelines", one.what.pipelines},  {"lcores", one.what.lcores}};
  add_status(made, one);
  made["runs"] = json::array();
  for (auto const& run : one.runs) made["runs"].push_back({{"mpps", run.mpps}});
  made["mpps"] = json_of(one.spread_over(&figures::mpps));
  return made;
}

// --- and back
// ---------------------------------------------------------------------------------------------------------

std::optional<double> number_of(json const& from) {
  return from.is_null() ? std::nullopt : std::optional{from.get<double>()};
}

template <class Measured>
void take_status(json const& from, Measured& one) {
  one.status = parse_word(from.at("status").get<std::string>(), "status", statuses);
  if (!from.at("reason").is_null()) one.reason = from.at("reason").get<std::string>();
  one.command = from.at("command").get<std::string>();
}

bench_case case_from(json const& from) {
  bench_case one;
  auto& what = one.what;
  from.at("function").get_to(what.function);
  what.executor = parse_word(from.at("executor").get<std::string>(), "executor", executors);
  what.where = parse_word(from.at("placement").get<std::string>(), "placement", placements);
  from.at("burst").get_to(what.burst);
  from.at("frame_bytes").get_to(what.frame_bytes);
  from.at("pipelines").get_to(what.pipelines);
  from.at("lcores").get_to(what.lcores);
  what.packet_time = std::chrono::nanoseconds{from.at("packet_time_ns").get<std::int64_t>()};
  what.workers = parse_word(from.at("workers").get<std::string>(), "workers", arrangements);
  what.offered_mpps = number_of(from.at("offered_mpps"));
  take_status(from, one);
  for (auto const& run : from.at("runs")) {
    figures made{.mpps = run.at("mpps"), .gbps_l1 = run.at("gbps_l1"), .gbps_l2 = run.at("gbps_l2")};
    if (auto const& l = run.at("latency_us"); !l.is_null()) made.latency_us = {l.at("p50"), l.at("p99"), l.at("p999")};
    one.runs.push_back(made);
  }
  return one;
}

peer peer_from(json const& from) {
  peer one;
  one.what.mode = parse_word(from.at("mode").get<std::string>(), "mode", modes);
  from.at("burst").get_to(one.what.burst);
  from.at("frame_bytes").get_to(one.what.frame_bytes);
  from.at("pipelines").get_to(one.what.pipelines);
  from.at("lcores").get_to(one.what.lcores);
  take_status(from, one);
  for (auto const& run : from.at("runs")) one.runs.push_back({.mpps = run.at("mpps")});
  return one;
}

results results_from(json const& from) {
  if (from.at("benchmark") != "packetwarp_bench") throw failure("it is of another benchmark");
  results all;
  from.at("version").get_to(all.version);
  from.at("commit").get_to(all.commit);
  from.at("started").get_to(all.started);
  from.at("command").get_to(all.command);
  from.at("eal").get_to(all.eal);
  from.at("cpus").get_to(all.cpus);
  all.host = from.at("host");
  from.at("seconds").get_to(all.seconds);
  from.at("repeats").get_to(all.repeats);
  if (all.repeats < 1 || all.repeats > most_repeats) throw failure("its number of repeats makes no sense");
  from.at("notices").get_to(all.notices);
  for (auto const& one : from.at("cases")) all.cases.push_back(case_from(one));
  for (auto const& one : from.at("peers")) all.peers.push_back(peer_from(one));
  return all;
}

constexpr std::string_view remedy = "give a file that 'packetwarp bench -- --json FILE' has written";

// The file may be a pipe.
std::string text_of(std::string const& path) {
  if (auto text = read_text_file(path)) return *std::move(text);
  throw usage_error(fmt::format("{}: cannot be read: {}; {}", path, std::strerror(errno), remedy));
}

// The library's text begins with its name for the error, "[json.exception.out_of_range.403] ", and may quote a lot.
std::string_view reason_of(json::exception const& wrong) {
  constexpr std::size_t most = 200;
  std::string_view const all{wrong.what()};
  auto const end = all.starts_with('[') ? all.find("] ") : all.npos;
  return all.substr(end == all.npos ? 0 : end + 2).substr(0, most);
}

// "FILE:LINE:COLUMN" of the last byte that was read.
std::string place_of(std::string const& path, std::string_view text, std::size_t byte) {
  auto const before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  auto const line_end = before.rfind('\n');
  return fmt::format("{}:{}:{}", path, std::count(before.begin(), before.end(), '\n') + 1,
                     before.size() - (line_end == before.npos ? 0 : line_end + 1) + 1);
}

}  // namespace

std::string to_json(results const& all) {
  json made{
      {"benchmark", "packetwarp_bench"}, {"version", all.version}, {"commit", all.commit},   {"started", all.started},
      {"command", all.command},          {"eal", all.eal},         {"cpus", all.cpus},       {"host", all.host},
      {"seconds", all.seconds},          {"repeats", all.repeats}, {"notices", all.notices}, {"cases", json::array()},
      {"peers", json::array()}};
  for (auto const& one : all.cases) made["cases"].push_back(json_of(all, one));
  for (auto const& one : all.peers) made["peers"].push_back(json_of(one));
  // A reason may hold bytes that a driver printed.
  return made.dump(2, ' ', false, json::error_handler_t::replace);
}

results read_results(std::string const& path) {
  auto const text = text_of(path);
  constexpr std::string_view none = "is no result of packetwarp bench";
  if (text.empty()) throw usage_error(fmt::format("{}: {}: it is empty; {}", path, none, remedy));
  try {
    return results_from(json::parse(text));
  } catch (json::parse_error const& wrong) {
    throw usage_error(
        fmt::format("{}: {}: no JSON goes on like this; {}", place_of(path, text, wrong.byte), none, remedy));
  } catch (json::exception const& wrong) {
    throw usage_error(fmt::format("{}: {}: {}; {}", path, none, reason_of(wrong), remedy));
  } catch (std::exception const& wrong) {
    throw usage_error(fmt::format("{}: {}: {}; {}", path, none, wrong.what(), remedy));
  }
}

}  // namespace packetwarp::bench
