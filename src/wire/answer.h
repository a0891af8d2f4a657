// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/big_endian.h"
#include "wire/checksum.h"
#include "wire/dscp.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/layers.h"
#include "wire/udp.h"

// The answer to the question whether a packet is anomalous: the packet itself, sent back, with the class in its DSCP
// (docs/functions/detect.md#answers). The data path makes answers, and the generator reads them.
namespace packetwarp::wire {

// The codepoints of answers; xxxx11 is for local use (RFC 2474, 6). A packet that has one is never answered, so two
// answering machines do not send a packet back and forth.
namespace answer_dscp {
inline constexpr std::uint8_t normal = 0b000011;
inline constexpr std::uint8_t anomalous = 0b000111;
}  // namespace answer_dscp

// The first bytes of the payload of an answer in UDP: a magic number, and the score less the model's threshold. The
// payload's last bytes are the asker's own, so a payload that holds no more than both gets no record.
namespace answer_record {
inline constexpr std::uint32_t magic = 0x5077'4131;  // "PwA1"
inline constexpr std::size_t length = 8;
inline constexpr std::size_t askers_length = 16;
// The record lies in the first piece of every packet (memory/placement.h), so that all placements give the same bytes.
inline constexpr std::size_t furthest_end = 60;
}  // namespace answer_record

// The reason why a packet gets no answer.
enum class unanswerable : std::uint8_t {
  none,
  other,     // no IPv4 or IPv6, or neighbour discovery: not a question
  fragment,  // of a datagram
  header,    // malformed, or not whole
  address,   // a group or nothing, of Ethernet or IP, is the source or the destination
  answer     // it is an answer
};

namespace detail {

[[nodiscard]] HOST_DEVICE constexpr bool is_host(ipv4_address address) noexcept {
  constexpr std::uint32_t first_group = 0xe000'0000;  // groups, reserved addresses and the broadcast address
  return address.number != 0 && address.number < first_group;
}
[[nodiscard]] HOST_DEVICE constexpr bool is_host(ipv6_address address) noexcept {
  return address.high >> 56 != 0xff && (address.high | address.low) != 0;
}
template <class Ip>
[[nodiscard]] HOST_DEVICE constexpr bool is_between_hosts(Ip ip) noexcept {
  return is_host(ip.source()) && is_host(ip.destination());
}

}  // namespace detail

[[nodiscard]] HOST_DEVICE constexpr unanswerable why_unanswerable(std::byte const* packet,
                                                                  layers const& found) noexcept {
  bool const is_ipv4 = found.l3 == l3_kind::ipv4;
  if (!is_ipv4 && found.l3 != l3_kind::ipv6) return unanswerable::other;
  if (found.error != parse_error::none) return unanswerable::header;
  if (found.fragment != fragment_kind::whole) return unanswerable::fragment;
  if (is_neighbour_discovery(packet, found)) {
    return unanswerable::other;
  }
  ethernet_view const ethernet{packet};
  auto const* const ip = packet + found.l3_offset;
  bool const is_between_hosts =
      is_ipv4 ? detail::is_between_hosts(ipv4_view{ip}) : detail::is_between_hosts(ipv6_view{ip});
  if (!is_between_hosts || ethernet.source().is_group() || ethernet.destination().is_group()) {
    return unanswerable::address;
  }
  auto const dscp = dscp_of(packet, found);
  bool const is_answer = dscp == answer_dscp::normal || dscp == answer_dscp::anomalous;
  return is_answer ? unanswerable::answer : unanswerable::none;
}

// The offset of the record of a packet's answer; 0 if the packet has no room for one. contiguous: bytes in one piece.
[[nodiscard]] HOST_DEVICE constexpr std::size_t answer_record_at(layers const& found, std::size_t contiguous) noexcept {
  if (found.l4 != l4_kind::udp) return 0;
  std::size_t const at = found.payload_offset;
  std::size_t const end = at + answer_record::length;
  bool const has_room = end + answer_record::askers_length <= found.end && end <= contiguous;
  return has_room && end <= answer_record::furthest_end ? at : 0;
}

namespace detail {

template <class Ip>
HOST_DEVICE constexpr void swap_addresses(Ip ip) noexcept {
  auto const source = ip.source();
  ip.set_source(ip.destination());
  ip.set_destination(source);
}

HOST_DEVICE constexpr void write_record(std::byte* packet, layers const& found, std::size_t at,
                                        std::int32_t excess) noexcept {
  auto const was = load_be<std::uint64_t>(packet + at);
  auto const is = std::uint64_t{answer_record::magic} << 32 | static_cast<std::uint32_t>(excess);
  store_be<std::uint64_t>(packet + at, is);
  udp_view const udp{packet + found.l4_offset};
  udp.set_checksum(checksum_update{}.replace64(was, is).apply_udp(udp.checksum()));
}

}  // namespace detail

// Makes an answerable packet its answer: Ethernet and IP addresses and the ports of TCP or UDP are swapped, which
// leaves each checksum as it is; DSCP and record are written. excess: the score less the threshold, above 0 for an
// anomalous packet.
HOST_DEVICE constexpr void make_answer(std::byte* packet, std::size_t contiguous, layers const& found,
                                       std::int32_t excess) noexcept {
  ethernet_view{packet}.swap_addresses();
  auto* const ip = packet + found.l3_offset;
  if (found.l3 == l3_kind::ipv4) {
    detail::swap_addresses(ipv4_view{ip});
  } else {
    detail::swap_addresses(ipv6_view{ip});
  }
  set_dscp(packet, found, excess > 0 ? answer_dscp::anomalous : answer_dscp::normal);
  if (found.l4 == l4_kind::udp || found.l4 == l4_kind::tcp) {
    auto* const ports = packet + found.l4_offset;
    auto const both = load_be<std::uint32_t>(ports);
    store_be<std::uint32_t>(ports, both << 16 | both >> 16);
  }
  if (auto const at = answer_record_at(found, contiguous); at != 0) detail::write_record(packet, found, at, excess);
}

}  // namespace packetwarp::wire
