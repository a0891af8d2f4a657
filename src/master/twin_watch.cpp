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
    return;
  }
  if (auto const renamed = twin.take_new_name()) {
    log().warn("kernel interface {}: it is called {} now; packetwarp goes on with it", name, *renamed);
  }
  follow(twin, link);
}

void twin_watch::follow(host_twin& twin, twin_link& link) {
  auto const& name = link.config().interface;
  switch (twin.take_change()) {
    case link_news::change::none:
      return;
    case link_news::change::down:
      link.note_down();
      log().warn("kernel interface {}: it was set down, and takes no packets; run: ip link set {} up", name,
                 twin.name());
      return;
    case link_news::change::up:
      if (!link.is_down()) link.note_down();
      log().info("kernel interface {}: it was down and is up again; it gets its addresses and routes back", name);
      for (auto const& refused : twin.restore()) log().warn("{}", refused);
      link.note_up();
      return;
    case link_news::change::left:
      // In another network namespace it is its users' matter.
      link.note_up();
      return;
  }
}

}  // namespace packetwarp
