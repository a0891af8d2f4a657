// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "traffic/stl/program.h"

namespace packetwarp::traffic::stl {

// The speed of a stream: packets per second, and their bits.
struct load {
  double packets{};
  double l1_bits{};  // with preamble, start delimiter and inter-frame gap
  double l2_bits{};  // of frames with their FCS
};

// The rate of each stream by the profile. Throws usage_error if a stream wants a share of a link whose speed, in bits
// per second, is 0: unknown.
[[nodiscard]] std::vector<load> loads_of(program const& of, double line_bits_per_second);

// The most that the streams without a fixed rate send at one time, by TRex's rules: each counts from its start to its
// end, the gaps between its bursts included; a chain that comes back to a stream is followed once.
[[nodiscard]] load peak_of(program const& of, std::vector<load> const& loads);

// The streams with a fixed rate, all together and always, as TRex counts them.
[[nodiscard]] load fixed_of(program const& of, std::vector<load> const& loads);

// The factor by which the streams without a fixed rate are sped up; infinite: as fast as possible. peak, fixed: of
// these streams and of the others. Throws usage_error if `wanted` is a share of a link of unknown speed, or no more
// than the fixed load.
[[nodiscard]] double factor_of(multiplier const& wanted, load const& peak, load const& fixed,
                               double line_bits_per_second);

}  // namespace packetwarp::traffic::stl
