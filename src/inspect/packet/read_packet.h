// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "feature/packet_facts.h"
#include "inspect/match/inspected_packet.h"
#include "wire/layers.h"

namespace packetwarp::inspect {

// The packet in a frame, without the facts of its flow. ip_version is 0 without a sound IP header; a fragment, and a
// packet whose transport header is not sound, have no payload.
[[nodiscard]] inspected_packet read_packet(std::span<std::byte const> frame, std::uint32_t length,
                                           feature::packet_facts const& facts);

// The identifiers of a frame's VLAN tags, the outermost first.
struct vlan_tags {
  std::array<std::uint16_t, wire::max_vlan_tags> identifiers{};
  std::uint32_t count{};

  // All in one number; 0 for a frame without tags, and for tags that have a priority only.
  [[nodiscard]] std::uint64_t number() const;
};
[[nodiscard]] vlan_tags vlans_of(std::span<std::byte const> frame);

}  // namespace packetwarp::inspect
