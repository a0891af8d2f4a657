// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"
#include "inspect/packet/dns_name.h"
#include "inspect/packet/tls_name.h"

namespace packetwarp::inspection_parts {

// Whether the packet may ask for a name, by its ports and first bytes.
[[nodiscard]] HOST_DEVICE inline bool may_ask_name(inspect::inspected_packet const& packet) {
  constexpr std::byte handshake{22};
  if (packet.kind != inspect::packet_kind::tcp) return inspect::is_dns_message(packet);
  return packet.payload_size != 0 && packet.payload[0] == handshake;
}

// The name that a packet asks for, as long as this lives. Each lane has its own: a name is short, and what a room takes
// is missing in a GPU's L1 cache.
class asked_names {
 public:
  // Writes the name to the packet. Returns whether the packet's bytes end within a message before its name.
  [[nodiscard]] HOST_DEVICE bool read(inspect::inspected_packet& packet) {
    if (!may_ask_name(packet)) return false;
    inspect::read_dns(packet, name_);
    return inspect::read_tls(packet, name_);
  }

 private:
  inspect::asked_name name_;
};

}  // namespace packetwarp::inspection_parts
