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

pacer::pacer(rate how_fast, double line_bits_per_second, double cycles_per_second)
    : most_credit_{catch_up_seconds * cycles_per_second} {
  auto const cost_of_bits = [&](double per_second) {
    per_byte_ = bits * cycles_per_second / per_second;
    return per_byte_;
  };
  switch (how_fast.in) {
    case rate::unit::packets_per_second:
      per_packet_ = cycles_per_second / how_fast.value;
      return;
    case rate::unit::l2_bits_per_second:
      per_packet_ = l2_overhead * cost_of_bits(how_fast.value);
      return;
    case rate::unit::l1_bits_per_second:
      per_packet_ = l1_overhead * cost_of_bits(how_fast.value);
      return;
    case rate::unit::line_percent:
      per_packet_ = l1_overhead * cost_of_bits(how_fast.value / 100 * line_bits_per_second);
      return;
    case rate::unit::unlimited:
      return;  // packets are free
  }
}

}  // namespace packetwarp::traffic
