// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/driver_call.h"

#include <cstdlib>
#include <utility>

#include "base/cycles.h"
#include "base/error.h"
#include "base/log/log.h"
#include "base/sleep.h"

namespace packetwarp {

driver_call::driver_call(char const* thread, std::string device, call what)
    : device_{std::move(device)}, thread_{thread} {
  (void)thread_.begin([what = std::move(what), refusal = refusal_] { *refusal = what(); });
}

driver_call::~driver_call() {
  auto const until = now_cycles() + to_cycles(end_time);
  while (is_busy() && now_cycles() < until) sleep_for(std::chrono::milliseconds{1});
  if (!is_busy()) return;
  log().critical("device {}: its driver does not return; leaving it there", device_);
  std::_Exit(exit_failure);
}

}  // namespace packetwarp
