// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "rdma/roce/frame.h"
#include "rdma/roce/lane_frame.h"
#include "rdma/roce/lane_icrc.h"

namespace packetwarp::rdma::roce {

// A frame with a request that a CPU has read the headers of, read by the 32 lanes of a warp into a room of their own.
// As with lane_frame, they do a step together: the copy; that of a second piece; the parts of the ICRC. In the room the
// frame begins two bytes after a multiple of 8, so that its IPv4 header and its payload are aligned.
class lane_request {
 public:
  // The copy is of whole 8 bytes, and may begin up to 7 bytes before the frame and end up to 7 after it.
  static constexpr std::size_t room_beyond = 16;

  // frame: its address; bytes: of the frame, or its first piece, and of the second piece, together up to the ICRC's
  // end. room: frame_room_of(MTU) + room_beyond bytes.
  HOST_DEVICE lane_request(std::uint64_t frame, std::uint32_t bytes, std::uint32_t rest, std::byte* room)
      : from_{frame / 8 * 8}, ahead_{static_cast<std::uint32_t>(frame % 8)}, bytes_{bytes}, rest_{rest}, room_{room} {}

  // The first step. Each word is read once, because it comes over PCIe, and moved by shift() bytes.
  HOST_DEVICE void copy(std::uint32_t lane) const {
    copy_words(lane, from_, (ahead_ + bytes_ + 7) / 8,
               [this](std::uint32_t i, unsigned long long word) { store(room_ + 8 * std::size_t{i} + shift(), word); });
  }
  // The second, after which the room has the whole frame. rest: the address of the second piece, if there is one; it is
  // in this GPU's memory, so its words may be read twice.
  HOST_DEVICE void copy_rest(std::uint32_t lane, std::uint64_t rest) const {
    auto* const to = frame() + bytes_;
    std::uint32_t done = 0;
    if (rest % 8 == 0 && reinterpret_cast<std::uintptr_t>(to) % 8 == 0) {
      done = rest_ / 8 * 8;
      copy_words(lane, rest, rest_ / 8, [to](std::uint32_t i, unsigned long long word) {
        reinterpret_cast<unsigned long long*>(to)[i] = word;
      });
    }
    auto const* const from = reinterpret_cast<unsigned char const*>(rest);
    for (auto i = done + lane; i < rest_; i += lanes) to[i] = static_cast<std::byte>(load_payload(from + i));
  }
  // The frame in the room.
  [[nodiscard]] HOST_DEVICE std::byte* frame() const { return room_ + ahead_ + shift(); }

  // A lane's part of the ICRC, once all have copied.
  [[nodiscard]] HOST_DEVICE std::uint32_t icrc_part(std::uint32_t lane, lane_tables const& tables,
                                                    std::uint32_t power) const {
    auto const* const packet = reinterpret_cast<std::uint32_t const*>(frame() + ethernet_bytes);
    return lane_part(lane, packet, packet_words(), tables, power);
  }
  // Whether the ICRC is right. parts: the exclusive or of all lanes' parts.
  [[nodiscard]] HOST_DEVICE bool is_right(std::uint32_t parts) const {
    return reinterpret_cast<std::uint32_t const*>(frame() + ethernet_bytes)[packet_words()] == ~parts;
  }

 private:
  // A lane's share of words: keep(i, word).
  HOST_DEVICE static void copy_words(std::uint32_t lane, std::uint64_t at, std::uint32_t count, auto const& keep) {
    constexpr std::uint32_t at_a_time = 4;
    auto const* const from = reinterpret_cast<unsigned long long const*>(at);
    for (std::uint32_t i = lane; i < count; i += at_a_time * lanes) {
      unsigned long long under_way[at_a_time];
      for (std::uint32_t n = 0; n < at_a_time; ++n)
        if (i + n * lanes < count) under_way[n] = load_payload(from + i + n * lanes);
      for (std::uint32_t n = 0; n < at_a_time; ++n)
        if (i + n * lanes < count) keep(i + n * lanes, under_way[n]);
    }
  }
  // Parts of a word, side by side: the place is aligned to parts, not to the word.
  template <class Part>
  HOST_DEVICE static void store_parts(std::byte* to, unsigned long long word) {
    for (std::size_t n = 0; n < sizeof word / sizeof(Part); ++n)
      reinterpret_cast<Part*>(to)[n] = static_cast<Part>(word >> (8 * sizeof(Part) * n));
  }
  HOST_DEVICE void store(std::byte* to, unsigned long long word) const {
    if (shift() == 0) return store_parts<unsigned long long>(to, word);
    if (shift() % 2 == 0) return store_parts<std::uint16_t>(to, word);
    store_parts<std::uint8_t>(to, word);
  }
  // The bytes by which the frame is moved, so that it begins two bytes after a multiple of 8.
  [[nodiscard]] HOST_DEVICE std::uint32_t shift() const { return (10 - ahead_) % 8; }
  // Words of 4 bytes, from the IPv4 header to the ICRC.
  [[nodiscard]] HOST_DEVICE std::uint32_t packet_words() const {
    return static_cast<std::uint32_t>(bytes_ + rest_ - ethernet_bytes - icrc_bytes) / 4;
  }

  std::uint64_t from_;
  std::uint32_t ahead_;
  std::uint32_t bytes_;
  std::uint32_t rest_;
  std::byte* room_;
};

}  // namespace packetwarp::rdma::roce
