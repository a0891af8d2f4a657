// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace packetwarp {

// Sleeps this long, however many signals come meanwhile. std::this_thread::sleep_for does not: interrupted, it goes on
// with the time that Linux says is left, which has the timer's slack (50 us) on top each time. net_tap sends a signal a
// packet, and a millisecond among them became half a minute. Any thread.
void sleep_for(std::chrono::nanoseconds time);

}  // namespace packetwarp
