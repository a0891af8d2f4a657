// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/host_device.h"
#include "base/untraced.h"
#include "rdma/roce/icrc.h"
#include "rdma/roce/packet.h"
#include "wire/address.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace packetwarp::rdma::roce {

// Whole frames: Ethernet, IPv4 without options, UDP, and a RoCEv2 packet (annex A17). A thread makes or reads a frame
// by itself, on a CPU or a GPU.

inline constexpr std::size_t ethernet_bytes = 14;
inline constexpr std::size_t transport_at = ethernet_bytes + 20 + 8;  // the place of BTH
// The most bytes that are added to a payload.
inline constexpr std::size_t most_overhead = transport_at + bth_bytes + reth_bytes + 3 + icrc_bytes;

// The pieces of a frame. Two: the first one, in host memory, has all headers, so that a CPU can read them, and whole
// acknowledgements; the other one, in GPU memory, has what is left of the payload, and the ICRC.
enum class frame_pieces : std::uint8_t { one, two };
// The bytes of the first one. With the two bytes before a frame (lane_frame.h) they are five times sixteen, so that
// both pieces are aligned; they lie in one line of 128 bytes, which is one write over PCIe.
inline constexpr std::uint16_t first_piece_bytes = 78;
static_assert(first_piece_bytes >= transport_at + bth_bytes + reth_bytes);

// The addresses of a connection's frames. port: the UDP source port, by which switches spread connections over paths.
struct frame_path {
  wire::mac_address source_mac{};
  wire::mac_address destination_mac{};
  wire::ipv4_address source{};
  wire::ipv4_address destination{};
  std::uint16_t port{0xc000};
};
static_assert(std::is_trivially_copyable_v<frame_path>);

[[nodiscard]] HOST_DEVICE constexpr std::uint8_t padding_of(std::size_t payload) {
  return static_cast<std::uint8_t>((4 - payload % 4) % 4);
}
[[nodiscard]] HOST_DEVICE constexpr std::size_t frame_bytes(opcode code, std::size_t payload) {
  return transport_at + header_bytes(code) + payload + padding_of(payload) + icrc_bytes;
}

// Writes the headers of a frame with `bytes` of payload: transport_at + header_bytes(fields.code) bytes. The payload's
// padding is computed; fields.padding is not used.
UNTRACED HOST_DEVICE constexpr void write_frame_headers(std::byte* at, frame_path const& path, packet_fields fields,
                                                        std::size_t bytes) {
  wire::ethernet_view const ethernet{at};
  ethernet.set_destination(path.destination_mac);
  ethernet.set_source(path.source_mac);
  ethernet.set_type(wire::ether_type::ipv4);
  auto* const ip_at = at + ethernet_bytes;
  auto const end = frame_bytes(fields.code, bytes) - icrc_bytes;
  wire::ipv4_view const ip{ip_at};
  ip.set_header_length(20);
  ip_at[1] = std::byte{0};
  ip.set_total_length(static_cast<std::uint16_t>(end + icrc_bytes - ethernet_bytes));
  ip.set_identification(0);
  ip.set_fragment_word(0x4000);  // do not fragment: the MTU was chosen to fit
  ip.set_ttl(64);
  ip.set_protocol(wire::ip_protocol::udp);
  ip.set_source(path.source);
  ip.set_destination(path.destination);
  ip.fill_checksum();
  wire::udp_view const udp{ip_at + 20};
  udp.set_source_port(path.port);
  udp.set_destination_port(udp_port);
  udp.set_length(static_cast<std::uint16_t>(end + icrc_bytes - ethernet_bytes - 20));
  udp.set_checksum(0);  // the ICRC covers more
  fields.padding = padding_of(bytes);
  write_headers(at + transport_at, fields);
}

// Writes a frame of frame_bytes(fields.code, payload) bytes.
UNTRACED HOST_DEVICE constexpr void write_frame(std::byte* at, frame_path const& path, packet_fields const& fields,
                                                std::byte const* payload, std::size_t bytes) {
  write_frame_headers(at, path, fields, bytes);
  auto const end = frame_bytes(fields.code, bytes) - icrc_bytes;
  auto const padding = padding_of(bytes);
  auto* const data = at + transport_at + header_bytes(fields.code);
#if !defined(__CUDA_ARCH__)
  if (!std::is_constant_evaluated() && bytes != 0) {
    std::memcpy(data, payload, bytes);
  } else
#endif
    for (std::size_t i = 0; i < bytes; ++i) data[i] = payload[i];
  for (std::size_t i = 0; i < padding; ++i) data[bytes + i] = std::byte{0};
  store_icrc(at + end, icrc_of_ipv4(at + ethernet_bytes, end - ethernet_bytes));
}

enum class frame_result : std::uint8_t {
  ok,
  other,         // no RoCEv2 packet over IPv4: another protocol's frame
  malformed,     // a RoCEv2 packet whose lengths, opcode or version are not possible
  another_type,  // a RoCEv2 packet of another connection type than RC
  bad_icrc
};

struct parsed_frame {
  frame_result result{frame_result::other};
  wire::ipv4_address source{};
  wire::ipv4_address destination{};
  packet_fields fields{};
  std::byte const* payload{};
  std::uint32_t payload_bytes{};
};

// Reads a frame, all but its ICRC, of `total` bytes from the IPv4 header on.
struct frame_headers {
  parsed_frame frame{};
  std::uint32_t total{};
};
[[nodiscard]] HOST_DEVICE constexpr frame_headers read_headers(std::byte const* at, std::size_t bytes) {
  frame_headers found;
  if (bytes < transport_at) return found;
  wire::ethernet_view const ethernet{at};
  if (ethernet.type() != wire::ether_type::ipv4) return found;
  auto const* const ip_at = at + ethernet_bytes;
  wire::ipv4_view const ip{ip_at};
  if (ip_at[0] != std::byte{0x45} || ip.protocol() != wire::ip_protocol::udp || ip.is_fragment()) return found;
  wire::udp_view const udp{ip_at + 20};
  if (udp.destination_port() != udp_port) return found;
  auto& frame = found.frame;
  frame.result = frame_result::malformed;
  // Frames below 60 bytes are padded on the wire: the lengths of IPv4 and UDP count.
  std::size_t const total = ip.total_length();
  if (total > bytes - ethernet_bytes || total < 20 + 8 || udp.length() != total - 20) return found;
  auto const packet = parse_packet(at + transport_at, total - 28);
  if (packet.result == parse_result::another_type) frame.result = frame_result::another_type;
  if (packet.result != parse_result::ok || packet.fields.padding != padding_of(packet.payload)) return found;
  frame.result = frame_result::ok;
  frame.source = ip.source();
  frame.destination = ip.destination();
  frame.fields = packet.fields;
  frame.payload = at + transport_at + packet.payload_at;
  frame.payload_bytes = static_cast<std::uint32_t>(packet.payload);
  found.total = static_cast<std::uint32_t>(total);
  return found;
}

// Reads a frame. With any result but ok only `result` is set.
[[nodiscard]] HOST_DEVICE constexpr parsed_frame read_frame(std::byte const* at, std::size_t bytes) {
  auto const found = read_headers(at, bytes);
  if (found.frame.result != frame_result::ok) return found.frame;
  auto const* const ip_at = at + ethernet_bytes;
  if (icrc_of_ipv4(ip_at, found.total - icrc_bytes) == load_icrc(ip_at + found.total - icrc_bytes)) return found.frame;
  parsed_frame wrong;
  wrong.result = frame_result::bad_icrc;
  return wrong;
}

}  // namespace packetwarp::rdma::roce
