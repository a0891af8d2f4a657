// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/packet_maker.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "traffic/streams/frame_size.h"
#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace packetwarp::traffic::stl {
namespace {

using wire::internet_sum;

// A frame without its check sequence (IEEE 802.3).
constexpr std::size_t shortest = frame_size{frame_size::smallest}.in_memory();

// Bytes of a field, big-endian or little-endian.
std::uint64_t load_field(std::byte const* at, std::uint8_t size, byte_order order) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) {
    value = value << 8 | static_cast<std::uint64_t>(at[order == byte_order::big ? i : size - 1U - i]);
  }
  return value;
}

void store_field(std::byte* at, std::uint8_t size, byte_order order, std::uint64_t value) {
  // Left-aligned in eight bytes, so that one instruction sets the byte order.
  value <<= 64 - 8 * size;
  std::uint64_t const ordered = order == byte_order::big ? __builtin_bswap64(value) : value >> (64 - 8 * size);
  switch (size) {
    case 1:
      std::memcpy(at, &ordered, 1);
      return;
    case 2:
      std::memcpy(at, &ordered, 2);
      return;
    case 4:
      std::memcpy(at, &ordered, 4);
      return;
    default:
      std::memcpy(at, &ordered, 8);
  }
}

void write_value(step const& how, std::uint64_t value, std::byte* frame) {
  auto* const at = frame + how.at;
  value += static_cast<std::uint64_t>(how.add);
  if (how.what == action::write) {
    store_field(at, how.size, how.order, value);
    return;
  }
  // TRex computes a masked write in 32 bits, from the variable's low bits.
  auto written = static_cast<std::uint32_t>(value);
  written = how.shift < 0 ? written >> -how.shift : written << how.shift;
  auto const mask = static_cast<std::uint32_t>(how.mask);
  auto const before = static_cast<std::uint32_t>(load_field(at, how.size, how.order));
  store_field(at, how.size, how.order, (before & ~mask) | (written & mask));
}

void fix_ipv4(std::byte* header, std::size_t available) {
  wire::ipv4_view const ip{header};
  auto const length = ip.header_length();
  // The profile wrote a length beyond the room on purpose.
  if (length < wire::ipv4_view<std::byte>::min_header_length || length > available) return;
  // The sum leaves out the checksum's own place: bytes that were just stored in part are slow to load as a whole.
  auto sum = internet_sum{}.add16(wire::load_be<std::uint16_t>(header + 8)).add(header, 8);
  wire::store_be<std::uint16_t>(header + 10, sum.add(header + 12, length - 12).checksum());
}

// The pseudo header of the bytes after an IP header, and the end of these bytes by the length fields; nothing if the
// lengths cannot be right.
std::optional<std::pair<internet_sum, std::size_t>> covered(std::byte const* l3, step const& how,
                                                            std::size_t available) {
  auto const protocol = how.what == action::fix_udp ? wire::ip_protocol::udp : wire::ip_protocol::tcp;
  std::size_t const header = static_cast<std::size_t>(how.at) - how.l3_at;
  if ((static_cast<unsigned>(l3[0]) >> 4) == 6) {
    if (header < 40) return std::nullopt;
    wire::ipv6_view const ip{l3};
    std::size_t const end = 40 + std::size_t{ip.payload_length()};
    if (end <= header || end > available) return std::nullopt;
    auto const length = static_cast<std::uint16_t>(end - header);
    return std::pair{wire::pseudo_header_sum(ip.source(), ip.destination(), protocol, length), std::size_t{length}};
  }
  if (header < 20) return std::nullopt;
  wire::ipv4_view const ip{l3};
  std::size_t const end = ip.total_length();
  if (end <= header || end > available) return std::nullopt;
  auto const length = static_cast<std::uint16_t>(end - header);
  return std::pair{wire::pseudo_header_sum(ip.source(), ip.destination(), protocol, length), std::size_t{length}};
}

void fix_transport(step const& how, std::byte* frame, std::size_t length) {
  if (length <= how.at) return;  // cut off
  auto* const l3 = frame + how.l3_at;
  auto* const l4 = frame + how.at;
  if ((static_cast<unsigned>(l3[0]) >> 4) == 4) fix_ipv4(l3, length - how.l3_at);
  auto const what = covered(l3, how, length - how.l3_at);
  std::size_t const field = how.what == action::fix_udp ? 6 : 16;
  if (!what || what->second < field + 2) return;
  wire::store_be<std::uint16_t>(l4 + field, 0);
  auto sum = what->first;
  auto const checksum = sum.add(l4, what->second).checksum();
  wire::store_be<std::uint16_t>(l4 + field,
                                how.what == action::fix_udp ? wire::udp_checksum_to_send(checksum) : checksum);
}

}  // namespace

packet_maker::packet_maker(stream const& from) : packet_{from.packet} {
  for (auto const& one : from.steps) {
    bool const has_variable = one.what == action::write || one.what == action::write_masked || one.what == action::trim;
    auto values = has_variable ? series_named(one.variable, from) : series{variable{}, series::part::whole, 0};
    if (one.what != action::trim) {
      steps_.push_back({one, std::move(values)});
      continue;
    }
    if (values.smallest() < shortest || values.largest() > packet_.size()) {
      throw failure(fmt::format("stream '{}': packets are cut to sizes that they have not", from.name));
    }
    trim_ = std::move(values);
  }
}

double packet_maker::mean_length() const { return trim_ ? trim_->mean() : static_cast<double>(packet_.size()); }

void packet_maker::write(std::uint64_t index, std::uint64_t /*ticks*/, std::byte* frame) const {
  std::memcpy(frame, packet_.data(), packet_.size());
  for (auto const& [what, values] : steps_) {
    switch (what.what) {
      case action::write:
      case action::write_masked:
        write_value(what, values.at(index), frame);
        break;
      case action::fix_ipv4:
        fix_ipv4(frame + what.at, packet_.size() - what.at);
        break;
      case action::fix_udp:
      case action::fix_tcp:
        fix_transport(what, frame, length(index));
        break;
      case action::trim:
        break;
    }
  }
}

}  // namespace packetwarp::traffic::stl
