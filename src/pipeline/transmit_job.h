// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "burst/burst_ring.h"
#include "egress/egress.h"
#include "pipeline/counters.h"
#include "pipeline/departure_tap.h"
#include "pipeline/packet_mirror.h"
#include "punt/control_desk.h"
#include "twin/twin_link.h"
#include "worker/job.h"

namespace packetwarp {

// The cache that has the packets' headers when they are sent.
enum class packets_lie : std::uint8_t {
  in_own_cache,     // this worker received them
  in_other_caches,  // another worker did: they are fetched together first, not one by one by the driver
};

// A TX job's link to the control plane, if there is one.
struct control_link {
  control_desk* desk{};             // nullptr: punted packets are dropped as no_kernel_interface
  twin_link* twin{};                // of its RX port: takes the kernel's packets; most are dropped without one
  std::vector<twin_link*> twins{};  // of all ports, by their position; may be empty
  std::uint16_t pipeline{};         // the one whose doors are used
  std::uint16_t ingress{};          // position of its RX port among the plan's
  // The rings of other GPUs' pipelines, by the GPU's position, for packets whose state that GPU has. Empty with one
  // GPU.
  std::vector<mbuf_ring*> to_gpus{};
};

// Takes finished bursts in order and carries out their verdicts: sends, drops by name, punts. Packets that a port does
// not take wait in its egress. If the egress has no room, the burst waits in the ring, and its packets for other
// egresses leave; with several egresses it waits only for as long as the egress may hold up the others, then packets
// without room are dropped as tx_full. A port that takes nothing for the time-out is given up: its packets are dropped
// as tx_full at once, and a single packet is tried from time to time, so that the port serves again as soon as it takes
// packets. A port that is taken away is given up for good, and a port that is started again is given up until rejoin().
class transmit_job final : public job {
 public:
  transmit_job(std::uint16_t number, burst_ring& ring, std::vector<egress> egresses, departure_counters& counters,
               packets_lie where = packets_lie::in_own_cache, control_link control = {}, departure_tap seen = {});
  // From here on copies of packets leave by a mirror port.
  void mirror_by(packet_mirror mirror) { mirror_ = mirror; }
  std::uint32_t poll(tick const& t) override;
  void leave(port_id gone, cycles now) override;
  void rejoin(port_id back) override;
  [[nodiscard]] std::string name() const override { return "transmit " + std::to_string(number_); }

 private:
  void flush_waiting(tick const& t);
  [[nodiscard]] bool is_held_up(burst const& work, burst_outcome outcome, tick const& t);
  [[nodiscard]] std::uint32_t dispatch_past(burst& work, burst_outcome outcome, tick const& t);
  void dispatch(burst& work, burst_outcome outcome, tick const& t);
  void move_fronts(front_move how, std::span<rte_mbuf*> packets);
  void act(verdict what, std::span<rte_mbuf*> packets, tick const& t);
  void forward(std::size_t n, std::span<rte_mbuf*> packets, tick const& t);
  void forward_impeded(std::size_t n, std::span<rte_mbuf*> packets, tick const& t);
  void show_leaving(std::size_t n, std::span<rte_mbuf*> packets) const { seen_.show_leaving(n, packets); }
  void drop(drop_reason why, std::span<rte_mbuf*> packets);
  void punt(punt_reason why, std::span<rte_mbuf*> packets, tick const& t);
  void put_on_desk(punt_reason why, std::span<rte_mbuf*> packets, tick const& t);
  void hand_to_gpu(gpu_position to, std::span<rte_mbuf*> packets);
  void refuse_punts(punt_class of, std::span<rte_mbuf*> packets, punt_result const& result);
  void hand_to_host(std::span<rte_mbuf*> packets, tick const& t);
  [[nodiscard]] static egress::fate send_first(egress& to, rte_mbuf* packet, tick const& t);
  void flush_first(std::uint16_t n, tick const& t);
  void give_up_first(egress& to);
  // Sends packets of the control plane and the kernel; returns how many.
  std::uint32_t send_for_control(tick const& t);
  void count_control(send_tag const& tag, bool leaves);
  [[nodiscard]] bool may_refuse(burst const& work) const { return work.has_chained || limits_lengths_; }
  void refuse_unsendable(burst& work) const;

  std::uint16_t number_;
  burst_ring& ring_;
  std::vector<egress> egresses_;
  std::vector<std::uint16_t> waiting_;  // positions of egresses where packets wait
  bool limits_lengths_;                 // some egress does
  departure_counters& counters_;
  packets_lie where_;
  control_link control_;
  mbuf_ring* outbox_;
  departure_tap seen_;
  std::optional<packet_mirror> mirror_;
};

}  // namespace packetwarp
