// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/twin_watch.h"

#include "base/log/log.h"

namespace packetwarp {

void twin_watch::look(cycles now) {
  if (now < next_look_) return;
  next_look_ = now + to_cycles(between_looks);
  for (std::size_t n = 0; n < twins_.size(); ++n) {
    if (!links_[n].is_gone()) look_at(twins_[n], links_[n]);
  }
}

void twin_watch::look_at(host_twin& twin, twin_link& link) {
  auto const& name = link.config().interface;
  if (twin.is_gone()) {
    link.note_gone();
    log().error(
        "kernel interface {}: it was deleted; packets for it are dropped as \"kernel_lost\" until packetwarp is "
        "started "
        "again",
        name);
  } else if (auto const renamed = twin.take_new_name()) {
    log().warn("kernel interface {}: it is called {} now; packetwarp goes on with it", name, *renamed);
  }
}

}  // namespace packetwarp
