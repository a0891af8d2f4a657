// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/new_packet.h"

#include <algorithm>
#include <cstring>

namespace packetwarp {

rte_mbuf* new_packet(rte_mempool& pool, std::size_t bytes) {
  auto* const made = rte_pktmbuf_alloc(&pool);
  if (made == nullptr) return nullptr;
  if (bytes > rte_pktmbuf_tailroom(made)) {
    rte_pktmbuf_free(made);
    return nullptr;
  }
  std::memset(rte_pktmbuf_append(made, static_cast<std::uint16_t>(bytes)), 0, bytes);
  return made;
}

bool append_bytes(rte_mempool& pool, rte_mbuf& packet, std::span<std::byte const> bytes) {
  while (!bytes.empty()) {
    auto* last = rte_pktmbuf_lastseg(&packet);
    if (rte_pktmbuf_tailroom(last) == 0) {
      auto* const more = rte_pktmbuf_alloc(&pool);
      if (more == nullptr) return false;
      if (rte_pktmbuf_tailroom(more) == 0 || rte_pktmbuf_chain(&packet, more) != 0) {
        rte_pktmbuf_free(more);
        return false;
      }
      last = more;
    }
    auto const size = std::min<std::size_t>(rte_pktmbuf_tailroom(last), bytes.size());
    std::memcpy(rte_pktmbuf_append(&packet, static_cast<std::uint16_t>(size)), bytes.data(), size);
    bytes = bytes.subspan(size);
  }
  return true;
}

bool read_bytes(rte_mbuf const& packet, std::size_t offset, std::span<std::byte> into) {
  for (auto const* piece = &packet; piece != nullptr && !into.empty(); piece = piece->next) {
    if (offset >= piece->data_len) {
      offset -= piece->data_len;
      continue;
    }
    auto const size = std::min<std::size_t>(piece->data_len - offset, into.size());
    std::memcpy(into.data(), rte_pktmbuf_mtod_offset(piece, std::byte const*, offset), size);
    into = into.subspan(size);
    offset = 0;
  }
  return into.empty();
}

bool pull_up(rte_mbuf& packet, std::size_t bytes) {
  if (packet.data_len >= bytes) return true;
  return packet.pkt_len >= bytes && rte_pktmbuf_linearize(&packet) == 0;
}

void shorten(rte_mbuf& packet, std::size_t bytes) {
  if (bytes >= packet.pkt_len) return;
  auto left = bytes;
  auto* last = &packet;
  for (; left > last->data_len; last = last->next) left -= last->data_len;
  std::uint16_t removed = 0;
  for (auto const* piece = last->next; piece != nullptr; piece = piece->next) ++removed;
  rte_pktmbuf_free(last->next);
  last->next = nullptr;
  last->data_len = static_cast<std::uint16_t>(left);
  packet.nb_segs = static_cast<std::uint16_t>(packet.nb_segs - removed);
  packet.pkt_len = static_cast<std::uint32_t>(bytes);
}

void write_ethernet(std::byte* frame, wire::mac_address const& destination, wire::mac_address const& source,
                    wire::ether_type type) {
  wire::ethernet_view const ethernet{frame};
  ethernet.set_destination(destination);
  ethernet.set_source(source);
  ethernet.set_type(type);
}

}  // namespace packetwarp
