// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "traffic/stl/program.h"
#include "traffic/streams/template.h"

namespace packetwarp::traffic::stl {

// A stream of a UDP packet of 64 bytes in memory, 10 packets per second.
inline stream udp_stream(std::string name = "s") {
  return {.name = std::move(name),
          .packet = build_frame(parse_template("udp"), frame_size{68}),
          .how_fast = {10, rate::unit::packets_per_second}};
}

inline shape bursts(std::uint64_t packets, std::uint64_t count = 1, double gap_us = 0) {
  return {.is_continuous = false, .packets = packets, .bursts = count, .gap_us = gap_us};
}

}  // namespace packetwarp::traffic::stl
