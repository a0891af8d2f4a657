// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/streams/pattern.h"

#include <fmt/format.h>

#include "base/error.h"
#include "wire/big_endian.h"

namespace packetwarp::traffic {
namespace {

using covered_by = bound_range::covered_by;

struct place {
  std::size_t offset;
  std::uint8_t width;
  covered_by checksums;
};

std::size_t ip_offset(packet_template const& d) { return 14 + 4 * d.vlans.size(); }

std::size_t transport_offset(packet_template const& d) {
  return ip_offset(d) + (std::holds_alternative<ipv4_layer>(d.ip) ? 20 : 40);
}

// ICMP over IPv4 is the only transport whose checksum leaves out the addresses.
covered_by ipv4_checksums(packet_template const& d) {
  return std::holds_alternative<icmp_layer>(d.transport) ? covered_by::ip : covered_by::ip_and_transport;
}

place place_of(field what, packet_template const& d) {
  std::size_t const ip = ip_offset(d);
  std::size_t const transport = transport_offset(d);
  switch (what) {
    case field::eth_dst:
      return {0, 6, covered_by::nothing};
    case field::eth_src:
      return {6, 6, covered_by::nothing};
    case field::vlan_id:
      return {14, 2, covered_by::nothing};
    case field::ipv4_src:
      return {ip + 12, 4, ipv4_checksums(d)};
    case field::ipv4_dst:
      return {ip + 16, 4, ipv4_checksums(d)};
    case field::ipv6_src:
      return {ip + 16, 8, covered_by::transport};
    case field::ipv6_dst:
      return {ip + 32, 8, covered_by::transport};
    case field::udp_sport:
    case field::tcp_sport:
      return {transport, 2, covered_by::transport};
    case field::udp_dport:
    case field::tcp_dport:
      return {transport + 2, 2, covered_by::transport};
    case field::icmp_id:
      return {transport + 4, 2, covered_by::transport};
  }
  return {};
}

bool has_field(field what, packet_template const& d) {
  switch (what) {
    case field::eth_dst:
    case field::eth_src:
      return true;
    case field::vlan_id:
      return !d.vlans.empty();
    case field::ipv4_src:
    case field::ipv4_dst:
      return std::holds_alternative<ipv4_layer>(d.ip);
    case field::ipv6_src:
    case field::ipv6_dst:
      return std::holds_alternative<ipv6_layer>(d.ip);
    case field::udp_sport:
    case field::udp_dport:
      return std::holds_alternative<udp_layer>(d.transport);
    case field::tcp_sport:
    case field::tcp_dport:
      return std::holds_alternative<tcp_layer>(d.transport);
    case field::icmp_id:
      return std::holds_alternative<icmp_layer>(d.transport);
  }
  return false;
}

}  // namespace

bound_range::bound_range(field_range const& range, packet_template& description)
    : first_{range.first}, count_{range.count()}, how_{range.how} {
  if (!has_field(range.what, description)) {
    throw usage_error{
        fmt::format("pattern field {}: the template has no such layer: {}", name_of(range.what), to_text(description))};
  }
  place const where = place_of(range.what, description);
  offset_ = static_cast<std::uint16_t>(where.offset);
  width_ = where.width;
  covered_by_ = where.checksums;
  if (range.what == field::ipv6_src) std::get<ipv6_layer>(description.ip).source.high = range.high;
  if (range.what == field::ipv6_dst) std::get<ipv6_layer>(description.ip).destination.high = range.high;
}

std::uint64_t bound_range::read(std::byte const* frame) const {
  std::byte const* const at = frame + offset_;
  switch (width_) {
    case 2:
      return wire::load_be<std::uint16_t>(at);
    case 4:
      return wire::load_be<std::uint32_t>(at);
    case 6:
      return wire::load_mac(at).number();
    default:
      return wire::load_be<std::uint64_t>(at);
  }
}

void bound_range::write(std::byte* frame, std::uint64_t value) const {
  std::byte* const at = frame + offset_;
  switch (width_) {
    case 2: {
      // The only 2-byte field that no checksum covers is the VLAN identifier, which shares its word with the priority.
      auto const kept = covered_by_ == covered_by::nothing ? wire::load_be<std::uint16_t>(at) & 0xf000U : 0U;
      wire::store_be<std::uint16_t>(at, static_cast<std::uint16_t>(kept | value));
      return;
    }
    case 4:
      wire::store_be<std::uint32_t>(at, static_cast<std::uint32_t>(value));
      return;
    case 6:
      wire::store_mac(at, wire::mac_address::from_number(value));
      return;
    default:
      wire::store_be<std::uint64_t>(at, value);
  }
}

}  // namespace packetwarp::traffic
