// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "wire/big_endian.h"
#include "wire/ip_protocol.h"

namespace packetwarp::wire {

// An IPv6 extension header of a kind that is_extension() accepts (RFC 8200, 4). The length field of a fragment header
// is reserved: it is always 8 bytes long.
template <class Byte>
class ipv6_extension_view {
 public:
  static constexpr std::size_t min_header_length = 8;

  HOST_DEVICE constexpr ipv6_extension_view(Byte* bytes, ip_protocol kind) noexcept : bytes_{bytes}, kind_{kind} {}

  // When true, no accessor reads beyond `available` bytes.
  [[nodiscard]] HOST_DEVICE constexpr bool check_length(std::size_t available) const noexcept {
    return available >= min_header_length && available >= header_length();
  }

  [[nodiscard]] HOST_DEVICE constexpr ip_protocol next_header() const noexcept {
    return ip_protocol{load_be<std::uint8_t>(bytes_)};
  }
  // Bytes.
  [[nodiscard]] HOST_DEVICE constexpr std::size_t header_length() const noexcept {
    return kind_ == ip_protocol::fragment ? min_header_length
                                          : (load_be<std::uint8_t>(bytes_ + 1) + std::size_t{1}) * 8;
  }
  // For a fragment header only (RFC 8200, 4.5). Bytes.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t fragment_offset() const noexcept {
    return load_be<std::uint16_t>(bytes_ + 2) & 0xfff8U;
  }
  [[nodiscard]] HOST_DEVICE constexpr bool more_fragments() const noexcept {
    return (load_be<std::uint16_t>(bytes_ + 2) & 1U) != 0;
  }

 private:
  Byte* bytes_;
  ip_protocol kind_;
};

// The headers that the walk skips; ESP and AH are left to code that understands them.
[[nodiscard]] HOST_DEVICE constexpr bool is_extension(ip_protocol next) noexcept {
  return next == ip_protocol::hop_by_hop || next == ip_protocol::routing || next == ip_protocol::fragment ||
         next == ip_protocol::destination_options;
}

// More headers than RFC 8200 (4.1) recommends in a packet: one of each, and destination options twice. Bounds the walk.
inline constexpr unsigned max_ipv6_extensions = 8;

struct ipv6_walk {
  enum class outcome : std::uint8_t { complete, truncated, too_many };
  std::uint32_t offset{};           // bytes from the end of the IPv6 header to the header given by `protocol`
  std::uint32_t fragment_offset{};  // bytes
  ip_protocol protocol{};           // the first next-header value that is no extension header's
  outcome ended{};
  std::uint8_t has_fragment_header{};
  std::uint8_t more_fragments{};  // of any fragment header: a later one takes nothing back
};
static_assert(std::is_trivially_copyable_v<ipv6_walk>);

// Skips extension headers in the `length` bytes after an IPv6 header; stops at a fragment other than the first, in
// which only payload follows the fragment header. Reads nothing beyond `length`.
[[nodiscard]] HOST_DEVICE constexpr ipv6_walk walk_ipv6_extensions(std::byte const* bytes, std::size_t length,
                                                                   ip_protocol first) noexcept {
  ipv6_walk walk{.protocol = first};
  for (unsigned count = 0; is_extension(walk.protocol); ++count) {
    ipv6_extension_view const header{bytes + walk.offset, walk.protocol};
    if (count == max_ipv6_extensions) {
      walk.ended = ipv6_walk::outcome::too_many;
      return walk;
    }
    if (!header.check_length(length - walk.offset)) {
      walk.ended = ipv6_walk::outcome::truncated;
      return walk;
    }
    bool const is_fragment_header = walk.protocol == ip_protocol::fragment;
    walk.protocol = header.next_header();
    walk.offset += static_cast<std::uint32_t>(header.header_length());
    if (is_fragment_header) {
      walk.has_fragment_header = 1;
      walk.fragment_offset = header.fragment_offset();
      if (header.more_fragments()) walk.more_fragments = 1;
      if (walk.fragment_offset != 0) return walk;
    }
  }
  return walk;
}

}  // namespace packetwarp::wire
