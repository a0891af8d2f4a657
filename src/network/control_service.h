// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/cycles.h"
#include "capture/packet_capture.h"
#include "control/control_plane.h"
#include "egress/departure_hooks.h"
#include "plan/plan.h"
#include "punt/control_desk.h"
#include "telemetry/counter.h"
#include "twin/twin_link.h"

namespace packetwarp {

// The fates of punted packets, and of packets that the control plane made itself. Written by the master.
struct control_counters {
  std::array<telemetry::counter, punt_reasons> taken;  // by the reason of the punt
  telemetry::counter sent;                             // answers, questions, fragments, and held packets
  telemetry::counter put_back;                         // at the end, without packets that no pipeline has received
  std::array<telemetry::counter, static_cast<std::size_t>(control_drop::count)> dropped;
  telemetry::counter no_kernel_interface;
  telemetry::counter rule_drop;  // by an egress rule of the port, of packets to send
  telemetry::counter no_room;    // the doors to the data path were full
  telemetry::counter shutdown;   // still held at the end, or put back and not received
  telemetry::counter unsent;     // given to the data path, and not sent at the end
};

// The name of drops for want of room in the doors. The service's other drops have names of control_drop, of drop_reason
// or of the rules.
inline constexpr std::string_view no_room_name{"no_room"};

// Has the control plane work on the packets on the desk, and carries out its actions. For the master, between its loop
// iterations.
class control_service {
 public:
  // All outlive it. planned: its pipelines receive from the ports. kernels: by the position of their ports, nullptr for
  // a port without one. departures: hooks that packets of the control plane meet as they leave, or nullptr.
  control_service(plan const& planned, control_desk& desk, control_plane& plane, std::vector<twin_link*> twins,
                  departure_hooks const* departures, capture_tap seen = {});

  // Works on all packets on the desk, up to a bound. Allocates memory now and then: the data path never waits for it.
  void poll(cycles now);
  // Carries out actions of the control plane that another caller caused.
  void carry_out(control_actions& actions);
  // To be called after the workers' end: no packet is held afterwards.
  void give_up();
  [[nodiscard]] control_time time_of(cycles now) const;
  [[nodiscard]] control_counters const& counters() const { return counters_; }
  // Packets that it holds: neither sent nor dropped yet.
  [[nodiscard]] std::size_t held() const { return plane_.held(); }

 private:
  void carry_out(control_action const& action);
  void send(control_action const& action);
  void put_back(control_action const& action);
  void hand_to_host(control_action const& action);
  // port: as captures are told it, a position in the plan.
  void drop(rte_mbuf* packet, std::uint16_t port, std::string_view why, telemetry::counter& counter);
  void give_up_sending(rte_mbuf* packet);

  control_desk& desk_;
  control_plane& plane_;
  std::vector<twin_link*> twins_;
  departure_hooks const* departures_;
  std::vector<std::size_t> pipelines_;  // by interface: a pipeline that receives there
  control_counters counters_;
  control_actions actions_;
  capture_tap seen_;
  cycles started_;
};

}  // namespace packetwarp
