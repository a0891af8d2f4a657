// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "base/cycles.h"
#include "master/data_plane.h"
#include "master/quiet_watch.h"

namespace packetwarp {

// The end of a run that is announced: it goes on forwarding, /readyz and the reports say that it drains, and it ends
// once it has forwarded no packet for a second, or when its time is over. Packets for the kernel and for the control
// plane do not count: a routing daemon's come as long as its neighbours are there. For the master.
class announced_end {
 public:
  explicit announced_end(data_plane const& plane) : plane_{plane} {}

  // Begins, or changes the time of one that has begun.
  void begin(std::chrono::nanoseconds within, cycles now);
  [[nodiscard]] bool has_begun() const { return until_.has_value(); }
  // Whether the run is to end.
  [[nodiscard]] bool is_over(cycles now);

 private:
  data_plane const& plane_;
  std::optional<cycles> until_;
  quiet_watch quiet_{std::chrono::seconds{1}};
};

}  // namespace packetwarp
