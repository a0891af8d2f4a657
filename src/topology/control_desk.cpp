// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/control_desk.h"

#include <fmt/format.h>
#include <rte_mbuf.h>

namespace packetwarp {

void attach(rte_mbuf& packet, punt_tag tag) { packet.hash.usr = static_cast<std::uint32_t>(tag.why) << 16 | tag.port; }

punt_tag tag_of(rte_mbuf const& packet) {
  return {.why = static_cast<punt_reason>(packet.hash.usr >> 16),
          .port = static_cast<std::uint16_t>(packet.hash.usr & 0xffff)};
}

send_tag send_tag_of(rte_mbuf const& packet) {
  return {.from = static_cast<send_tag::sender>(packet.hash.usr >> 16),
          .port = static_cast<std::uint16_t>(packet.hash.usr & 0xffff)};
}

control_doors::control_doors(std::uint16_t pipeline)
    : outbox{fmt::format("outbox_{}", pipeline), room, mbuf_ring::writers::one},
      returned{fmt::format("returned_{}", pipeline), room, mbuf_ring::writers::one} {}

control_desk::control_desk(std::uint16_t pipelines) : punted_{"punted", room, mbuf_ring::writers::many} {
  for (std::uint16_t n = 0; n < pipelines; ++n) doors_.emplace_back(n);
}

std::uint32_t control_desk::punt(std::span<rte_mbuf*> packets, punt_tag tag) {
  for (auto* const packet : packets) attach(*packet, tag);
  return punted_.put(packets);
}

bool control_desk::send(rte_mbuf& packet, std::uint16_t port, sender from) {
  packet.hash.usr = static_cast<std::uint32_t>(from) << 16 | port;
  auto* one = &packet;
  return doors_.front().outbox.put({&one, 1}) == 1;
}

bool control_desk::put_back(rte_mbuf& packet, std::size_t pipeline) {
  auto* one = &packet;
  return doors_[pipeline].returned.put({&one, 1}) == 1;
}

}  // namespace packetwarp
