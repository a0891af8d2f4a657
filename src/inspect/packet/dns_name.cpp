// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/dns_name.h"

#include <algorithm>

#include "wire/big_endian.h"

namespace packetwarp::inspect {
namespace {

constexpr std::uint32_t header_length = 12;

// The bytes of a dot before each label, or 0.
[[nodiscard]] std::uint32_t read_name(std::byte const* message, std::uint32_t size, asked_name& name) {
  constexpr unsigned longest_label = 63;
  std::uint32_t written = 0;
  for (auto at = header_length; at < size;) {
    auto const length = static_cast<unsigned>(message[at]);
    if (length == 0) return written;
    bool const fits = length <= longest_label && at + 1 + length <= size && written + 1 + length <= name.size();
    if (!fits) return 0;
    name[written] = std::byte{'.'};
    std::copy_n(message + at + 1, length, name.begin() + written + 1);
    written += 1 + length;
    at += 1 + length;
  }
  return 0;
}

}  // namespace

void read_dns(inspected_packet& packet, asked_name& name) {
  if (!is_dns_message(packet)) return;
  packet.is_dns = true;
  bool const is_answer = (static_cast<unsigned>(packet.payload[2]) & 0x80U) != 0;
  auto const questions = wire::load_be<std::uint16_t>(packet.payload + 4);
  if (is_answer || questions == 0) return;
  packet.dotted_name = name.data();
  packet.dotted_name_size = read_name(packet.payload, packet.payload_size, name);
}

}  // namespace packetwarp::inspect
