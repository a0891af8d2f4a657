// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/quiet_watch.h"

#include <algorithm>

namespace packetwarp {

bool quiet_watch::is_quiet(std::uint64_t count, workforce const& workers, cycles now) {
  if (since_ == 0 || count != count_) {
    since_ = now;
    count_ = count;
    turns_ = workers.turns();
    return false;
  }
  if (now - since_ < time_) return false;
  auto const by_now = workers.turns();
  return std::equal(turns_.begin(), turns_.end(), by_now.begin(), by_now.end(),
                    [](std::uint64_t then, std::uint64_t turned) { return turned >= then + turns_to_look; });
}

}  // namespace packetwarp
