// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>

#include "base/error.h"
#include "base/process/stop.h"

namespace packetwarp {

// Long work was given up, because nothing needs its result any more.
class abandoned : public failure {
 public:
  using failure::failure;
};

// To be called between slices of long work, from any thread. Throws abandoned once nothing needs the result.
using need_check = std::function<void()>;

// For work that is needed until a stop is requested.
[[nodiscard]] inline need_check need_until(std::stop_token const& end) {
  return [end] {
    if (end.stop_requested()) throw abandoned("given up: the run ends");
  };
}

// For work at the start, which a signal ends: throws abandoned after the signal.
inline void require_no_stop() {
  if (stop_requested() != stop_request::none) throw abandoned("given up before it began: a signal asked to end");
}

}  // namespace packetwarp
