// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace packetwarp {

// Sleeps this long, however many signals arrive meanwhile. std::this_thread::sleep_for does not: when interrupted, it
// continues with the time that Linux reports as left, which has the timer's slack (50 us) added each time. net_tap
// sends a signal per packet, and a sleep of a millisecond among them became half a minute. Any thread.
void sleep_for(std::chrono::nanoseconds time);

}  // namespace packetwarp
