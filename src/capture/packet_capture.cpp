// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/packet_capture.h"

#include <algorithm>

namespace packetwarp {

packet_capture::packet_capture(capture_selection wanted, drop_reason_names const& names, std::size_t ports)
    : wanted_{std::move(wanted)},
      names_{names},
      copies_{wanted_.buffer},
      ports_{ports},
      counts_{std::make_unique<port_counts[]>(ports)} {
  wanted_.snap = std::min(wanted_.snap, capture_buffer::longest);
  if (wanted_.filter) filter_.emplace(*wanted_.filter, wanted_.reach);
}

bool packet_capture::looks_at(capture_place const& where) const {
  return wanted_.stages[static_cast<std::size_t>(where.stage)] && (!wanted_.port || *wanted_.port == where.port) &&
         (wanted_.reason.empty() || wanted_.reason == where.why);
}

void packet_capture::take(capture_place const& where, std::span<rte_mbuf* const> packets) {
  if (!looks_at(where)) return;
  std::uint64_t accepted = 0;
  std::uint64_t missed = 0;
  for (auto* const packet : packets) {
    if (filter_ && !filter_->wants(*packet)) continue;
    ++accepted;
    if (!keep(where, *packet)) ++missed;
  }
  auto& counts = counts_[where.port];
  counts.seen.fetch_add(packets.size(), std::memory_order_relaxed);
  counts.accepted.fetch_add(accepted, std::memory_order_relaxed);
  counts.missed.fetch_add(missed, std::memory_order_relaxed);
}

bool packet_capture::keep(capture_place const& where, rte_mbuf& packet) {
  auto const readable = wanted_.reach == capture_reach::whole_packet ? packet.pkt_len : packet.data_len;
  return copies_.put(
      {.where = where, .when = now_cycles(), .length = packet.pkt_len, .captured = std::min(readable, wanted_.snap)},
      packet);
}

pcapng::interface_counts packet_capture::counts(std::size_t port) const {
  auto const& counted = counts_[port];
  return {.seen = counted.seen.load(std::memory_order_relaxed),
          .accepted = counted.accepted.load(std::memory_order_relaxed),
          .missed = counted.missed.load(std::memory_order_relaxed),
          .written = 0};
}

}  // namespace packetwarp
