// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "base/untraced.h"
#include "wire/big_endian.h"

namespace packetwarp::rdma::roce {

// The transport headers of RoCEv2 (InfiniBand Architecture 1.4, 9.2; annex A17), of RDMA writes of a reliable
// connection. A packet is a UDP datagram: base transport header (BTH), extended header (RETH or AETH), payload,
// padding, ICRC.
inline constexpr std::uint16_t udp_port = 4791;
inline constexpr std::size_t bth_bytes = 12;
inline constexpr std::size_t reth_bytes = 16;
inline constexpr std::size_t aeth_bytes = 4;
inline constexpr std::size_t icrc_bytes = 4;
inline constexpr std::uint32_t psn_mask = 0xff'ffff;

enum class opcode : std::uint8_t {
  write_first = 0x06,
  write_middle = 0x07,
  write_last = 0x08,
  write_only = 0x0a,
  acknowledge = 0x11
};

// AETH's syndromes: an acknowledgement with credits, or the reason of a negative one.
inline constexpr std::uint8_t acknowledged = 0x1f;  // without a limit of credits
inline constexpr std::uint8_t rnr_nak = 0x20;       // receiver not ready, with a timer code in the lower five bits
inline constexpr std::uint8_t nak_sequence = 0x60;
inline constexpr std::uint8_t nak_invalid_request = 0x61;
inline constexpr std::uint8_t nak_remote_access = 0x62;
inline constexpr std::uint8_t nak_remote_operation = 0x63;

[[nodiscard]] HOST_DEVICE constexpr bool is_write(opcode code) {
  return code >= opcode::write_first && code <= opcode::write_only && static_cast<std::uint8_t>(code) != 0x09;
}
// A request of a reliable connection that is refused by a NAK: SEND, READ, an atomic, or one with immediate data
// (InfiniBand Architecture 1.4, table 38). No header after its BTH is read.
[[nodiscard]] HOST_DEVICE constexpr bool is_refused_request(std::uint8_t code) {
  return code <= 0x05 || code == 0x09 || code == 0x0b || code == 0x0c || code == 0x13 || code == 0x14 || code == 0x16 ||
         code == 0x17;
}
[[nodiscard]] HOST_DEVICE constexpr bool is_known(std::uint8_t code) {
  return is_write(static_cast<opcode>(code)) || is_refused_request(code) ||
         code == static_cast<std::uint8_t>(opcode::acknowledge);
}
// Whether an opcode is of a connection type beside the reliable one (RC), by its upper three bits: unreliable (UC),
// reliable datagram, unreliable datagram (UD) or extended (XRC).
[[nodiscard]] HOST_DEVICE constexpr bool is_of_another_type(std::uint8_t code) {
  auto const type = static_cast<unsigned>(code) >> 5;
  return (type >= 1 && type <= 3) || type == 5;
}
[[nodiscard]] HOST_DEVICE constexpr bool has_reth(opcode code) {
  return code == opcode::write_first || code == opcode::write_only;
}
// Whether a packet is the last one of a write.
[[nodiscard]] HOST_DEVICE constexpr bool ends_write(opcode code) {
  return code == opcode::write_last || code == opcode::write_only;
}
// The opcode of a packet of a write, and the number of its packets: a write of no bytes is one, too. An MTU is 2^shift.
[[nodiscard]] HOST_DEVICE constexpr opcode code_of(std::uint64_t index, std::uint64_t packets) {
  if (packets == 1) return opcode::write_only;
  if (index == 0) return opcode::write_first;
  return index + 1 == packets ? opcode::write_last : opcode::write_middle;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t packets_of(std::uint32_t bytes, unsigned shift) {
  auto const full = (std::uint64_t{bytes} + (std::uint64_t{1} << shift) - 1) >> shift;
  return full == 0 ? 1 : full;
}
[[nodiscard]] HOST_DEVICE constexpr bool has_aeth(opcode code) { return code == opcode::acknowledge; }
// BTH and the extended header.
[[nodiscard]] HOST_DEVICE constexpr std::size_t header_bytes(opcode code) {
  return bth_bytes + (has_reth(code) ? reth_bytes : 0) + (has_aeth(code) ? aeth_bytes : 0);
}

// The fields of a packet. Numbers of 24 bits are cut to them.
struct packet_fields {
  opcode code{opcode::write_only};
  std::uint8_t padding{};  // bytes, 0 to 3
  std::uint16_t partition{0xffff};
  std::uint32_t queue_number{};
  std::uint8_t asks_acknowledgement{};  // 0 or 1
  std::uint32_t psn{};
  std::uint64_t address{};  // of RETH
  std::uint32_t rkey{};
  std::uint32_t length{};   // of the whole message
  std::uint8_t syndrome{};  // of AETH
  std::uint32_t message_number{};
};
static_assert(std::is_trivially_copyable_v<packet_fields>);
// A partition has a bit of full membership, and 15 more: all are set in the default one.
[[nodiscard]] HOST_DEVICE constexpr bool is_of_default_partition(packet_fields const& fields) {
  constexpr std::uint16_t partition_mask = 0x7fff;
  return (fields.partition & partition_mask) == partition_mask;
}

// The migration state of a connection that has one path: migrated, in each packet (17.2.8). Without the bit a ConnectX
// would take a packet for one of another path.
inline constexpr std::uint8_t migrated_flag = 0x40;

// Writes BTH and the extended header: header_bytes(fields.code) bytes.
UNTRACED HOST_DEVICE constexpr void write_headers(std::byte* at, packet_fields const& fields) {
  at[0] = static_cast<std::byte>(fields.code);
  at[1] = static_cast<std::byte>(migrated_flag | (fields.padding & 3U) << 4);  // no solicited event, version 0
  wire::store_be<std::uint16_t>(at + 2, fields.partition);
  wire::store_be<std::uint32_t>(at + 4, fields.queue_number & 0xff'ffff);
  wire::store_be<std::uint32_t>(at + 8,
                                std::uint32_t{fields.asks_acknowledgement & 1U} << 31 | (fields.psn & psn_mask));
  if (has_reth(fields.code)) {
    wire::store_be<std::uint64_t>(at + bth_bytes, fields.address);
    wire::store_be<std::uint32_t>(at + bth_bytes + 8, fields.rkey);
    wire::store_be<std::uint32_t>(at + bth_bytes + 12, fields.length);
  }
  if (has_aeth(fields.code))
    wire::store_be<std::uint32_t>(at + bth_bytes,
                                  std::uint32_t{fields.syndrome} << 24 | (fields.message_number & 0xff'ffff));
}

enum class parse_result : std::uint8_t { ok, too_short, unknown_opcode, another_type, wrong_version };

struct parsed_packet {
  parse_result result{parse_result::too_short};
  packet_fields fields{};
  std::size_t payload_at{};  // from the beginning of BTH
  std::size_t payload{};     // bytes, without padding
};

// Reads the payload of a UDP datagram, ICRC included. It does not check the ICRC.
[[nodiscard]] HOST_DEVICE constexpr parsed_packet parse_packet(std::byte const* at, std::size_t bytes) {
  parsed_packet found;
  if (bytes < bth_bytes + icrc_bytes) return found;
  auto const code = static_cast<std::uint8_t>(at[0]);
  auto const flags = static_cast<unsigned>(at[1]);
  if (!is_known(code)) {
    found.result = is_of_another_type(code) ? parse_result::another_type : parse_result::unknown_opcode;
    return found;
  }
  if ((flags & 0xf) != 0) return found.result = parse_result::wrong_version, found;
  auto& fields = found.fields;
  fields.code = static_cast<opcode>(code);
  fields.padding = static_cast<std::uint8_t>(flags >> 4 & 3);
  found.payload_at = header_bytes(fields.code);
  if (bytes < found.payload_at + fields.padding + icrc_bytes) return found;
  found.payload = bytes - found.payload_at - fields.padding - icrc_bytes;
  fields.partition = wire::load_be<std::uint16_t>(at + 2);
  fields.queue_number = wire::load_be<std::uint32_t>(at + 4) & 0xff'ffff;
  auto const sequence = wire::load_be<std::uint32_t>(at + 8);
  fields.asks_acknowledgement = static_cast<std::uint8_t>(sequence >> 31);
  fields.psn = sequence & psn_mask;
  if (has_reth(fields.code)) {
    fields.address = wire::load_be<std::uint64_t>(at + bth_bytes);
    fields.rkey = wire::load_be<std::uint32_t>(at + bth_bytes + 8);
    fields.length = wire::load_be<std::uint32_t>(at + bth_bytes + 12);
  }
  if (has_aeth(fields.code)) {
    auto const word = wire::load_be<std::uint32_t>(at + bth_bytes);
    fields.syndrome = static_cast<std::uint8_t>(word >> 24);
    fields.message_number = word & 0xff'ffff;
  }
  found.result = parse_result::ok;
  return found;
}

// The distance of a sequence number after another one, from -2^23 to 2^23 - 1.
[[nodiscard]] HOST_DEVICE constexpr std::int32_t psn_distance(std::uint32_t psn, std::uint32_t after) {
  return static_cast<std::int32_t>(((psn - after + 0x80'0000) & psn_mask)) - 0x80'0000;
}

}  // namespace packetwarp::rdma::roce
