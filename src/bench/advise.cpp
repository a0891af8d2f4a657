// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/units.h"
#include "bench/interpolate.h"
#include "telemetry/text_table.h"

namespace packetwarp::bench {
namespace {

using verdict = candidate::verdict;
using telemetry::latency_percentiles;

// The part of a case that can be chosen: all but its frame size, its work and its rate.
parameters configuration_of(parameters what) {
  what.frame_bytes = 0;
  what.packet_time = std::chrono::nanoseconds{0};
  what.offered_mpps.reset();
  what.lcores = 0;  // an offered rate takes one more lcore, for its generator
  return what;
}

std::vector<point> points_of(results const& all, parameters const& configuration) {
  std::vector<point> points;
  for (auto const& one : all.cases) {
    auto const mpps = one.spread_over(&figures::mpps);
    if (!mpps || one.what.offered_mpps || configuration_of(one.what) != configuration) continue;
    points.push_back({.frame_bytes = one.what.frame_bytes, .packet_time = one.what.packet_time, .mpps = *mpps});
  }
  return points;
}

// The share of the offered rate that a run must reach. A generator that shares lcores with the data plane that it feeds
// may be too slow itself: its latency is then that of a queue that only grows.
constexpr double kept_up = 0.99;

struct latency_point {
  double offered_mpps;
  latency_percentiles latency_us;
};

double between(double low, double high, double share) { return low + (high - low) * share; }

void take_latency(candidate& to, results const& all, demand const& wanted) {
  std::vector<latency_point> points;
  std::string late;
  for (auto const& one : all.cases) {
    auto const latency = median_latency(one);
    auto const mpps = one.spread_over(&figures::mpps);
    if (!one.what.offered_mpps || !latency || !mpps) continue;
    if (configuration_of(one.what) != configuration_of(to.what)) continue;
    if (one.what.frame_bytes != wanted.frame_bytes || one.what.packet_time != wanted.packet_time) continue;
    if (mpps->median < kept_up * *one.what.offered_mpps) {
      bool const is_this_rate = std::abs(*one.what.offered_mpps / wanted.mpps - 1) < 1e-9;
      if (is_this_rate)
        late = fmt::format("of {:g} Mpps offered only {:.2f} came through", *one.what.offered_mpps, mpps->median);
    } else {
      points.push_back({*one.what.offered_mpps, *latency});
    }
  }
  std::sort(points.begin(), points.end(), [](auto const& a, auto const& b) { return a.offered_mpps < b.offered_mpps; });
  auto const above = std::find_if(points.begin(), points.end(),
                                  [&](auto const& p) { return p.offered_mpps >= wanted.mpps * (1 - 1e-9); });
  if (above == points.end() || (above == points.begin() && above->offered_mpps > wanted.mpps * (1 + 1e-9))) {
    to.latency_basis = late.empty() ? "not measured at this rate" : late;
    return;
  }
  if (above->offered_mpps <= wanted.mpps * (1 + 1e-9)) {
    to.latency_us = above->latency_us;
    to.latency_basis = "measured at this rate";
    return;
  }
  auto const& low = *std::prev(above);
  auto const share = (wanted.mpps - low.offered_mpps) / (above->offered_mpps - low.offered_mpps);
  to.latency_us = latency_percentiles{between(low.latency_us.p50, above->latency_us.p50, share),
                                      between(low.latency_us.p99, above->latency_us.p99, share),
                                      between(low.latency_us.p999, above->latency_us.p999, share)};
  to.latency_basis = fmt::format("between {:g} and {:g} Mpps offered", low.offered_mpps, above->offered_mpps);
}

verdict judge(candidate const& one, demand const& wanted) {
  if (one.mpps.median < margin * wanted.mpps || one.mpps.min < wanted.mpps) return verdict::too_slow;
  if (!wanted.latency_limit) return verdict::carries;
  if (!one.latency_us) return verdict::latency_unknown;
  auto const limit_us = std::chrono::duration<double, std::micro>(*wanted.latency_limit).count();
  return one.latency_us->p99 <= limit_us ? verdict::carries : verdict::too_late;
}

bool is_better(candidate const& a, candidate const& b, preference first) {
  if (a.judged != b.judged) return a.judged < b.judged;
  // Among configurations below the rate, the faster is better.
  if (a.judged == verdict::too_slow) return a.mpps.median > b.mpps.median;
  auto const key = [first](candidate const& one) {
    double const p99 = one.latency_us ? one.latency_us->p99 : 1e30;
    double const lcores = one.what.lcores;
    return first == preference::cores ? std::tuple{lcores, p99, -one.mpps.median}
                                      : std::tuple{p99, lcores, -one.mpps.median};
  };
  return key(a) < key(b);
}

// All configurations that were measured at full speed, except `none`, which does nothing.
std::vector<parameters> configurations_of(results const& all) {
  std::vector<parameters> found;
  for (auto const& one : all.cases) {
    if (one.what.executor == executor_kind::none || one.what.offered_mpps || !one.has_figures()) continue;
    auto const configuration = configuration_of(one.what);
    auto const same = [&](auto const& other) { return configuration_of(other) == configuration; };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(one.what);
  }
  return found;
}

std::string describe_points(results const& all) {
  std::set<std::uint32_t> sizes;
  std::set<std::chrono::nanoseconds> work;
  for (auto const& one : all.cases) {
    if (one.what.executor == executor_kind::none || one.what.offered_mpps || !one.has_figures()) continue;
    sizes.insert(one.what.frame_bytes);
    work.insert(one.what.packet_time);
  }
  if (sizes.empty()) return "no figures at all";
  std::vector<std::string> bytes, times;
  for (auto const size : sizes) bytes.push_back(std::to_string(size));
  for (auto const time : work) times.push_back(format_duration(static_cast<double>(time.count())));
  return fmt::format("frames of {} bytes, work of {}", telemetry::with_commas(bytes), telemetry::with_commas(times));
}

}  // namespace

std::string_view to_string(preference first) { return first == preference::cores ? "cores" : "latency"; }

advice advise(results const& all, demand const& wanted) {
  advice made{.notices = all.notices, .known_points = describe_points(all)};
  for (auto const& what : configurations_of(all)) {
    auto const reached = interpolate(points_of(all, configuration_of(what)), wanted.frame_bytes, wanted.packet_time);
    if (!reached) continue;
    candidate one{.what = what,
                  .mpps = reached->mpps,
                  .is_interpolated = !reached->between.empty(),
                  .basis = reached->between.empty() ? "measured" : reached->between};
    one.what.frame_bytes = wanted.frame_bytes;
    one.what.packet_time = wanted.packet_time;
    take_latency(one, all, wanted);
    one.judged = judge(one, wanted);
    made.candidates.push_back(std::move(one));
  }
  std::stable_sort(made.candidates.begin(), made.candidates.end(),
                   [&](auto const& a, auto const& b) { return is_better(a, b, wanted.first); });
  if (!made.candidates.empty()) {
    auto const nobody = with_executor(made.candidates.front().what, executor_kind::none);
    auto const reached =
        interpolate(points_of(all, configuration_of(nobody)), wanted.frame_bytes, std::chrono::nanoseconds{0});
    if (reached) made.nobody_mpps = reached->mpps.median;
  }
  return made;
}

}  // namespace packetwarp::bench
