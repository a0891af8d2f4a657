// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "base/cycles.h"
#include "burst/mbuf_ring.h"
#include "burst/punt_class.h"
#include "burst/verdict.h"
#include "punt/punt_limits.h"
#include "punt/punt_meter.h"
#include "telemetry/counter.h"

namespace packetwarp {

// The tag of a packet on its way to the control plane or back: the port by which it came in or leaves, as its position
// in the plan, and the reason of the punt. Kept in a field of the mbuf that drivers fill on receive and no code reads
// afterwards.
struct punt_tag {
  punt_reason why{};
  std::uint16_t port{};
};
void attach(rte_mbuf& packet, punt_tag tag);
[[nodiscard]] punt_tag tag_of(rte_mbuf const& packet);

// The tag of a packet that goes out: the position of its port in the plan, and its sender.
struct send_tag {
  enum class sender : std::uint16_t { control_plane, twin } from{};
  std::uint16_t port{};
};
[[nodiscard]] send_tag send_tag_of(rte_mbuf const& packet);

// A pipeline's doors to the control plane: packets to send by one of its egresses, and packets to put in front of
// the function once more.
struct control_doors {
  static constexpr std::uint32_t room = 1024;  // in either direction: a few rounds of the control plane's answers

  explicit control_doors(std::uint16_t pipeline);
  mbuf_ring outbox;
  mbuf_ring returned;
};

// The outcome for punted packets: the desk took the first, the next found no room, the last were beyond the limit.
struct punt_result {
  std::uint32_t taken{};
  std::uint32_t full{};
  std::uint32_t limited{};
};

// Punted packets lie here until the control plane has time for them, and packets that it makes of them go back to the
// data path. Pipelines put packets in, each from its TX job's thread; the master takes them out. Each class of punts
// has a ring.
class control_desk {
 public:
  // By class: packets that may wait, and the class's share of the master's packets per iteration while all classes
  // wait.
  static constexpr std::array<std::uint32_t, punt_classes> rooms{1024, 512, 512, 1024, 1024};
  static constexpr std::array<std::uint32_t, punt_classes> shares{6, 2, 2, 3, 3};
  // The packets of all classes together.
  static constexpr std::uint32_t room = 4096;
  // Places of a pipeline's outbox that are kept free for the control plane's own packets.
  static constexpr std::uint32_t kept_for_own = 256;

  // pipelines, ports: by the numbers of the plan. A pipeline of the first port sends what the control plane sends.
  control_desk(std::uint16_t pipelines, std::size_t ports, punt_limits const& limits = {});

  // Takes the packets for which the desk has room and which the limit of their port and reason lets pass, from the
  // first on. Called by a pipeline's TX job, or by a kernel interface's job.
  [[nodiscard]] punt_result punt(std::span<rte_mbuf*> packets, punt_tag tag, cycles now);
  // Returns how many of `packets` the limit lets pass; for packets that do not go by the desk.
  [[nodiscard]] std::uint32_t let_pass(std::uint32_t packets, punt_tag tag, cycles now) {
    return meter_of(tag).take(packets, now);
  }
  [[nodiscard]] control_doors& doors_of(std::size_t pipeline) { return doors_[pipeline]; }

  // Packets of a class that wait at the moment.
  [[nodiscard]] std::uint32_t waiting(punt_class of) const {
    auto const n = static_cast<std::size_t>(of);
    return rooms[n] - std::min(rooms[n], punted_[n].room());
  }

  // Only the master makes the calls from here on.
  // Takes punted packets into `into`, one packet per place; returns how many. Each class gets its share, and the unused
  // part of it goes to the others.
  [[nodiscard]] std::uint32_t take(std::span<rte_mbuf*> into);
  using sender = send_tag::sender;
  // Sends a packet by a port of the plan; false if there is no room, and the caller still owns the packet.
  [[nodiscard]] bool send(rte_mbuf& packet, std::uint16_t port, sender from = sender::control_plane);
  // The number of packets of the kernel for which send() has room.
  [[nodiscard]] std::uint32_t room_to_send() const {
    auto const free = doors_.front().outbox.room();
    return free > kept_for_own ? free - kept_for_own : 0;
  }
  // Takes back packets that have not been sent, after the workers' end; returns how many.
  [[nodiscard]] std::uint32_t take_back(std::span<rte_mbuf*> into) { return doors_.front().outbox.take(into); }
  // Puts a packet in front of the function, as if it came in again by the pipeline; false if there is no room, and the
  // caller still owns the packet.
  [[nodiscard]] bool put_back(rte_mbuf& packet, std::size_t pipeline);
  // Takes out packets that were put back and that no pipeline has received, after the workers' end; returns how many.
  [[nodiscard]] std::uint32_t take_returned(std::span<rte_mbuf*> into);

 private:
  [[nodiscard]] punt_meter& meter_of(punt_tag tag) {
    return meters_[tag.port * punt_reasons + static_cast<std::size_t>(tag.why)];
  }
  std::vector<mbuf_ring> punted_;  // by class
  std::deque<punt_meter> meters_;  // by port, and by reason
  std::deque<control_doors> doors_;
};

}  // namespace packetwarp
