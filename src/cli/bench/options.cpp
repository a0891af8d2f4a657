// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "bench/eal_options.h"
#include "bench/words.h"
#include "burst/burst.h"
#include "cli/bench/list_values.h"
#include "cli/bench/typed_options.h"
#include "function/function_facts.h"

namespace packetwarp::bench {
namespace {

constexpr std::uint64_t least_frame = 64, most_frame = 9600;

std::string parse_function(std::string const& text) {
  auto const known = compiled_function_facts().front()->name;
  if (text == known) return text;
  throw usage_error(fmt::format("--functions: '{}' is not one of {}", text, known));
}

void take_matrix(typed_options const& typed, matrix& m) {
  take_list(typed.functions, "--functions", m.functions, parse_function);
  take_list(typed.executors, "--executors", m.executors,
            [](auto const& word) { return parse_word(word, "--executors", executors); });
  take_list(typed.placements, "--placements", m.placements,
            [](auto const& word) { return parse_word(word, "--placements", placements); });
  take_list(typed.workers, "--workers", m.workers,
            [](auto const& word) { return parse_word(word, "--workers", arrangements); });
  take_list(typed.bursts, "--bursts", m.bursts,
            [](auto const& word) { return parse_within<std::uint32_t>(word, "--bursts", 1, max_burst_size); });
  take_list(typed.sizes, "--sizes", m.frame_bytes,
            [](auto const& word) { return parse_within<std::uint32_t>(word, "--sizes", least_frame, most_frame); });
  take_list(typed.pipelines, "--pipelines", m.pipelines,
            [](auto const& word) { return parse_within<std::uint16_t>(word, "--pipelines", 1, RTE_MAX_ETHPORTS); });
  take_list(typed.work, "--work", m.packet_times, [](auto const& word) { return parse_packet_time(word, "--work"); });
  take_list(typed.rate, "--rate", m.offered, [](auto const& word) {
    auto const how_fast = parse_rate(word, "--rate");
    (void)to_mpps(how_fast, least_frame, "--rate");  // refuses early a text that is no rate
    return how_fast;
  });
}

// "2" and "0.2" are seconds; other units may be given.
std::chrono::nanoseconds parse_seconds(std::string const& text) {
  bool const is_bare = text.find_first_not_of("0123456789.") == std::string::npos;
  auto const time = parse_duration(is_bare ? text + "s" : text, "--seconds");
  constexpr auto least = std::chrono::milliseconds{50};
  constexpr auto most = std::chrono::hours{1};
  if (time < least || time > most) {
    throw usage_error(fmt::format("--seconds: {} is out of range; allowed are 0.05 to 3600 s", text));
  }
  return time;
}

// The rate, size and work for the advice; they are also the measured ones, unless a file has the results.
void take_demand(typed_options const& typed, options& made) {
  auto& cases = made.cases;
  if (cases.offered.size() != 1) {
    throw usage_error("--rate: advice is about one rate; give it as --rate 10mpps");
  }
  if (cases.packet_times.size() != 1) throw usage_error("--work: advice is about one; give it as --work 500ns");
  auto& wanted = made.wanted;
  if (typed.size) wanted.frame_bytes = parse_within<std::uint32_t>(*typed.size, "--size", least_frame, most_frame);
  wanted.packet_time = cases.packet_times.front();
  wanted.mpps = to_mpps(cases.offered.front(), wanted.frame_bytes, "--rate");
  if (typed.latency) wanted.latency_limit = parse_duration(*typed.latency, "--latency");
  if (typed.prefer) wanted.first = parse_word(*typed.prefer, "--prefer", preferences);
  cases.frame_bytes = {wanted.frame_bytes};
  // Enough bursts to tell executors apart, and few enough to wait for.
  if (!typed.bursts) cases.bursts = {32, 64, 128};
  if (!typed.seconds) made.run_time = std::chrono::seconds{1};
  if (!typed.testpmd) made.testpmd.clear();
}

// 1, 2, 4, ... and the largest number, if the smallest sufficient number is searched for; else only the largest.
std::vector<std::uint16_t> usual_pipelines(task what, std::size_t cpus) {
  auto const most = static_cast<std::uint16_t>(std::clamp<std::size_t>(cpus - 1, 1, 8));
  std::vector<std::uint16_t> all;
  if (what == task::advise) {
    for (std::uint16_t n = 1; n < most; n = static_cast<std::uint16_t>(n * 2)) all.push_back(n);
  }
  all.push_back(most);
  return all;
}

}  // namespace

options parse_options(invocation const& call, std::vector<unsigned> cpus) {
  typed_options typed;
  CLI::App app;
  declare(app, typed);
  packetwarp::parse_options(app, call);
  require_sense(typed, call);
  options made;
  auto eal = take_eal_options(call.eal, std::move(cpus));
  made.cpus = std::move(eal.cpus);
  made.eal = std::move(eal.words);
  take_matrix(typed, made.cases);
  if (typed.seconds) made.run_time = parse_seconds(*typed.seconds);
  take_count(typed.repeats, "--repeats", 1, most_repeats, made.repeats);
  if (typed.testpmd) made.testpmd = *typed.testpmd == "none" ? "" : *typed.testpmd;
  if (typed.advise) take_demand(typed, made);
  auto const shaped_for = typed.advise ? task::advise : task::measure;
  made.what = typed.list ? task::list : shaped_for;
  if (auto const how = parse_throughput_options(typed.throughput)) {
    made.what = task::throughput;
    made.throughput = *how;
  }
  if (!typed.pipelines) made.cases.pipelines = usual_pipelines(shaped_for, made.cpus.size());
  made.json = typed.json;
  made.csv = typed.csv;
  made.commit = typed.commit;
  made.resume = typed.resume.value_or("");
  if (!made.resume.empty() && made.json.empty()) made.json = made.resume;
  made.from = typed.from.value_or("");
  return made;
}

}  // namespace packetwarp::bench
