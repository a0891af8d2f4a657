// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sleep.h"

#include <cerrno>
#include <ctime>

namespace packetwarp {

void sleep_for(std::chrono::nanoseconds time) {
  constexpr long nanoseconds_a_second = 1'000'000'000;
  if (time.count() <= 0) return;
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += time.count() / nanoseconds_a_second;
  until.tv_nsec += time.count() % nanoseconds_a_second;
  if (until.tv_nsec >= nanoseconds_a_second) {
    until.tv_nsec -= nanoseconds_a_second;
    ++until.tv_sec;
  }
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace packetwarp
