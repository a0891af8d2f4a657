// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "punt/control_desk.h"

#include <fmt/format.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <numeric>

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

static_assert(std::accumulate(control_desk::rooms.begin(), control_desk::rooms.end(), 0U) == control_desk::room);

control_desk::control_desk(std::uint16_t pipelines, std::size_t ports, punt_limits const& limits) {
  for (std::size_t n = 0; n < punt_classes; ++n) {
    punted_.emplace_back(fmt::format("punted_{}", to_string(static_cast<punt_class>(n))), rooms[n],
                         mbuf_ring::writers::many);
  }
  for (std::size_t port = 0; port < ports; ++port) {
    for (std::size_t n = 0; n < punt_reasons; ++n) meters_.emplace_back(limits[class_of(static_cast<punt_reason>(n))]);
  }
  for (std::uint16_t n = 0; n < pipelines; ++n) doors_.emplace_back(n);
}

punt_result control_desk::punt(std::span<rte_mbuf*> packets, punt_tag tag, cycles now) {
  auto const passing = let_pass(static_cast<std::uint32_t>(packets.size()), tag, now);
  auto const limited = static_cast<std::uint32_t>(packets.size()) - passing;
  if (passing == 0) return {.limited = limited};
  for (auto* const packet : packets.first(passing)) attach(*packet, tag);
  auto const taken = punted_[static_cast<std::size_t>(class_of(tag.why))].put(packets.first(passing));
  return {.taken = taken, .full = passing - taken, .limited = limited};
}

std::uint32_t control_desk::take(std::span<rte_mbuf*> into) {
  constexpr auto parts = std::accumulate(shares.begin(), shares.end(), 0U);
  std::uint32_t taken = 0;
  for (std::size_t n = 0; n < punt_classes; ++n) {
    auto const share = std::max<std::size_t>(into.size() * shares[n] / parts, 1);
    auto const left = into.subspan(taken);
    taken += punted_[n].take(left.first(std::min(share, left.size())));
  }
  for (std::size_t n = 0; n < punt_classes && taken < into.size(); ++n) taken += punted_[n].take(into.subspan(taken));
  return taken;
}

bool control_desk::send(rte_mbuf& packet, std::uint16_t port, sender from) {
  if (from == sender::twin && room_to_send() == 0) return false;
  packet.hash.usr = static_cast<std::uint32_t>(from) << 16 | port;
  auto* one = &packet;
  return doors_.front().outbox.put({&one, 1}) == 1;
}

bool control_desk::put_back(rte_mbuf& packet, std::size_t pipeline) {
  auto* one = &packet;
  return doors_[pipeline].returned.put({&one, 1}) == 1;
}

std::uint32_t control_desk::take_returned(std::span<rte_mbuf*> into) {
  std::uint32_t taken = 0;
  for (auto& one : doors_) taken += one.returned.take(into.subspan(taken));
  return taken;
}

}  // namespace packetwarp
