// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "burst/burst_ring.h"
#include "capture/packet_capture.h"
#include "port/port.h"
#include "topology/control_desk.h"
#include "topology/counters.h"
#include "topology/job.h"
#include "topology/kernel_link.h"

namespace packetwarp {

// What a pipeline sends by: a TX queue, and the packets that wait for room in it.
class egress {
 public:
  // longest_chain: port::longest_chain() of its port. capacity: packets that may wait.
  egress(tx_queue queue, std::uint32_t longest_chain, std::uint32_t capacity, cycles timeout);

  [[nodiscard]] std::uint32_t waiting() const { return end_ - begin_; }
  [[nodiscard]] bool has_room_for(std::uint32_t packets) const { return waiting() + packets <= waiting_.size(); }
  [[nodiscard]] bool takes(rte_mbuf const& packet) const {
    return packet.nb_segs == 1 || packet.pkt_len <= longest_chain_;
  }

  // Sends what the port takes and keeps the rest waiting; has_room_for() them first. Says how many left at once.
  std::uint32_t send(std::span<rte_mbuf*> packets, cycles now);
  // Sends what the port takes at once, unless others wait already; says how many. The rest is the caller's still.
  [[nodiscard]] std::uint32_t send_at_once(std::span<rte_mbuf*> packets) {
    return waiting() == 0 ? queue_.send(packets) : 0;
  }
  // Tries the waiting packets again; says how many left.
  std::uint32_t flush(cycles now);
  // The port has taken nothing for the time-out while packets waited.
  [[nodiscard]] bool is_stuck(cycles now) const { return waiting() != 0 && now - last_progress_ >= timeout_; }
  // Gives up the waiting packets, which the caller then owns.
  [[nodiscard]] std::span<rte_mbuf*> take_waiting();

 private:
  void keep(std::span<rte_mbuf*> packets);
  tx_queue queue_;
  std::uint32_t longest_chain_;
  cycles timeout_;
  cycles last_progress_{0};
  std::vector<rte_mbuf*> waiting_;
  std::uint32_t begin_{0};
  std::uint32_t end_{0};
};

// Where the packets' headers are when they come to be sent.
enum class packets_lie : std::uint8_t {
  in_own_cache,     // this worker received them
  in_other_caches,  // another did: they are fetched together first, not one by one by the driver
};

// A TX job's way to the control plane, where there is one.
struct control_link {
  control_desk* desk{};                 // nullptr: punted packets are dropped as no_kernel_interface
  kernel_link* kernel{};                // of its RX port: takes what is for the kernel without the control plane
  std::vector<kernel_link*> kernels{};  // of all ports, by their position; may be empty
  std::uint16_t pipeline{};             // whose doors are its own
  std::uint16_t ingress{};              // position of its RX port among the plan's
};

// Where a TX job's packets are looked at, and as whose.
struct departure_tap {
  capture_tap tap{};
  std::uint16_t ingress{};                // position of its RX port among the plan's
  std::vector<std::uint16_t> egresses{};  // the same of its egresses
};

// Takes finished bursts in order and does what their verdicts say: sends, drops by name, punts. A packet that a port
// does not take waits; behind a port that takes nothing for the time-out packets are dropped as tx_full, so that one
// stuck port never holds up the rest for good.
class transmit_job final : public job {
 public:
  transmit_job(std::uint16_t number, burst_ring& ring, std::vector<egress> egresses, departure_counters& counters,
               packets_lie where = packets_lie::in_own_cache, control_link control = {}, departure_tap seen = {})
      : number_{number},
        ring_{ring},
        egresses_{std::move(egresses)},
        counters_{counters},
        where_{where},
        control_{std::move(control)},
        outbox_{control_.desk != nullptr ? &control_.desk->doors_of(control_.pipeline).outbox : nullptr},
        seen_{std::move(seen)} {}
  std::uint32_t poll(tick const& t) override;
  [[nodiscard]] std::string name() const override { return "transmit " + std::to_string(number_); }

 private:
  [[nodiscard]] bool flush_waiting(tick const& t);
  void dispatch(burst& work, burst_outcome outcome, tick const& t);
  void act(verdict what, std::span<rte_mbuf*> packets, tick const& t);
  void drop(drop_reason why, std::span<rte_mbuf*> packets);
  void punt(punt_reason why, std::span<rte_mbuf*> packets);
  void hand_to_kernel(std::span<rte_mbuf*> packets);
  // Sends what the control plane and the kernel have to send; says how many packets.
  std::uint32_t send_for_control(tick const& t);
  void count_control(send_tag const& tag, bool leaves);
  void refuse_chained(burst& work) const;

  std::uint16_t number_;
  burst_ring& ring_;
  std::vector<egress> egresses_;
  departure_counters& counters_;
  packets_lie where_;
  control_link control_;
  mbuf_ring* outbox_;
  departure_tap seen_;
};

}  // namespace packetwarp
