// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/control_service.h"

#include <rte_mbuf.h>

namespace packetwarp {

control_service::control_service(plan const& planned, control_desk& desk, control_plane& plane,
                                 std::vector<twin_link*> twins, departure_hooks const* departures, capture_tap seen)
    : desk_{desk},
      plane_{plane},
      twins_{std::move(twins)},
      departures_{departures},
      pipelines_(planned.ports.size(), 0),
      seen_{seen},
      started_{now_cycles()} {
  for (std::size_t i = 0; i < planned.ports.size(); ++i) {
    for (std::size_t n = planned.pipelines.size(); n-- != 0;) {
      if (planned.pipelines[n].rx_port == planned.ports[i].facts.id) pipelines_[i] = n;
    }
  }
}

control_time control_service::time_of(cycles now) const {
  return control_time{static_cast<std::int64_t>(to_nanoseconds(now - started_))};
}

void control_service::poll(cycles now) {
  // The tick precedes new packets: packets that have waited longest come first.
  plane_.tick(time_of(now), actions_);
  std::array<rte_mbuf*, 256> packets;
  auto const n = desk_.take(packets);
  for (auto* const packet : std::span{packets}.first(n)) {
    auto const tag = tag_of(*packet);
    counters_.taken[static_cast<std::size_t>(tag.why)].add(1);
    plane_.handle(packet, tag.why, interface_index{tag.port}, time_of(now), actions_);
  }
  carry_out(actions_);
}

void control_service::carry_out(control_actions& actions) {
  for (auto const& action : actions) carry_out(action);
  actions.clear();
}

void control_service::carry_out(control_action const& action) {
  auto const at = static_cast<std::uint16_t>(action.interface);
  switch (action.what) {
    case control_action::kind::send:
      return send(action);
    case control_action::kind::put_back:
      return put_back(action);
    case control_action::kind::to_kernel:
      return hand_to_host(action);
    case control_action::kind::drop:
      return drop(action.packet, at, to_string(action.why), counters_.dropped[static_cast<std::size_t>(action.why)]);
    case control_action::kind::lost:
      return counters_.dropped[static_cast<std::size_t>(action.why)].add(1);
  }
}

void control_service::send(control_action const& action) {
  auto const at = static_cast<std::uint16_t>(action.interface);
  if (departures_ != nullptr && !departures_->let_leave(*action.packet, at))
    return drop(action.packet, at, "rule_drop", counters_.rule_drop);
  if (!desk_.send(*action.packet, at)) return drop(action.packet, at, no_room_name, counters_.no_room);
  counters_.sent.add(1);
}

void control_service::put_back(control_action const& action) {
  auto const at = static_cast<std::uint16_t>(action.interface);
  attach(*action.packet, {.port = at});  // for give_up(): a reassembled datagram has no tag yet
  if (!desk_.put_back(*action.packet, pipelines_[at])) return drop(action.packet, at, no_room_name, counters_.no_room);
  counters_.put_back.add(1);
}

void control_service::hand_to_host(control_action const& action) {
  auto* packet = action.packet;
  auto const at = static_cast<std::uint16_t>(action.interface);
  auto* const twin = twins_[at];
  if (twin == nullptr) {
    return drop(packet, at, data_path_drop_name(drop_reason::no_kernel_interface), counters_.no_kernel_interface);
  }
  // Before hand_over(): a packet that its ring takes belongs to another thread once that returns.
  if (auto* const capture = seen_.active()) capture->take({capture_stage::kernel, at, {}}, {&packet, 1});
  if (twin->hand_over({&packet, 1}) == 0)
    return drop(packet, at, data_path_drop_name(drop_reason::kernel_full), twin->handed.full);
  twin->handed.packets.add(1);
}

void control_service::drop(rte_mbuf* packet, std::uint16_t port, std::string_view why, telemetry::counter& counter) {
  if (auto* const capture = seen_.active()) capture->take({capture_stage::dropped, port, why}, {&packet, 1});
  rte_pktmbuf_free(packet);
  counter.add(1);
}

void control_service::give_up() {
  constexpr auto why = data_path_drop_name(drop_reason::shutdown);
  std::array<rte_mbuf*, 64> packets;
  while (auto const n = desk_.take_back(packets)) {
    for (auto* const packet : std::span{packets}.first(n)) give_up_sending(packet);
  }
  while (auto const n = desk_.take(packets)) {
    for (auto* const packet : std::span{packets}.first(n)) {
      auto const tag = tag_of(*packet);
      counters_.taken[static_cast<std::size_t>(tag.why)].add(1);
      drop(packet, tag.port, why, counters_.shutdown);
    }
  }
  while (auto const n = desk_.take_returned(packets)) {
    counters_.put_back.set(counters_.put_back.read() - n);
    for (auto* const packet : std::span{packets}.first(n)) drop(packet, tag_of(*packet).port, why, counters_.shutdown);
  }
  plane_.give_up(actions_);
  for (auto const& action : actions_) {
    if (action.what == control_action::kind::lost) {
      counters_.shutdown.add(1);
    } else {
      drop(action.packet, static_cast<std::uint16_t>(action.interface), why, counters_.shutdown);
    }
  }
  actions_.clear();
}

void control_service::give_up_sending(rte_mbuf* packet) {
  auto const tag = send_tag_of(*packet);
  if (tag.from == send_tag::sender::control_plane)
    return drop(packet, tag.port, data_path_drop_name(drop_reason::shutdown), counters_.unsent);
  rte_pktmbuf_free(packet);
  twins_[tag.port]->counters.shutdown_out.add(1);
}

}  // namespace packetwarp
