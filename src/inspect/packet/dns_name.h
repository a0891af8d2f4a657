// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/asked_name.h"
#include "wire/big_endian.h"

namespace packetwarp::inspect {

namespace detail {

inline constexpr std::uint32_t dns_header_length = 12;

// The bytes of a dot before each label of the first question's name, or 0: also if the question is cut short.
[[nodiscard]] HOST_DEVICE inline std::uint32_t read_labels(std::byte const* message, std::uint32_t size,
                                                           asked_name& name) {
  constexpr unsigned longest_label = 63;
  constexpr std::uint32_t after_name = 4;  // bytes of a question: its type and class
  std::uint32_t written = 0;
  for (auto at = dns_header_length; at < size;) {
    auto const length = static_cast<unsigned>(message[at]);
    if (length == 0) return at + 1 + after_name <= size ? written : 0;
    bool const fits = length <= longest_label && at + 1 + length <= size && written + 1 + length <= asked_name::most;
    if (!fits) return 0;
    name.bytes[written] = std::byte{'.'};
    for (unsigned i = 1; i <= length; ++i) name.bytes[written + i] = message[at + i];
    written += 1 + length;
    at += 1 + length;
  }
  return 0;
}

}  // namespace detail

// Whether the packet is a DNS message in UDP from or to port 53.
[[nodiscard]] HOST_DEVICE constexpr bool is_dns_message(inspected_packet const& packet) noexcept {
  constexpr std::uint16_t dns_port = 53;
  bool const is_for_dns = packet.source_port == dns_port || packet.destination_port == dns_port;
  return packet.kind == packet_kind::udp && is_for_dns && packet.payload_size >= detail::dns_header_length;
}

// Writes to the packet whether it is a DNS message, and the first name that it asks for, which is put
// into `name`: its labels with dots between them. An answer, and a name with a compressed or cut label, ask for none.
HOST_DEVICE inline void read_dns(inspected_packet& packet, asked_name& name) {
  if (!is_dns_message(packet)) return;
  packet.is_dns = true;
  bool const is_answer = (static_cast<unsigned>(packet.payload[2]) & 0x80U) != 0;
  auto const questions = wire::load_be<std::uint16_t>(packet.payload + 4);
  if (is_answer || questions == 0) return;
  packet.dotted_name = name.bytes;
  packet.dotted_name_size = detail::read_labels(packet.payload, packet.payload_size, name);
}

}  // namespace packetwarp::inspect
