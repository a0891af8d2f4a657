// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "telemetry/traffic.h"
#include "traffic/stl/packet_maker.h"

namespace packetwarp::traffic::stl {
namespace {

constexpr double byte_bits = 8, microseconds = 1e6;
constexpr double endless = std::numeric_limits<double>::infinity();

double share_of(double percent, double line_bits_per_second, std::string_view who) {
  if (line_bits_per_second <= 0) {
    throw usage_error(
        fmt::format("{}: {}% of a link whose speed the port does not tell; give pps, bps or bpsl1", who, percent));
  }
  return percent / 100 * line_bits_per_second;
}

double packets_per_second(stream const& of, double l1_bits, double l2_bits, double line) {
  switch (of.how_fast.in) {
    case rate::unit::l1_bits_per_second:
      return of.how_fast.value / l1_bits;
    case rate::unit::l2_bits_per_second:
      return of.how_fast.value / l2_bits;
    case rate::unit::line_percent:
      return share_of(of.how_fast.value, line, fmt::format("--stl: stream '{}'", of.name)) / l1_bits;
    default:
      return of.how_fast.value;
  }
}

// The time from a stream's start to its last packet, in seconds.
double length_of(stream const& of, double pps) {
  if (of.when.is_continuous) return endless;
  auto const packets = static_cast<double>(of.when.packets), bursts = static_cast<double>(of.when.bursts);
  return bursts * packets / pps + (bursts - 1) * of.when.gap_us / microseconds;
}

// A stream begins, or ends, to add its load.
struct change {
  double at;
  double sign;
  load by;
};

void add_chain(std::vector<change>& to, program const& of, std::vector<load> const& loads, std::size_t first) {
  std::vector<bool> seen(of.streams.size());
  double now = 0;
  for (std::optional<std::size_t> at = first; at && !seen[*at]; at = of.streams[*at].next) {
    auto const& one = of.streams[*at];
    seen[*at] = true;
    now += one.gap_us / microseconds;
    auto const end = now + length_of(one, loads[*at].packets);
    if (!one.is_dummy && !one.has_fixed_rate) {
      to.push_back({now, 1, loads[*at]});
      to.push_back({end, -1, loads[*at]});
    }
    now = end;
  }
}

}  // namespace

std::vector<load> loads_of(program const& of, double line_bits_per_second) {
  std::vector<load> all;
  for (auto const& one : of.streams) {
    using telemetry::traffic;
    auto const l2_bits = byte_bits * (packet_maker{one}.mean_length() + static_cast<double>(traffic::fcs_bytes));
    auto const l1_bits = l2_bits + byte_bits * static_cast<double>(traffic::framing_bytes);
    auto const pps = packets_per_second(one, l1_bits, l2_bits, line_bits_per_second);
    all.push_back({.packets = pps, .l1_bits = pps * l1_bits, .l2_bits = pps * l2_bits});
  }
  return all;
}

load peak_of(program const& of, std::vector<load> const& loads) {
  std::vector<change> changes;
  for (std::size_t i = 0; i < of.streams.size(); ++i) {
    if (of.streams[i].starts_itself) add_chain(changes, of, loads, i);
  }
  // If one stream ends as another begins, their loads do not add up.
  std::sort(changes.begin(), changes.end(),
            [](change const& a, change const& b) { return a.at != b.at ? a.at < b.at : a.sign < b.sign; });
  load now, most;
  for (auto const& [at, sign, by] : changes) {
    now.packets += sign * by.packets;
    now.l1_bits += sign * by.l1_bits;
    now.l2_bits += sign * by.l2_bits;
    most.packets = std::max(most.packets, now.packets);
    most.l1_bits = std::max(most.l1_bits, now.l1_bits);
    most.l2_bits = std::max(most.l2_bits, now.l2_bits);
  }
  return most;
}

load fixed_of(program const& of, std::vector<load> const& loads) {
  load sum;
  for (std::size_t i = 0; i < of.streams.size(); ++i) {
    if (!of.streams[i].has_fixed_rate || of.streams[i].is_dummy) continue;
    sum.packets += loads[i].packets;
    sum.l1_bits += loads[i].l1_bits;
    sum.l2_bits += loads[i].l2_bits;
  }
  return sum;
}

double factor_of(multiplier const& wanted, load const& peak, load const& fixed, double line_bits_per_second) {
  if (!wanted.to) return wanted.factor;
  if (peak.packets <= 0) return 1;  // the program has only dummies and streams with a fixed rate
  auto const factor = [](double all, double varying, double constant, std::string_view what) {
    if (all > constant) return (all - constant) / varying;
    throw usage_error(fmt::format(
        "-m: {:g} {} for all streams, of which the profile's latency streams have {:g} at a fixed rate; give more than "
        "that, or a factor",
        all, what, constant));
  };
  switch (wanted.to->in) {
    case rate::unit::packets_per_second:
      return factor(wanted.to->value, peak.packets, fixed.packets, "pps");
    case rate::unit::l1_bits_per_second:
      return factor(wanted.to->value, peak.l1_bits, fixed.l1_bits, "b/s L1");
    case rate::unit::l2_bits_per_second:
      return factor(wanted.to->value, peak.l2_bits, fixed.l2_bits, "b/s L2");
    case rate::unit::line_percent:
      return factor(share_of(wanted.to->value, line_bits_per_second, "-m"), peak.l1_bits, fixed.l1_bits, "b/s L1");
    case rate::unit::unlimited:
      return endless;
  }
  return 1;
}

}  // namespace packetwarp::traffic::stl
