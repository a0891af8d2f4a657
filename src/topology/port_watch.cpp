// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/port_watch.h"

#include "base/log.h"

namespace packetwarp {

port_watch::port_watch(std::deque<port> const& ports) {
  for (auto const& p : ports) states_.push_back({.watched = &p, .up = p.is_link_up(), .gone = false});
}

void port_watch::look(cycles now) {
  if (now < next_look_) return;
  next_look_ = now + static_cast<cycles>(cycles_per_second() / 2);
  for (auto& s : states_) {
    if (!s.gone) look_at(s);
  }
}

void port_watch::look_at(state& s) {
  auto const& facts = s.watched->facts();
  if (!s.watched->has_its_interface()) {
    s.gone = true;
    ++gone_;
    log().error("port {} ({}): its kernel interface {} is gone; nothing comes from it or leaves by it any more",
                facts.id.value(), facts.name, facts.kernel_interface);
    tell(port_event::lost, s);
    return;
  }
  bool const up = s.watched->is_link_up();
  if (up == s.up) return;
  s.up = up;
  if (up) {
    log().info("port {} ({}): link up", facts.id.value(), facts.name);
  } else {
    log().warn("port {} ({}): link down; packets for it wait, then are dropped as \"tx_full\"", facts.id.value(),
               facts.name);
  }
  tell(up ? port_event::link_up : port_event::link_down, s);
}

}  // namespace packetwarp
