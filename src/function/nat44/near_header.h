// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"

namespace packetwarp::nat {

// On a GPU the packets of a warp's lanes lie apart, so each access to a header, of one byte or of sixteen, is one for
// every lane. So a plain header, Ethernet, IPv4 without options, UDP or TCP, is fetched in four accesses, worked on
// where the lanes' bytes lie side by side, and put back in four. All else is worked on where it is, and so is
// everything on a CPU.
inline constexpr std::uint32_t near_bytes = 56;  // all of it, and no more than the shortest frame has

#if defined(__CUDA_ARCH__)
struct alignas(16) near_header {
  ulonglong2 sixteen[3];
  std::uint64_t eight;
};

[[nodiscard]] __device__ inline bool is_plain(near_header const& header) {
  constexpr std::uint64_t type_and_length = 0x00ff'ffff'0000'0000;  // bytes 12 to 14
  constexpr std::uint64_t plain = 0x0045'0008'0000'0000;
  auto const protocol = header.sixteen[1].x >> 56;  // byte 23
  return (header.sixteen[0].y & type_and_length) == plain && (protocol == 6 || protocol == 17);
}
#endif

template <class Work>
[[nodiscard]] HOST_DEVICE verdict with_header_near(packet_view packet, Work&& work) {
#if defined(__CUDA_ARCH__)
  bool const fits = packet.contiguous >= near_bytes && reinterpret_cast<std::uintptr_t>(packet.data) % 16 == 0;
  if (fits) {
    auto* const far = reinterpret_cast<near_header*>(packet.data);
    near_header near;
    for (int i = 0; i < 3; ++i) near.sixteen[i] = far->sixteen[i];
    near.eight = far->eight;
    if (is_plain(near)) {
      auto view = packet;
      view.data = reinterpret_cast<std::byte*>(&near);
      view.contiguous = near_bytes;
      auto const said = work(view);
      if (said.what() != verdict::action::forward) return said;
      for (int i = 0; i < 3; ++i) far->sixteen[i] = near.sixteen[i];
      far->eight = near.eight;
      return said;
    }
  }
#endif
  return work(packet);
}

}  // namespace packetwarp::nat
