// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "function/function.h"
#include "function/hook.h"

namespace packetwarp::test {

// An example of a joint stage that reads payloads: the Internet checksum (RFC 1071) of all bytes after a packet's first
// 60. A GPU's warp takes one payload after the other, its lanes side by side over the bytes, so that they read whole
// lines of memory. Packets whose checksum is below `least` are dropped; as a function of its own it writes the others'
// into the last two bytes of their destination address.
struct payload_sum {
  struct ref {
    std::uint16_t least;
    egress_index egress;
  };
  struct room {
    std::byte const* data[joint_packets];
    std::uint32_t bytes[joint_packets];
    std::uint16_t sums[joint_packets];
  };
  using annotation = std::uint16_t;

  static constexpr std::string_view name = "payload_sum";
  static constexpr std::array<std::string_view, 2> drop_names{"runt", "low_sum"};
  static constexpr bool follows_from_header = false;
  static constexpr bool reaches_payload = true;
  static constexpr std::uint16_t runt = 0;
  static constexpr std::uint16_t low_sum = 1;

  // All written bytes are among the first; the payload is read where it lies.
  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view) { return true; }

  HOST_DEVICE static void gather(packet_view packet, unsigned n, ref const&, room& shared) {
    auto const payload = payload_of(packet);
    shared.data[n] = payload.data;
    shared.bytes[n] = payload.contiguous;
  }

  HOST_DEVICE static void work(auto const& group, ref const&, room& shared) {
    for (unsigned n = 0; n < group.packets(); ++n) {
      std::uint32_t sum = 0;
      for (auto i = group.lane(); i < shared.bytes[n]; i += group.lanes()) {
        auto const byte = static_cast<std::uint32_t>(shared.data[n][i]);
        sum += i % 2 == 0 ? byte << 8 : byte;
      }
      // No lane's sum reaches 2^32: a packet has fewer than 2^16 bytes.
      sum = group.sum(sum % 0xffff);
      if (group.lane() == 0) shared.sums[n] = static_cast<std::uint16_t>(sum % 0xffff);
    }
  }
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) { return shared.sums[n]; }

  // As a stage of a chain.
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view, ref const& tables, annotation sum) {
    return sum >= tables.least;
  }
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view packet, ref const& tables, annotation sum) {
    return passes(packet, tables, sum) ? next_hook() : verdict::drop(function_drop(low_sum));
  }

  // As a function.
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, ref const& tables, annotation sum) {
    if (packet.contiguous < 14) return verdict::drop(function_drop(runt));
    if (sum < tables.least) return verdict::drop(function_drop(low_sum));
    packet.data[4] = static_cast<std::byte>(sum >> 8);
    packet.data[5] = static_cast<std::byte>(sum & 0xff);
    return verdict::forward(tables.egress);
  }
};
static_assert(packet_function<payload_sum> && has_joint_ingress<payload_sum> && !works_alone<payload_sum>);

}  // namespace packetwarp::test
