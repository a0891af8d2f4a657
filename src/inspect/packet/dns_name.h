// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_device.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"

namespace packetwarp::inspect {

// Whether the packet is a DNS message in UDP from or to port 53.
[[nodiscard]] HOST_DEVICE constexpr bool is_dns_message(inspected_packet const& packet) noexcept {
  constexpr std::uint32_t header_length = 12;
  constexpr std::uint16_t dns_port = 53;
  bool const is_for_dns = packet.source_port == dns_port || packet.destination_port == dns_port;
  return packet.kind == packet_kind::udp && is_for_dns && packet.payload_size >= header_length;
}

// Writes to the packet whether it is a DNS message, and the first name that it asks for, which is put
// into `name`: its labels with dots between them. An answer, and a name with a compressed or cut label, ask for none.
void read_dns(inspected_packet& packet, asked_name& name);

}  // namespace packetwarp::inspect
