// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "burst/verdict.h"
#include "telemetry/counter.h"
#include "topology/job.h"
#include "topology/mbuf_ring.h"

namespace packetwarp {

// What a packet that goes to the control plane or comes from there has with it: where it came in or is to leave, by the
// position of the port in the plan, and why it was punted. Kept in a field of the mbuf that drivers fill on receive and
// nobody looks at afterwards.
struct punt_tag {
  punt_reason why{};
  std::uint16_t port{};
};
void attach(rte_mbuf& packet, punt_tag tag);
[[nodiscard]] punt_tag tag_of(rte_mbuf const& packet);

// The same of a packet that goes out: by which of the plan's ports, and who sends it.
struct send_tag {
  enum class sender : std::uint16_t { control_plane, kernel } from{};
  std::uint16_t port{};
};
[[nodiscard]] send_tag send_tag_of(rte_mbuf const& packet);

// One pipeline's doors to the control plane: what it has to send by one of its egresses, and what it puts in front of
// the function once more.
struct control_doors {
  static constexpr std::uint32_t room = 1024;  // either way: a few rounds of what the control plane answers at once

  explicit control_doors(std::uint16_t pipeline);
  mbuf_ring outbox;
  mbuf_ring returned;
};

// Where punted packets lie until the control plane has time for them, and by which what it makes of them goes back to
// the data path. Pipelines put in, each from its TX job's thread; the master takes out.
class control_desk {
 public:
  static constexpr std::uint32_t room = 4096;

  // pipelines: by the numbers of the plan. A pipeline of the first port sends what the control plane sends.
  explicit control_desk(std::uint16_t pipelines);

  // A pipeline's TX job: takes the packets it has room for, from the first on; says how many.
  [[nodiscard]] std::uint32_t punt(std::span<rte_mbuf*> packets, punt_tag tag);
  [[nodiscard]] control_doors& doors_of(std::size_t pipeline) { return doors_[pipeline]; }

  // The master, and nobody else, from here on.
  // Takes what was punted, a packet a place in `into`; says how many.
  [[nodiscard]] std::uint32_t take(std::span<rte_mbuf*> into) { return punted_.take(into); }
  using sender = send_tag::sender;
  // Sends a packet by the plan's port; false when there is no room, and the packet is the caller's still.
  [[nodiscard]] bool send(rte_mbuf& packet, std::uint16_t port, sender from = sender::control_plane);
  // Packets that send() has room for.
  [[nodiscard]] std::uint32_t room_to_send() const { return doors_.front().outbox.room(); }
  // After the workers' end: takes back what was to be sent and is not; says how many.
  [[nodiscard]] std::uint32_t take_back(std::span<rte_mbuf*> into) { return doors_.front().outbox.take(into); }
  // Puts a packet in front of the function, as if it came in again by the pipeline; false as above.
  [[nodiscard]] bool put_back(rte_mbuf& packet, std::size_t pipeline);

 private:
  mbuf_ring punted_;
  std::deque<control_doors> doors_;
};

}  // namespace packetwarp
