// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/verifier_job.h"

namespace packetwarp::traffic {

std::span<std::byte const> receiver::bytes_of(rte_mbuf const& packet) {
  if (packet.nb_segs == 1) return {rte_pktmbuf_mtod(&packet, std::byte const*), packet.data_len};
  if (packet.pkt_len > gathered_.size()) return {};
  void const* const whole = rte_pktmbuf_read(&packet, 0, packet.pkt_len, gathered_.data());
  return {static_cast<std::byte const*>(whole), whole == nullptr ? 0 : packet.pkt_len};
}

void receiver::count(std::size_t packets, cycles now) {
  counters_.packets.add(packets);
  if (counters_.first_received.read() == 0) counters_.first_received.set(now);
  counters_.last_received.set(now);
}

}  // namespace packetwarp::traffic
