// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

// The number of an epoch: a stretch of a ring's time, for state that the packets of several bursts share
// (burst/epoch_clock.h).
using epoch_number = std::uint64_t;
inline constexpr epoch_number first_epoch = 1;

// No run reaches it. The highest bit of an epoch's word is free for other use.
inline constexpr epoch_number last_epoch = (epoch_number{1} << 63) - 1;

}  // namespace packetwarp
