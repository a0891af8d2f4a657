// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/live_line.h"

#include <fmt/format.h>

#include "telemetry/text_table.h"

namespace packetwarp::telemetry {

std::string live_line(live_period const& p) {
  auto const rate = [&](double amount, std::string_view unit) {
    return with_unit(per_second(amount, p.seconds), unit);
  };
  auto const big = p.big_loops == 0 ? std::string{} : fmt::format("   big loops {}", with_separators(p.big_loops));
  return fmt::format("{:>7.1f} s   rx {:>9}   tx {:>9}   {:>9} L1   dropped {:>10}   in flight {:>6}{}",
                     p.elapsed_seconds, rate(static_cast<double>(p.rx_packets), "pps"),
                     rate(static_cast<double>(p.tx.packets), "pps"), rate(p.tx.l1_bits(), "b/s"),
                     rate(static_cast<double>(p.dropped), "pps"), with_separators(p.in_flight), big);
}

}  // namespace packetwarp::telemetry
