// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "burst/burst.h"
#include "cli/bench/eal_options.h"
#include "cli/bench/list_values.h"
#include "cli/bench/words.h"

namespace packetwarp::bench {
namespace {

constexpr std::uint64_t least_frame = 64, most_frame = 9600;

// The options as typed; std::nullopt is "not given".
struct typed_options {
  std::optional<std::string> functions, executors, placements, bursts, sizes, pipelines, work, workers, rate;
  std::optional<std::string> seconds, repeats, resume, testpmd, from, size, latency, prefer;
  std::string json, csv, commit{"unknown"};
  bool list{}, advise{};
};

void declare(CLI::App& app, typed_options& typed) {
  app.add_option("--functions", typed.functions);
  app.add_option("--executors", typed.executors);
  app.add_option("--placements", typed.placements);
  app.add_option("--bursts", typed.bursts);
  app.add_option("--sizes", typed.sizes);
  app.add_option("--pipelines", typed.pipelines);
  app.add_option("--work", typed.work);
  app.add_option("--workers", typed.workers);
  app.add_option("--rate", typed.rate);
  app.add_option("--seconds", typed.seconds);
  app.add_option("--repeats", typed.repeats);
  app.add_option("--testpmd", typed.testpmd);
  app.add_option("--commit", typed.commit);
  app.add_option("--json", typed.json);
  app.add_option("--csv", typed.csv);
  app.add_option("--resume", typed.resume);
  app.add_flag("--list", typed.list);
  app.add_flag("--advise", typed.advise);
  app.add_option("--from", typed.from);
  app.add_option("--size", typed.size);
  app.add_option("--latency", typed.latency);
  app.add_option("--prefer", typed.prefer);
}

std::string parse_function(std::string const& text) {
  if (text == "forward") return text;
  throw usage_error(fmt::format("--functions: '{}' is not one of forward", text));
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
  take_list(typed.work, "--work", m.packet_times, [](auto const& word) { return parse_duration(word, "--work"); });
  take_list(typed.rate, "--rate", m.offered, [](auto const& word) {
    auto const how_fast = parse_rate(word, "--rate");
    (void)to_mpps(how_fast, least_frame, "--rate");  // says now what is no rate by itself
    return how_fast;
  });
}

// "2", "0.2": seconds; other units may be named.
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

using given_options = std::initializer_list<std::pair<bool, std::string_view>>;

// Options that would change what a file already says.
void refuse_beside(std::string_view option, std::string_view why, given_options others) {
  for (auto const& [given, name] : others) {
    if (given) throw usage_error(fmt::format("{}: {} {}; leave it out", name, option, why));
  }
}

void refuse_alone(given_options others) {
  for (auto const& [given, name] : others) {
    if (given) throw usage_error(fmt::format("{}: is about advice; give --advise, too", name));
  }
}

// What is to be measured, and how: a file has settled it.
void refuse_shapes_beside(std::string_view option, std::string_view why, typed_options const& t,
                          invocation const& call) {
  refuse_beside(option, why,
                {{t.functions.has_value(), "--functions"},
                 {t.executors.has_value(), "--executors"},
                 {t.placements.has_value(), "--placements"},
                 {t.bursts.has_value(), "--bursts"},
                 {t.sizes.has_value(), "--sizes"},
                 {t.pipelines.has_value(), "--pipelines"},
                 {t.workers.has_value(), "--workers"},
                 {t.seconds.has_value(), "--seconds"},
                 {t.repeats.has_value(), "--repeats"},
                 {!call.eal.empty(), "EAL options"}});
}

void require_sense(typed_options const& t, invocation const& call) {
  if (t.resume) {
    constexpr auto why = "takes what is measured from the file";
    refuse_shapes_beside("--resume", why, t, call);
    refuse_beside("--resume", why,
                  {{t.work.has_value(), "--work"}, {t.rate.has_value(), "--rate"}, {t.advise, "--advise"}});
  }
  if (t.from) {
    constexpr auto why = "has been measured already";
    refuse_shapes_beside("--from", why, t, call);
    refuse_beside("--from", why,
                  {{t.testpmd.has_value(), "--testpmd"},
                   {!t.json.empty(), "--json"},
                   {!t.csv.empty(), "--csv"},
                   {t.list, "--list"}});
  }
  if (t.json == "-" && (t.csv == "-" || t.advise)) {
    throw usage_error("--json: standard output has something else to show; give a file");
  }
  if (t.csv == "-" && t.advise) throw usage_error("--csv: standard output shows the advice; give a file");
  if (t.advise && t.sizes) throw usage_error("--sizes: advice is about one size; give it as --size");
  if (t.advise) return;
  refuse_alone({{t.from.has_value(), "--from"},
                {t.size.has_value(), "--size"},
                {t.latency.has_value(), "--latency"},
                {t.prefer.has_value(), "--prefer"}});
}

// One rate, size and work to advise on, which are also what is measured where there is no file to advise from.
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
  // Enough to tell executors apart, and few enough to wait for.
  if (!typed.bursts) cases.bursts = {32, 64, 128};
  if (!typed.seconds) made.run_time = std::chrono::seconds{1};
  if (!typed.testpmd) made.testpmd.clear();
}

// 1, 2, 4, ... and all of them where the fewest that do are looked for.
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
