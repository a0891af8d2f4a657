// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/quiet_watch.h"

#include <algorithm>

namespace packetwarp {

bool quiet_watch::is_quiet(std::uint64_t count, workforce const& workers, cycles now) {
  if (since_ == 0 || count != count_) {
    since_ = now;
    count_ = count;
    loops_ = workers.loops();
    return false;
  }
  if (now - since_ < time_) return false;
  auto const by_now = workers.loops();
  return std::equal(loops_.begin(), loops_.end(), by_now.begin(), by_now.end(),
                    [](std::uint64_t then, std::uint64_t made) { return made >= then + loops_to_look; });
}

}  // namespace packetwarp
