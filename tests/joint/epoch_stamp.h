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

// All bits of an epoch have a part in its mark.
[[nodiscard]] HOST_DEVICE constexpr std::uint16_t mark_of(epoch_number epoch) {
  return static_cast<std::uint16_t>(epoch ^ epoch >> 16 ^ epoch >> 32 ^ epoch >> 48);
}
HOST_DEVICE inline void write_mark(packet_view packet, unsigned at, std::uint16_t mark) {
  packet.data[at] = static_cast<std::byte>(mark >> 8);
  packet.data[at + 1] = static_cast<std::byte>(mark & 0xff);
}
inline constexpr std::uint32_t marked_bytes = 14;  // frames without a whole Ethernet header are not marked

// A stage that works on packets one by one and follows epochs: packets of every n-th epoch are dropped, the others get
// their epoch's mark in front of their source address.
struct epoch_stamp {
  struct ref {
    epoch_number dropped_of;  // n
  };
  struct held {
    epoch_number epoch;
    std::uint32_t is_dropped;
  };
  static constexpr std::string_view name = "epoch_stamp";
  static constexpr std::array<std::string_view, 2> drop_names{"unused", "bad_epoch"};
  static constexpr std::uint16_t bad_epoch = 1;
  static constexpr bool follows_epochs = true;
  static constexpr unsigned mark_at = 6;

  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view) { return true; }
  [[nodiscard]] HOST_DEVICE static held hold(ref const& tables, epoch_number epoch) {
    return {epoch, epoch % tables.dropped_of == 0 ? 1U : 0U};
  }

  [[nodiscard]] HOST_DEVICE static bool passes(packet_view, held const&) { return false; }
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view packet, held const& in_force) {
    if (in_force.is_dropped != 0) return verdict::drop(function_drop(bad_epoch));
    if (packet.contiguous >= marked_bytes) write_mark(packet, mark_at, mark_of(in_force.epoch));
    return next_hook();
  }
};
static_assert(follows_epochs<epoch_stamp> && holds_tables<epoch_stamp> && has_ingress<epoch_stamp>);

}  // namespace packetwarp::test
