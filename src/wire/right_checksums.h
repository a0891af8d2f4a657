// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/parse.h"

namespace packetwarp::wire {

// A receiver drops a packet with a wrong checksum, so its bytes are of no connection. A host whose NIC computes them
// leaves them unfinished: packets that never were on a wire, as on veth pairs and in captures on their sender, have
// wrong ones and are right.
enum class checksum_handling : std::uint8_t { ignore, verify };

namespace detail {

[[nodiscard]] inline internet_sum pseudo_header_of(std::byte const* frame, layers const& found) {
  auto const length = static_cast<std::uint16_t>(found.end - found.l4_offset);
  if (found.l3 == l3_kind::ipv4) {
    ipv4_view const ip{frame + found.l3_offset};
    return pseudo_header_sum(ip.source(), ip.destination(), ip_protocol::tcp, length);
  }
  ipv6_view const ip{frame + found.l3_offset};
  return pseudo_header_sum(ip.source(), ip.destination(), ip_protocol::tcp, std::uint32_t{length});
}

// An internet_sum takes further bytes at even offsets only.
inline void add_at(internet_sum& sum, std::size_t offset, std::span<std::byte const> bytes) {
  if (offset % 2 != 0 && !bytes.empty()) {
    sum.add16(static_cast<std::uint16_t>(bytes.front()));
    bytes = bytes.subspan(1);
  }
  sum.add(bytes.data(), bytes.size());
}

}  // namespace detail

// Whether an IPv4 header and a TCP segment have the checksums that receivers ask for (RFC 791, 3.1; RFC 9293, 3.1).
// frame: an Ethernet frame of `length` bytes; `rest` has those that follow the bytes in it. True where it cannot be
// known: for fragments' segments, and for frames of which bytes are missing. Other transports are not looked at.
[[nodiscard]] inline bool has_right_checksums(std::span<std::byte const> frame, std::span<std::byte const> rest,
                                              std::uint32_t length) {
  auto const found = parse(frame.data(), frame.size(), length);
  if (found.l3 == l3_kind::ipv4 && found.payload_offset > found.l3_offset) {
    ipv4_view const ip{frame.data() + found.l3_offset};
    if (!sum_is_intact(frame.data() + found.l3_offset, ip.header_length())) return false;
  }
  bool const is_whole = found.fragment == fragment_kind::whole && found.end <= frame.size() + rest.size();
  if (found.error != parse_error::none || found.l4 != l4_kind::tcp || !is_whole) return true;
  auto const size = std::size_t{found.end} - found.l4_offset;
  auto const here = frame.subspan(found.l4_offset).first(std::min(size, frame.size() - found.l4_offset));
  auto sum = detail::pseudo_header_of(frame.data(), found);
  sum.add(here.data(), here.size());
  detail::add_at(sum, here.size(), rest.first(size - here.size()));
  return sum.is_intact();
}

}  // namespace packetwarp::wire
