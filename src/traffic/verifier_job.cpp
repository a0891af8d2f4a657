// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/verifier_job.h"

#include <algorithm>

namespace packetwarp::traffic {

void receiver::fetch(std::uint32_t packets) {
  if (!shuttle_) return;
  for (std::uint32_t i = 0; i < packets; ++i) {
    rte_mbuf const& packet = *packets_[i];
    if (packet.data_len > shuttle_->longest()) continue;
    shuttle_->note(i, 0, rte_pktmbuf_mtod(&packet, std::byte*), packet.data_len);
  }
  is_fetched_ = shuttle_->from_gpu();
  has_lost_gpu_ |= !is_fetched_;
}

void receiver::swap_payload_back(std::uint32_t i) {
  constexpr std::size_t payload_at = 60, swapped = 6;
  rte_mbuf& packet = *packets_[i];
  if (packet.data_len < payload_at + 2 * swapped) return;
  auto* const payload = (shuttle_ ? shuttle_->room(i) : rte_pktmbuf_mtod(&packet, std::byte*)) + payload_at;
  std::swap_ranges(payload, payload + swapped, payload + swapped);
}

std::span<std::byte const> receiver::bytes_of(std::uint32_t i) {
  rte_mbuf const& packet = *packets_[i];
  if (has_swapped_payload_) swap_payload_back(i);
  if (shuttle_) {
    bool const is_there = is_fetched_ && packet.nb_segs == 1 && packet.data_len <= shuttle_->longest();
    return {shuttle_->room(i), is_there ? packet.data_len : std::size_t{0}};
  }
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
