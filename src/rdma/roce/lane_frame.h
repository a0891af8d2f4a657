// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
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
inline constexpr std::size_t frame_room =
    (frame_lead + transport_at + bth_bytes + reth_bytes + most_payload + icrc_bytes + 15) / 16 * 16;

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

// Word i of a payload, which begins anywhere; bytes beyond the payload are zeroes. Words without a byte of the payload
// are not read.
[[nodiscard]] HOST_DEVICE inline std::uint32_t payload_word(std::uint64_t payload, std::uint32_t bytes,
                                                            std::uint32_t i) {
  auto const before = static_cast<std::uint32_t>(payload % 4);
  auto const* const words = reinterpret_cast<std::uint32_t const*>(payload - before);
  std::uint64_t found = load_payload(words + i);
  if (before != 0 && 4 * (i + 1) < before + bytes) found |= std::uint64_t{load_payload(words + i + 1)} << 32;
  auto const word = static_cast<std::uint32_t>(found >> 8 * before);
  auto const left = bytes - 4 * i;
  return left >= 4 ? word : word & ((1U << 8 * left) - 1);
}

// A lane's share of a payload, padded with zeroes to words; `to` is a multiple of 8.
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
        fields_{fields_of(order)},
        end_{frame_bytes(fields_.code, order.bytes) - icrc_bytes} {}

  // The first step.
  HOST_DEVICE void write_bytes(std::uint32_t lane) const {
    if (lane == 0) write_frame_headers(room_ + frame_lead, path_of(*order_), fields_, order_->bytes);
    copy_payload(lane, *order_, room_ + frame_lead + transport_at + header_bytes(fields_.code));
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
  // a write of its own.
  HOST_DEVICE void copy_out(std::uint32_t lane) const {
    auto const* const from = reinterpret_cast<sixteen_bytes const*>(room_);
    auto const at = order_->at - frame_lead;
    auto* const into = reinterpret_cast<sixteen_bytes*>(at);
    auto const skipped = static_cast<std::size_t>(at / 16 % 8);
    auto const pieces = (frame_lead + end_ + icrc_bytes + 15) / 16;
    for (std::size_t i = lane; i < pieces + skipped; i += lanes)
      if (i >= skipped) into[i - skipped] = from[i - skipped];
  }

 private:
  frame_order const* order_;
  std::byte* room_;
  packet_fields fields_;
  std::size_t end_;  // of the padding
};

}  // namespace packetwarp::rdma::roce
