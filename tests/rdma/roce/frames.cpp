// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Prints RoCEv2 packets for test_roce_oracle.py: a line each, with the packet from its IPv4 header on in hexadecimal
// digits, and its fields. The argument is the number of packets.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <vector>

#include "rdma/roce/icrc.h"
#include "rdma/roce/packet.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::size_t bth_at = 28;

std::vector<std::byte> make_packet(packet_fields const& fields, std::size_t payload, std::mt19937_64& random) {
  std::vector<std::byte> packet(bth_at + header_bytes(fields.code) + payload + fields.padding + icrc_bytes);
  for (auto at = bth_at + header_bytes(fields.code); at < packet.size() - fields.padding - icrc_bytes; ++at)
    packet[at] = static_cast<std::byte>(random());
  packet[0] = std::byte{0x45};
  wire::ipv4_view const ip{packet.data()};
  ip.set_dscp(static_cast<std::uint8_t>(random() % 64));
  ip.set_total_length(static_cast<std::uint16_t>(packet.size()));
  ip.set_identification(static_cast<std::uint16_t>(random()));
  ip.set_ttl(static_cast<std::uint8_t>(1 + random() % 255));
  ip.set_protocol(wire::ip_protocol::udp);
  wire::store_be<std::uint32_t>(packet.data() + 12, static_cast<std::uint32_t>(random()));
  wire::store_be<std::uint32_t>(packet.data() + 16, static_cast<std::uint32_t>(random()));
  ip.fill_checksum();
  wire::udp_view const udp{packet.data() + 20};
  udp.set_source_port(static_cast<std::uint16_t>(0xc000 | random() % 0x4000));
  udp.set_destination_port(udp_port);
  udp.set_length(static_cast<std::uint16_t>(packet.size() - 20));
  write_headers(packet.data() + bth_at, fields);
  auto const end = packet.size() - icrc_bytes;
  store_icrc(packet.data() + end, icrc_of_ipv4(packet.data(), end));
  return packet;
}

void print_packets(int count) {
  constexpr opcode every[] = {opcode::write_first, opcode::write_middle, opcode::write_last, opcode::write_only,
                              opcode::acknowledge};
  std::mt19937_64 random{11};
  for (int n = 0; n < count; ++n) {
    packet_fields fields{.code = every[random() % 5],
                         .queue_number = static_cast<std::uint32_t>(random() & 0xff'ffff),
                         .asks_acknowledgement = static_cast<std::uint8_t>(random() % 2),
                         .psn = static_cast<std::uint32_t>(random() & 0xff'ffff),
                         .address = random(),
                         .rkey = static_cast<std::uint32_t>(random()),
                         .length = static_cast<std::uint32_t>(random()),
                         .syndrome = nak_sequence,
                         .message_number = static_cast<std::uint32_t>(random() & 0xff'ffff)};
    auto const payload = fields.code == opcode::acknowledge ? 0 : random() % 200;
    fields.padding = static_cast<std::uint8_t>(-payload & 3);
    for (auto const byte : make_packet(fields, payload, random))
      std::cout << fmt::format("{:02x}", static_cast<unsigned>(byte));
    std::cout << fmt::format(" {} {} {} {} {} {} {} {} {} {} {}\n", static_cast<unsigned>(fields.code), fields.padding,
                             fields.queue_number, fields.asks_acknowledgement, fields.psn, fields.address, fields.rkey,
                             fields.length, fields.syndrome, fields.message_number, payload);
  }
}

}  // namespace
}  // namespace packetwarp::rdma::roce

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  packetwarp::rdma::roce::print_packets(std::atoi(argv[1]));
  return EXIT_SUCCESS;
}
