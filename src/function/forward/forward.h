// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SSSE3__)
#include <immintrin.h>
#endif

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"

namespace packetwarp {

// L2 forward: swaps the destination and source MAC addresses and sends the packet on, as l2fwd-nv and testpmd's macswap
// do. Frames too short to hold an Ethernet header are dropped as "runt".
struct forward {
  struct ref {
    egress_index egress;
  };

  static constexpr std::string_view name = "forward";
  static constexpr std::array<std::string_view, 1> drop_names{"runt"};
  static constexpr bool follows_from_header = true;
  static constexpr frame_change change = frame_change::macs_swapped;
  static constexpr std::uint16_t runt = 0;
  static constexpr std::uint32_t ethernet_header_size = 14;

  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, ref const& tables) {
    if (packet.contiguous < ethernet_header_size) return verdict::drop(function_drop(runt));
    swap_addresses(packet);
    return verdict::forward(tables.egress);
  }

 private:
  // The two addresses are 96 bits in a row; a rotation by 48 bits swaps them.
  HOST_DEVICE static void swap_addresses(packet_view packet) {
    std::byte* const frame = packet.data;
#if defined(__SSSE3__) && !defined(__CUDA_ARCH__)
    if (packet.contiguous >= sizeof(__m128i)) {
      auto* const start = reinterpret_cast<__m128i*>(frame);
      auto const turned = _mm_setr_epi8(6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 12, 13, 14, 15);
      _mm_storeu_si128(start, _mm_shuffle_epi8(_mm_loadu_si128(start), turned));
      return;
    }
#endif
#if defined(__CUDA_ARCH__)
    // Over PCIe every access is a packet of its own: one read and one write where the frame's address allows it.
    if (packet.contiguous >= sizeof(ulonglong2) && reinterpret_cast<std::uintptr_t>(frame) % sizeof(ulonglong2) == 0) {
      auto* const start = reinterpret_cast<ulonglong2*>(frame);
      auto const header = *start;
      *start = {header.x >> 48 | (header.y & 0xffffffff) << 16 | header.x << 48,
                (header.y & ~std::uint64_t{0xffffffff}) | (header.x >> 16 & 0xffffffff)};
      return;
    }
#endif
    auto const low = load<std::uint64_t>(frame);
    auto const high = load<std::uint32_t>(frame + sizeof low);
    store(frame, low >> 48 | std::uint64_t{high} << 16 | low << 48);
    store(frame + sizeof low, static_cast<std::uint32_t>(low >> 16));
  }
  template <class T>
  [[nodiscard]] HOST_DEVICE static T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  template <class T>
  HOST_DEVICE static void store(std::byte* to, T value) {
    std::memcpy(to, &value, sizeof value);
  }
};
static_assert(packet_function<forward>);

}  // namespace packetwarp
