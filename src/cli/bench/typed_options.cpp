// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/typed_options.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace packetwarp::bench {
namespace {

using given_options = std::initializer_list<std::pair<bool, std::string_view>>;

// Refuses options that would change the settings of a file.
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

// Refuses the cases and their settings: a file determines them.
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

}  // namespace

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
  declare(app, typed.throughput);
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
  if (t.throughput.search) {
    refuse_beside("--ndr", "searches a rate with trials of its own",
                  {{t.rate.has_value(), "--rate"},
                   {t.seconds.has_value(), "--seconds"},
                   {t.repeats.has_value(), "--repeats"},
                   {t.testpmd.has_value(), "--testpmd"},
                   {t.resume.has_value(), "--resume"},
                   {t.list, "--list"},
                   {t.advise, "--advise"}});
  }
  if (t.list) {
    refuse_beside("--list", "prints and writes no results", {{!t.json.empty(), "--json"}, {!t.csv.empty(), "--csv"}});
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

}  // namespace packetwarp::bench
