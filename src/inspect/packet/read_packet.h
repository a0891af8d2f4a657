// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "feature/packet_facts.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspect {

// The packet in a frame, without the facts of its flow. ip_version is 0 without a sound IP header; a fragment, and a
// packet whose transport header is not sound, have no payload.
[[nodiscard]] inspected_packet read_packet(std::span<std::byte const> frame, std::uint32_t length,
                                           feature::packet_facts const& facts);

}  // namespace packetwarp::inspect
