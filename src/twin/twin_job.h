// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capture/packet_capture.h"
#include "egress/departure_hooks.h"
#include "egress/egress.h"
#include "port/port.h"
#include "punt/control_desk.h"
#include "twin/twin_link.h"
#include "worker/job.h"

namespace packetwarp {

// The parts that a kernel interface's job connects. All of them outlive the job.
struct twin_surroundings {
  twin_link* link;
  port const* twin;                // started; its only queues
  std::vector<rx_queue> received;  // of the port: for packets to the kernel
  twin_way_out out{twin_way_out::by_desk};
  std::optional<egress> to_port{};  // of by_queue
  control_desk* desk{};
  cycles timeout{};                     // the kernel's interface may take nothing for this long
  departure_hooks const* departures{};  // hooks for the kernel's packets as they leave, or nullptr
  capture_tap seen{};
};

// Carries packets between a port and its kernel interface: packets handed over and packets of own RX queues to the
// interface, unchanged, and the kernel's packets to the port, through its egress hooks. Polled on a worker of the role
// kni, or by the master.
class twin_job final : public job {
 public:
  // Packets that may wait for either side.
  static constexpr std::uint32_t waiting_packets = 256;

  explicit twin_job(twin_surroundings around);
  std::uint32_t poll(tick const& t) override;
  void leave(port_id gone, cycles now) override;
  void rejoin(port_id back) override;
  [[nodiscard]] std::string name() const override { return "kernel " + around_.link->config().interface; }
  // Called after the workers' end: drops the remaining packets as shutdown.
  void give_up();

 private:
  std::uint32_t carry_in(tick const& t);
  std::uint32_t carry_out(tick const& t);
  void deliver(std::span<rte_mbuf*> packets, tick const& t);
  std::uint32_t keep_from_control_plane(std::span<rte_mbuf*> packets, cycles now);
  void send(std::span<rte_mbuf*> packets, tick const& t);
  void send_by_queue(std::span<rte_mbuf*> packets, tick const& t);
  [[nodiscard]] std::uint32_t room_out() const;
  static void drop(std::span<rte_mbuf*> packets, telemetry::counter& why);
  // Captures packets that no pipeline sees.
  void show(std::span<rte_mbuf* const> packets, capture_stage stage) const {
    if (auto* const capture = around_.seen.active()) [[unlikely]]
      capture->take({stage, around_.link->port(), {}}, packets);
  }

  twin_surroundings around_;
  twin_counters& counters_;
  egress to_host_;
  rx_queue from_host_;
  bool has_left_{false};  // the port, which it does not poll any more
};

}  // namespace packetwarp
