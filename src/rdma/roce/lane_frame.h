// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "rdma/mlx5_format.h"
#include "rdma/roce/frame.h"
#include "rdma/roce/frame_order.h"
#include "rdma/roce/lane_icrc.h"

namespace packetwarp::rdma::roce {

// The frame of an order, made by the 32 lanes of a warp in a room of their own. They do a step together, and the next
// one when all have done it: headers and payload; the parts of the ICRC; the ICRC; the copy to the frame's place. A
// CPU's loop over lanes does the same, as tests do.
//
// A frame begins two bytes after the room does, so that its IPv4 header and all words of the ICRC are aligned.
inline constexpr std::size_t frame_lead = 2;
inline constexpr std::size_t most_payload = 4096;
// The bytes of a room for packets of this MTU.
[[nodiscard]] HOST_DEVICE constexpr std::size_t frame_room_of(std::size_t mtu) {
  return (frame_lead + transport_at + bth_bytes + reth_bytes + mtu + icrc_bytes + 15) / 16 * 16;
}
inline constexpr std::size_t frame_room = frame_room_of(most_payload);

struct alignas(16) sixteen_bytes {
  std::uint64_t low, high;
};
static_assert((frame_lead + ethernet_bytes) % 4 == 0);

// A load past the L1 cache of a multiprocessor, which other writers of the payload do not invalidate.
template <class T>
[[nodiscard]] HOST_DEVICE T load_payload(T const* at) {
#if defined(__CUDA_ARCH__)
  return __ldcg(at);
#else
  return *at;
#endif
}

// Word i of a payload, which begins anywhere; bytes beyond the payload are zeroes. Nothing outside the payload is read,
// which may be all that its owner has registered: its ends are read byte by byte.
[[nodiscard]] HOST_DEVICE inline std::uint32_t payload_word(std::uint64_t payload, std::uint32_t bytes,
                                                            std::uint32_t i) {
  auto const before = static_cast<std::uint32_t>(payload % 4);
  auto const* const words = reinterpret_cast<std::uint32_t const*>(payload - before);
  auto const left = bytes - 4 * i;
  if (before == 0 && left >= 4) return load_payload(words + i);
  if (before != 0 && i != 0 && left + before >= 8) {
    return static_cast<std::uint32_t>((load_payload(words + i) | std::uint64_t{load_payload(words + i + 1)} << 32) >>
                                      8 * before);
  }
  auto const* const from = reinterpret_cast<std::uint8_t const*>(payload + 4 * i);
  std::uint32_t word = 0;
  for (std::uint32_t n = 0; n < 4 && n < left; ++n) word |= std::uint32_t{load_payload(from + n)} << 8 * n;
  return word;
}

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t big16(std::uint32_t value) {
  return (value & 0xff) << 8 | (value >> 8 & 0xff);
}

// The headers of an order's frame as words of its room, which begins with the lead: a lane makes a word. The words are
// those of write_frame_headers(), as tests show.
class header_words {
 public:
  HOST_DEVICE explicit header_words(frame_order const& order)
      : order_{&order},
        code_{static_cast<opcode>(order.code_and_queue >> 24)},
        total_{static_cast<std::uint32_t>(frame_bytes(code_, order.bytes) - ethernet_bytes)} {}

  [[nodiscard]] HOST_DEVICE std::uint32_t count() const {
    return static_cast<std::uint32_t>(frame_lead + transport_at + header_bytes(code_)) / 4;
  }
  [[nodiscard]] HOST_DEVICE std::uint32_t at(std::uint32_t word) const {
    auto const* const source = order_->source_mac.octets;
    auto const* const destination = order_->destination_mac.octets;
    switch (word) {
      case 0:
        return two_bytes(destination) << 16;
      case 1:
        return two_bytes(destination + 2) | two_bytes(destination + 4) << 16;
      case 2:
        return two_bytes(source) | two_bytes(source + 2) << 16;
      case 3:
        return two_bytes(source + 4) | 0x0008U << 16;
      case 4:
        return 0x45U | big16(total_) << 16;
      case 5:
        return 0x40U << 16;  // do not fragment
      case 6:
        return ttl | 17U << 8 | big16(checksum()) << 16;
      case 7:
        return big(order_->source.number);
      case 8:
        return big(order_->destination.number);
      case 9:
        return big16(order_->port) | big16(udp_port) << 16;
      case 10:
        return big16(total_ - 20);  // without a checksum
      case 11:
        return static_cast<std::uint32_t>(code_) | std::uint32_t{migrated_flag} << 8 |
               std::uint32_t{padding_of(order_->bytes)} << 12 | 0xffff'0000U;
      case 12:
        return big(order_->code_and_queue & 0xff'ffff);
      case 13:
        return big(order_->asks_and_psn & (asks_flag | psn_mask));
      case 14:
        return big(high(order_->address));
      case 15:
        return big(static_cast<std::uint32_t>(order_->address));
      case 16:
        return big(order_->rkey);
      default:
        return big(order_->length);
    }
  }

 private:
  static constexpr std::uint32_t ttl = 64;
  [[nodiscard]] HOST_DEVICE static constexpr std::uint32_t two_bytes(std::byte const* at) {
    return static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8;
  }
  // The IPv4 header's (RFC 1071).
  [[nodiscard]] HOST_DEVICE std::uint32_t checksum() const {
    auto const source = order_->source.number, destination = order_->destination.number;
    std::uint32_t sum = 0x4500 + total_ + 0x4000 + (ttl << 8 | 17U) + (source >> 16) + (source & 0xffff) +
                        (destination >> 16) + (destination & 0xffff);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
  }

  frame_order const* order_;
  opcode code_;
  std::uint32_t total_;  // bytes of the IPv4 packet
};

// A payload of up to 256 bytes at a multiple of 8: a lane has 8 bytes of it, at most.
[[nodiscard]] HOST_DEVICE inline bool is_short(frame_order const& order) {
  return order.payload % 8 == 0 && order.bytes % 8 == 0 && order.bytes <= 8 * lanes;
}

// A lane's share of any payload, padded with zeroes to words; `to` is a multiple of 8.
HOST_DEVICE inline void copy_payload(std::uint32_t lane, frame_order const& order, std::byte* to) {
  std::uint32_t const bytes = order.bytes;
  std::uint32_t words_done = 0;
  if (order.payload % 8 == 0) {
    constexpr std::uint32_t ahead = 4;
    auto const* const from = reinterpret_cast<unsigned long long const*>(order.payload);
    auto* const into = reinterpret_cast<unsigned long long*>(to);
    auto const longs = bytes / 8;
    for (std::uint32_t i = lane; i < longs; i += ahead * lanes) {
      unsigned long long under_way[ahead];
      for (std::uint32_t n = 0; n < ahead; ++n)
        if (i + n * lanes < longs) under_way[n] = load_payload(from + i + n * lanes);
      for (std::uint32_t n = 0; n < ahead; ++n)
        if (i + n * lanes < longs) into[i + n * lanes] = under_way[n];
    }
    words_done = 2 * longs;
  }
  auto* const into = reinterpret_cast<std::uint32_t*>(to);
  for (auto i = words_done + lane; i < (bytes + 3) / 4; i += lanes) into[i] = payload_word(order.payload, bytes, i);
}

class lane_frame {
 public:
  // room: frame_room bytes, aligned to 16.
  HOST_DEVICE lane_frame(frame_order const& order, std::byte* room)
      : order_{&order},
        room_{room},
        code_{static_cast<opcode>(order.code_and_queue >> 24)},
        end_{frame_bytes(code_, order.bytes) - icrc_bytes} {}

  // The first step.
  HOST_DEVICE void write_bytes(std::uint32_t lane) const {
    auto* const payload = room_ + frame_lead + transport_at + header_bytes(code_);
    if (!is_short(*order_)) {
      write_headers(lane);
      copy_payload(lane, *order_, payload);
      return;
    }
    // The headers are made while the payload comes.
    unsigned long long mine = 0;
    auto const has_some = 8 * lane < order_->bytes;
    if (has_some) mine = load_payload(reinterpret_cast<unsigned long long const*>(order_->payload) + lane);
    write_headers(lane);
    if (has_some) reinterpret_cast<unsigned long long*>(payload)[lane] = mine;
  }
  // The second: a lane's part of the ICRC.
  [[nodiscard]] HOST_DEVICE std::uint32_t icrc_part(std::uint32_t lane, lane_tables const& tables,
                                                    std::uint32_t power) const {
    auto const* const words = reinterpret_cast<std::uint32_t const*>(room_ + frame_lead + ethernet_bytes);
    return lane_part(lane, words, static_cast<std::uint32_t>(end_ - ethernet_bytes) / 4, tables, power);
  }
  // The third, by one lane. parts: the exclusive or of all lanes' parts.
  HOST_DEVICE void write_icrc(std::uint32_t parts) const {
    *reinterpret_cast<std::uint32_t*>(room_ + frame_lead + end_) = ~parts;
  }
  // The fourth. Lanes begin at a line of 128 bytes, so that their stores together are whole lines: over PCIe a line is
  // a write of its own. rest: where a frame in two pieces goes on, at a multiple of 16; else 0.
  HOST_DEVICE void copy_out(std::uint32_t lane, std::uint64_t rest = 0) const {
    auto const* const from = reinterpret_cast<sixteen_bytes const*>(room_);
    auto const at = order_->at - frame_lead;
    auto* const into = reinterpret_cast<sixteen_bytes*>(at);
    auto* const behind = reinterpret_cast<sixteen_bytes*>(rest);
    auto const skipped = static_cast<std::size_t>(at / 16 % 8);
    auto const count = (frame_lead + end_ + icrc_bytes + 15) / 16;
    auto const here = rest == 0 ? count : (frame_lead + first_piece_bytes) / 16;
    for (std::size_t i = lane; i < count + skipped; i += lanes) {
      if (i < skipped) continue;
      auto const n = i - skipped;
      *(n < here ? into + n : behind + (n - here)) = from[n];
    }
  }

 private:
  HOST_DEVICE void write_headers(std::uint32_t lane) const {
    header_words const words{*order_};
    if (lane < words.count()) reinterpret_cast<std::uint32_t*>(room_)[lane] = words.at(lane);
  }

  frame_order const* order_;
  std::byte* room_;
  opcode code_;
  std::size_t end_;  // of the padding
};

}  // namespace packetwarp::rdma::roce
