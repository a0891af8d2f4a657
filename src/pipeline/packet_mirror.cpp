// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/packet_mirror.h"

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "wire/big_endian.h"
#include "wire/ethernet.h"

namespace packetwarp {
namespace {

void lose(departure_counters& counters, mirror_loss why, std::uint64_t packets = 1) {
  counters.not_mirrored[static_cast<std::size_t>(why)].add(packets);
}

// Writes the bytes over the first ones of a packet, which has at least as many, in mbufs of any length.
void write_front(rte_mbuf& packet, std::span<std::byte const> bytes) {
  for (auto* piece = &packet; piece != nullptr && !bytes.empty(); piece = piece->next) {
    auto const here = std::min<std::size_t>(bytes.size(), piece->data_len);
    std::memcpy(rte_pktmbuf_mtod(piece, void*), bytes.data(), here);
    bytes = bytes.subspan(here);
  }
}

// Bytes of the Ethernet header and up to two VLAN tags in front of a packet that begins with these bytes; an MTU counts
// the bytes after them.
[[nodiscard]] std::uint32_t link_bytes(std::span<std::byte const> front) {
  constexpr std::uint32_t most = RTE_ETHER_HDR_LEN + 2 * RTE_VLAN_HLEN;
  std::uint32_t bytes = RTE_ETHER_HDR_LEN;
  while (bytes < most && bytes <= front.size() &&
         wire::is_vlan_tag(static_cast<wire::ether_type>(wire::load_be<std::uint16_t>(front.data() + bytes - 2)))) {
    bytes += RTE_VLAN_HLEN;
  }
  return bytes;
}

}  // namespace

void packet_mirror::mirror(burst const& work, burst_outcome outcome, packetwarp::egress& to, tick const& t,
                           departure_counters& counters, departure_tap const& seen) {
  if (work.sequence < next_) return;
  next_ = work.sequence + 1;
  if (outcome.is_uniform() && !outcome.of_all().has_copy()) return;
  batch all;
  for (std::uint32_t n = 0; n < work.size; ++n) {
    if (!outcome.is_uniform() && !work.verdicts[n].has_copy()) continue;
    add(all, work, n, to, t, counters);
    if (all.size == all.copies.size()) send(all, to, t, counters, seen);
  }
  send(all, to, t, counters, seen);
}

void packet_mirror::add(batch& to, burst const& work, std::uint32_t n, packetwarp::egress const& by, tick const& t,
                        departure_counters& counters) const {
  auto const& packet = *work.packets[n];
  if (t.phase == run_phase::abandoning) return lose(counters, mirror_loss::shutdown);
  if (way_.is_of_mirror_port) return lose(counters, mirror_loss::from_mirror_port);
  if (work.kept.has_come_again(n)) return lose(counters, mirror_loss::comes_again);
  auto const received = work.kept.of(n);
  if (packet.pkt_len > way_.mtu + link_bytes(received)) return lose(counters, mirror_loss::tx_too_long);
  if (t.now < next_try_) return lose(counters, mirror_loss::tx_full);
  auto* const copy = rte_pktmbuf_copy(&packet, way_.pool, 0, std::numeric_limits<std::uint32_t>::max());
  if (copy == nullptr) return lose(counters, mirror_loss::no_buffer);
  if (!by.takes(*copy)) {
    auto const why = by.takes_mbufs(*copy) ? mirror_loss::tx_too_long : mirror_loss::tx_chained;
    rte_pktmbuf_free(copy);
    return lose(counters, why);
  }
  write_front(*copy, received);
  to.copies[to.size++] = copy;
}

void packet_mirror::send(batch& all, packetwarp::egress& to, tick const& t, departure_counters& counters,
                         departure_tap const& seen) {
  auto const copies = std::span{all.copies}.first(std::exchange(all.size, 0));
  if (copies.empty()) return;
  seen.show_leaving(way_.egress, copies);
  auto const taken = to.send_at_once(copies);
  counters.mirrored.add(taken);
  auto const rest = copies.subspan(taken);
  if (rest.empty()) return;
  if (taken == 0) next_try_ = t.now + way_.between_tries;
  lose(counters, mirror_loss::tx_full, rest.size());
  rte_pktmbuf_free_bulk(rest.data(), static_cast<unsigned>(rest.size()));
}

}  // namespace packetwarp
