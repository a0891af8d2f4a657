// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/inspection.h"

#include <algorithm>

#include "wire/parse.h"

namespace packetwarp::traffic::stl {
namespace {

using wire::internet_sum;

struct bytes_between {
  std::size_t first;
  std::size_t end;
};

bool meets(step const& write, bytes_between const& range) {
  return write.at < range.end && write.at + std::size_t{write.size} > range.first;
}

bool is_write(step const& one) { return one.what == action::write || one.what == action::write_masked; }

bool has_right_header_checksum(std::span<std::byte const> frame, wire::layers const& found) {
  if (found.l3 != wire::l3_kind::ipv4) return true;
  auto const* const header = frame.data() + found.l3_offset;
  return internet_sum{}.add(header, wire::ipv4_view{header}.header_length()).is_intact();
}

internet_sum pseudo_header(std::byte const* l3, wire::layers const& found, std::uint16_t length) {
  if (found.l3 == wire::l3_kind::ipv6) {
    wire::ipv6_view const ip{l3};
    return wire::pseudo_header_sum(ip.source(), ip.destination(), found.protocol, length);
  }
  wire::ipv4_view const ip{l3};
  return wire::pseudo_header_sum(ip.source(), ip.destination(), found.protocol, length);
}

bool has_right_transport_checksum(std::span<std::byte const> frame, wire::layers const& found) {
  bool const has_one = found.l4_offset != 0 && found.fragment == wire::fragment_kind::whole &&
                       found.l4 != wire::l4_kind::none && found.l4 != wire::l4_kind::other;
  if (!has_one) return true;
  auto const* const l4 = frame.data() + found.l4_offset;
  auto const length = static_cast<std::uint16_t>(found.end - found.l4_offset);
  // A UDP checksum of 0 means none (RFC 768); IPv6 does not allow it (RFC 8200, 8.1).
  if (found.l4 == wire::l4_kind::udp && wire::udp_view{l4}.checksum() == 0) return found.l3 == wire::l3_kind::ipv4;
  auto sum =
      found.l4 == wire::l4_kind::icmp ? internet_sum{} : pseudo_header(frame.data() + found.l3_offset, found, length);
  return sum.add(l4, length).is_intact();
}

// A VLAN tag's priority and ID lie between two EtherTypes.
bool meets_ether_type(step const& write, std::size_t l3) {
  for (std::size_t at = 12; at < l3; at += 4) {
    if (meets(write, {at, at + 2})) return true;
  }
  return false;
}

// The fields that determine where headers begin and end: EtherTypes, lengths, protocols, TCP's data offset.
bool changes_layout(step const& write, wire::layers const& found) {
  std::size_t const l3 = found.l3_offset, l4 = found.l4_offset;
  if (meets_ether_type(write, l3)) return true;
  if (found.l3 != wire::l3_kind::ipv6 && meets(write, {l3, l3 + 1})) return true;
  if (found.l3 == wire::l3_kind::ipv4 && (meets(write, {l3 + 2, l3 + 4}) || meets(write, {l3 + 6, l3 + 8})))
    return true;
  if (found.l3 == wire::l3_kind::ipv4 && meets(write, {l3 + 9, l3 + 10})) return true;
  if (found.l3 == wire::l3_kind::ipv6 && (meets(write, {l3, l3 + 1}) || meets(write, {l3 + 4, l3 + 7}))) return true;
  if (found.l4 == wire::l4_kind::udp) return meets(write, {l4 + 4, l4 + 6});
  return found.l4 == wire::l4_kind::tcp && meets(write, {l4 + 12, l4 + 13});
}

// Whether a checksum that covers a range is right after all steps: the last fix comes after the last write.
template <class Fixes>
bool stays_right(stream const& of, bytes_between const& range, Fixes fixes) {
  bool right = true;
  for (auto const& one : of.steps) {
    if (is_write(one) && meets(one, range)) right = false;
    if (fixes(one)) right = true;
  }
  return right;
}

// The end of the packet by its IP header. A UDP header may have a smaller length; steps that fix checksums use IP's.
std::size_t end_by_ip(std::byte const* packet, wire::layers const& found) {
  auto const* const l3 = packet + found.l3_offset;
  return found.l3_offset + (found.l3 == wire::l3_kind::ipv6 ? std::size_t{40} + wire::ipv6_view{l3}.payload_length()
                                                            : std::size_t{wire::ipv4_view{l3}.total_length()});
}

inspection deepest_of(stream const& of) {
  auto const found = wire::parse(of.packet.data(), of.packet.size());
  std::span const packet{of.packet};
  auto const changes = [&](step const& one) {
    return one.what == action::trim || (is_write(one) && changes_layout(one, found));
  };
  if (found.error != wire::parse_error::none || std::any_of(of.steps.begin(), of.steps.end(), changes) ||
      !has_right_header_checksum(packet, found)) {
    return inspection::number;
  }
  std::size_t const l3 = found.l3_offset, l4 = found.l4_offset;
  auto const fixes_header = [&](step const& one) {
    return (one.what == action::fix_ipv4 && one.at == l3) ||
           ((one.what == action::fix_udp || one.what == action::fix_tcp) && one.l3_at == l3);
  };
  if (found.l3 == wire::l3_kind::ipv4) {
    std::size_t const header = wire::ipv4_view{of.packet.data() + l3}.header_length();
    if (!stays_right(of, {l3, l3 + header}, fixes_header)) return inspection::number;
  }
  if (l4 == 0) return inspection::checksums;
  bool const ends_alike = found.end == end_by_ip(of.packet.data(), found);
  auto const fixes_transport = [&](step const& one) {
    auto const wanted = found.l4 == wire::l4_kind::udp ? action::fix_udp : action::fix_tcp;
    return ends_alike && one.what == wanted && one.at == l4;
  };
  bool const has_pseudo_header = found.l4 != wire::l4_kind::icmp;
  auto const addresses = l3 + (found.l3 == wire::l3_kind::ipv4 ? 12U : 8U);
  bytes_between const covered{has_pseudo_header ? addresses : l4, found.end};
  bool const right =
      has_right_transport_checksum(packet, found) || std::any_of(of.steps.begin(), of.steps.end(), fixes_transport);
  return right && stays_right(of, covered, fixes_transport) ? inspection::checksums : inspection::headers;
}

}  // namespace

inspection deepest_inspection(program const& of) {
  auto most = inspection::checksums;
  for (auto const& one : of.streams) most = std::min(most, deepest_of(one));
  return most;
}

bool passes(std::span<std::byte const> frame, inspection depth) {
  if (depth == inspection::number) return true;
  auto const found = wire::parse(frame.data(), frame.size());
  if (found.error != wire::parse_error::none || !has_right_header_checksum(frame, found)) return false;
  return depth == inspection::headers || has_right_transport_checksum(frame, found);
}

}  // namespace packetwarp::traffic::stl
