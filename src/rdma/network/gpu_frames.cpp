// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/gpu_frames.h"

#include <rte_mbuf.h>

#include <algorithm>

#include "rdma/roce/frame.h"

namespace packetwarp::rdma {

void gpu_frames::give(frame_pools const& pools) {
  pools_ = pools;
  for (std::size_t n = 0; n < ends_.size(); ++n)
    pools.rests == nullptr ? give_whole(n, *pools.frames) : give_pairs(n, pools);
}

// An mbuf of the pool without a reference to another one, as drivers take them: what is not set when its frame has come
// is as rte_pktmbuf_free() leaves it. Here the mbuf itself is not touched, for the sake of the caches, unless its data
// is elsewhere.
void gpu_frames::give_whole(std::size_t n, rte_mempool& pool) {
  bool const is_elsewhere = (rte_pktmbuf_priv_flags(&pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0;
  auto const behind = sizeof(rte_mbuf) + rte_pktmbuf_priv_size(&pool);
  std::array<void*, burst> blanks{};
  auto& queue = given_[n];
  while (queue.given - queue.taken + burst <= blanks_per_queue) {
    if (rte_mempool_get_bulk(&pool, blanks.data(), burst) != 0) return;
    for (auto* const blank : blanks) {
      auto* const packet = static_cast<rte_mbuf*>(blank);
      queue.packets[queue.given++ % queue.packets.size()] = packet;
      auto* const memory =
          static_cast<std::byte*>(is_elsewhere ? packet->buf_addr : blank) + (is_elsewhere ? 0 : behind);
      ends_[n].give(memory + RTE_PKTMBUF_HEADROOM + lead_);
    }
  }
}

// The offset of a first piece in its mbuf's memory, which begins `behind` bytes after the mbuf does: with its lead it
// begins at a line of 128 bytes.
std::uint16_t gpu_frames::first_at(rte_mbuf const& packet, std::uint32_t behind) const {
  constexpr std::uintptr_t line = 128;
  auto const memory = reinterpret_cast<std::uintptr_t>(&packet) + behind;
  auto const begin = (memory + RTE_PKTMBUF_HEADROOM + line - 1) / line * line;
  return static_cast<std::uint16_t>(begin - memory + lead_);
}

// The second piece's memory is where its mbuf says: its pool has its data elsewhere.
void gpu_frames::give_pairs(std::size_t n, frame_pools const& pools) {
  auto const behind = static_cast<std::uint32_t>(sizeof(rte_mbuf) + rte_pktmbuf_priv_size(pools.frames));
  std::array<void*, burst> blanks{}, rests{};
  auto& queue = given_[n];
  while (queue.given - queue.taken + burst <= blanks_per_queue) {
    if (rte_mempool_get_bulk(pools.frames, blanks.data(), burst) != 0) return;
    if (rte_mempool_get_bulk(pools.rests, rests.data(), burst) != 0)
      return rte_mempool_put_bulk(pools.frames, blanks.data(), burst);
    for (std::size_t i = 0; i < burst; ++i) {
      auto* const packet = static_cast<rte_mbuf*>(blanks[i]);
      auto* const rest = static_cast<rte_mbuf*>(rests[i]);
      auto const place = queue.given++ % queue.packets.size();
      queue.packets[place] = packet;
      queue.rests[place] = rest;
      ends_[n].give(static_cast<std::byte*>(blanks[i]) + behind + first_at(*packet, behind),
                    static_cast<std::byte*>(rest->buf_addr) + RTE_PKTMBUF_HEADROOM);
    }
  }
}

// An mbuf whose data is its pool's, elsewhere, says so itself, and goes on to do so.
void gpu_frames::set_frame(rte_mbuf& packet, std::uint16_t bytes, std::size_t of_queue) const {
  packet.data_off = static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + lead_);
  packet.port = RTE_MBUF_PORT_INVALID;
  packet.ol_flags &= RTE_MBUF_F_EXTERNAL;
  packet.hash.fdir.hi = static_cast<std::uint32_t>(of_queue);
  packet.packet_type = 0;
  packet.data_len = bytes;
  packet.pkt_len = bytes;
}

void gpu_frames::set_pair(rte_mbuf& packet, rte_mbuf& rest, std::uint16_t bytes, std::size_t of_queue) const {
  auto const first = static_cast<std::uint16_t>(std::min<std::uint32_t>(bytes, roce::first_piece_bytes));
  auto const behind = static_cast<std::uint32_t>(sizeof(rte_mbuf) + rte_pktmbuf_priv_size(pools_.frames));
  set_frame(packet, first, of_queue);
  packet.data_off = first_at(packet, behind);
  packet.pkt_len = bytes;
  if (bytes == first) return rte_mbuf_raw_free(&rest);
  packet.nb_segs = 2;
  packet.next = &rest;
  rest.data_off = RTE_PKTMBUF_HEADROOM;
  rest.data_len = static_cast<std::uint16_t>(bytes - first);
}

std::size_t gpu_frames::take(std::span<rte_mbuf*> into) {
  std::size_t taken = 0;
  for (std::size_t looked = 0; looked < ends_.size() && taken < into.size(); ++looked) {
    auto& queue = given_[turn_];
    auto& end = ends_[turn_];
    auto const count = std::min<std::size_t>(end.made(), into.size() - taken);
    for (std::size_t i = 0; i < count; ++i) {
      auto const place = queue.taken++ % queue.packets.size(), later = (place + ahead) % queue.packets.size();
      __builtin_prefetch(queue.packets[later], 1);
      auto* const packet = queue.packets[place];
      if (pools_.rests == nullptr) {
        set_frame(*packet, end.take_length(), turn_);
      } else {
        __builtin_prefetch(queue.rests[later], 1);
        set_pair(*packet, *queue.rests[place], end.take_length(), turn_);
      }
      into[taken++] = packet;
    }
    turn_ = turn_ + 1 == ends_.size() ? 0 : turn_ + 1;
  }
  return taken;
}

void gpu_frames::release() {
  for (auto& queue : given_)
    for (; queue.taken != queue.given; ++queue.taken) {
      auto const place = queue.taken % queue.packets.size();
      rte_mbuf_raw_free(queue.packets[place]);
      if (pools_.rests != nullptr) rte_mbuf_raw_free(queue.rests[place]);
    }
}

std::uint64_t gpu_frames::answers_dropped() const {
  std::uint64_t sum = 0;
  for (auto const& end : ends_) sum += end.dropped();
  return sum;
}

}  // namespace packetwarp::rdma
