// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/units.h"
#include "control/control_plane.h"
#include "plan/plan_steps.h"
#include "punt/control_desk.h"

namespace packetwarp {

void plan_control(plan& p) {
  if (p.config.function->leaves != departure::by_any_port) return;
  control_settings const settings;
  p.control = planned_control{.punted = control_desk::room,
                              .doors = p.pipelines.size() * 2 * control_doors::room,
                              .awaiting = p.ports.size() * settings.neighbours.held,
                              .at_work = 256,
                              .fragments = settings.fragments.all_fragments,
                              .datagrams = settings.fragments.datagrams,
                              .fragment_bytes = settings.fragments.bytes};
}

std::string describe(planned_control const& control) {
  return fmt::format(
      "\ncontrol plane: {} packets at most: {} punted, {} to send or to put back, {} that wait for a MAC address, {} "
      "in "
      "hand\nfragments: {} of {} datagrams at most, copied into {}\n",
      control.packets(), control.punted, control.doors, control.awaiting, control.at_work, control.fragments,
      control.datagrams, format_size(control.fragment_bytes));
}

}  // namespace packetwarp
