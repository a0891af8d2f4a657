// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "bench/advise.h"
#include "bench/command_lines.h"
#include "telemetry/text_table.h"

namespace packetwarp::bench {
namespace {

using telemetry::text_table;
using enum telemetry::text_table::align;
using verdict = candidate::verdict;

std::string time_text(std::chrono::nanoseconds time) { return format_duration(static_cast<double>(time.count())); }

std::string question(demand const& wanted) {
  auto text = fmt::format("{}pps of {}-byte frames", format_si(wanted.mpps * 1e6), wanted.frame_bytes);
  if (wanted.packet_time.count() != 0) text += fmt::format(", {} of work each", time_text(wanted.packet_time));
  if (wanted.latency_limit) text += fmt::format(", 99 % of them within {}", time_text(*wanted.latency_limit));
  return text;
}

std::string lcores_text(std::uint32_t lcores) { return fmt::format("{} lcore{}", lcores, lcores == 1 ? "" : "s"); }

std::string rates(candidate const& one) {
  return fmt::format("{:.2f} Mpps (lowest {:.2f})", one.mpps.median, one.mpps.min);
}

std::string percentiles(candidate const& one) {
  if (!one.latency_us) return "-";
  return fmt::format("{:.1f} / {:.1f} / {:.1f}", one.latency_us->p50, one.latency_us->p99, one.latency_us->p999);
}

std::string verdict_text(candidate const& one, demand const& wanted) {
  switch (one.judged) {
    case verdict::carries:
      return "carries it";
    case verdict::too_slow:
      return one.mpps.median < wanted.mpps ? "too slow" : "too little margin";
    case verdict::latency_unknown:
      return one.latency_basis;
    case verdict::too_late:
      return "too late";
  }
  return {};
}

// The fastest configuration with fewer lcores, and why it does not suffice.
std::string why_not_fewer(advice const& given, demand const& wanted) {
  auto const lcores = given.candidates.front().what.lcores;
  candidate const* best = nullptr;
  for (auto const& one : given.candidates) {
    if (one.what.lcores < lcores && (best == nullptr || one.mpps.median > best->mpps.median)) best = &one;
  }
  if (best == nullptr) return fmt::format("     no case with fewer than {} was measured\n", lcores_text(lcores));
  return fmt::format("     with fewer lcores: {} reached {} on {}: {}\n", describe(best->what), rates(*best),
                     best->what.lcores, verdict_text(*best, wanted));
}

std::string why_this(advice const& given, demand const& wanted) {
  auto const& best = given.candidates.front();
  auto const rivals = std::count_if(given.candidates.begin(), given.candidates.end(), [&](auto const& one) {
    return one.judged == verdict::carries && one.what.lcores == best.what.lcores;
  });
  auto text =
      fmt::format("why  it reached {}, {:.1f} times the rate, on {}: {}\n", rates(best), best.mpps.median / wanted.mpps,
                  lcores_text(best.what.lcores), best.is_interpolated ? "interpolated " + best.basis : best.basis);
  text += best.latency_us
              ? fmt::format("     latency p50 / p99 / p99.9 {} us, {}\n", percentiles(best), best.latency_basis)
              : fmt::format("     latency: {}\n", best.latency_basis);
  if (wanted.first == preference::cores) text += why_not_fewer(given, wanted);
  if (rivals > 1) {
    text += fmt::format("     of {} that carry the rate on as many lcores it has the {}\n", rivals,
                        best.latency_us ? "lowest 99th percentile of latency" : "most to spare");
  }
  if (given.nobody_mpps) {
    text += fmt::format("     without a touch of any packet (none) the same ports and workers reached {:.2f} Mpps\n",
                        *given.nobody_mpps);
  }
  return text;
}

// The best configuration of each kind: burst sizes of one executor are not alternatives of their own.
std::string table_of(advice const& given, demand const& wanted) {
  text_table table{{{"executor", left},
                    {"memory", left},
                    {"workers", left},
                    {"pipelines"},
                    {"lcores"},
                    {"burst"},
                    {"Mpps (lowest to highest)"},
                    {"times the rate"},
                    {"latency p50 / p99 / p99.9 us"},
                    {"from", left},
                    {"", left}}};
  std::vector<parameters> shown;
  for (auto const& one : given.candidates) {
    auto kind = one.what;
    kind.burst = 0;
    if (std::find(shown.begin(), shown.end(), kind) != shown.end()) continue;
    shown.push_back(kind);
    table.add_row({std::string{to_string(one.what.executor)}, std::string{to_string(one.what.where)},
                   std::string{to_string(one.what.workers)}, std::to_string(one.what.pipelines),
                   std::to_string(one.what.lcores), std::to_string(one.what.burst),
                   fmt::format("{:.2f} ({:.2f} to {:.2f})", one.mpps.median, one.mpps.min, one.mpps.max),
                   fmt::format("{:.2f}", one.mpps.median / wanted.mpps), percentiles(one), one.basis,
                   verdict_text(one, wanted)});
  }
  return table.text();
}

}  // namespace

std::string to_text(advice const& given, demand const& wanted) {
  auto text = fmt::format("advice for {}\n\n", question(wanted));
  if (given.candidates.empty()) {
    return text + fmt::format(
                      "none: the data hold nothing near that size and work, and nothing is guessed beyond them; "
                      "they have {}\n",
                      given.known_points);
  }
  if (given.is_possible()) {
    auto what = given.candidates.front().what;
    what.packet_time = {};  // the user's function does the work itself; only measurements need a substitute for it
    text += fmt::format("use  {}\n{}", plane_words(what), why_this(given, wanted));
  } else {
    auto const& best = *std::max_element(given.candidates.begin(), given.candidates.end(),
                                         [](auto const& a, auto const& b) { return a.mpps.median < b.mpps.median; });
    text += fmt::format("none: no measured case carries that with a tenth to spare{}; the fastest, {}, reached {}\n",
                        wanted.latency_limit ? " and within that latency" : "", describe(best.what), rates(best));
  }
  text += "\nthe best burst of each:\n" + table_of(given, wanted);
  if (!given.notices.empty()) text += '\n';
  for (auto const& notice : given.notices) text += fmt::format("note: {}\n", notice);
  return text;
}

}  // namespace packetwarp::bench
