// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/pacer.h"

#include "telemetry/traffic.h"

namespace packetwarp::traffic {
namespace {

constexpr double bits = 8;
constexpr auto l2_overhead = static_cast<double>(telemetry::traffic::fcs_bytes);
constexpr auto l1_overhead = l2_overhead + static_cast<double>(telemetry::traffic::framing_bytes);

}  // namespace

pacer::pacer(rate how_fast, double line_bits_per_second, double cycles_per_second) {
  double per_second = how_fast.value;
  switch (how_fast.in) {
    case rate::unit::packets_per_second:
      per_packet_ = 1;
      break;
    case rate::unit::l2_bits_per_second:
      per_packet_ = l2_overhead * bits;
      per_byte_ = bits;
      break;
    case rate::unit::line_percent:
      per_second = how_fast.value / 100 * line_bits_per_second;
      [[fallthrough]];
    case rate::unit::l1_bits_per_second:
      per_packet_ = l1_overhead * bits;
      per_byte_ = bits;
      break;
    case rate::unit::unlimited:
      return;  // nothing costs anything
  }
  per_cycle_ = per_second / cycles_per_second;
  most_credit_ = per_second * catch_up_seconds;
}

}  // namespace packetwarp::traffic
