// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <vector>

#include "wire/parse.h"

using namespace packetwarp::wire;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// The guarantees of parse() about offsets and views, for any bytes.
void check_layers(std::byte* packet, std::size_t length, layers const& found) {
  require(found.end <= length && found.l3_offset <= length && found.payload_offset <= length);
  require(found.vlan_count <= max_vlan_tags);
  if (found.error != parse_error::none) return;
  require(found.l3_offset <= found.payload_offset && found.payload_offset <= found.end);
  if (found.l3 == l3_kind::ipv4) require(ipv4_view{packet + found.l3_offset}.check_length(length - found.l3_offset));
  if (found.l3 == l3_kind::ipv6) require(ipv6_view{packet + found.l3_offset}.check_length(length - found.l3_offset));
  if (found.l4_offset == 0) return;
  require(found.l3_offset < found.l4_offset && found.l4_offset <= found.payload_offset);
  std::size_t const available = length - found.l4_offset;
  if (found.l4 == l4_kind::tcp) require(tcp_view{packet + found.l4_offset}.check_length(available));
  if (found.l4 == l4_kind::udp && found.fragment == fragment_kind::whole) {
    require(udp_view{packet + found.l4_offset}.check_length(available));
  }
}

void check_sums(std::byte* packet, std::size_t length, layers const& found) {
  std::uint64_t plain = 0;
  for (std::size_t i = 0; i < length; ++i) plain += static_cast<std::uint64_t>(packet[i]) << (i % 2 == 0 ? 8 : 0);
  require(fold_sum(plain) == internet_sum{}.add(packet, length).folded());
  if (found.error != parse_error::none || found.l3 != l3_kind::ipv4) return;
  ipv4_view const ip{packet + found.l3_offset};
  ip.fill_checksum();
  require(ip.checksum_is_intact());
  if (ip.ttl() == 0) return;
  ip.decrement_ttl();
  require(ip.checksum_is_intact());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const* const begin = reinterpret_cast<std::byte const*>(data);
  std::vector<std::byte> packet{begin, begin + size};
  layers const found = parse(packet.data(), packet.size());
  check_layers(packet.data(), packet.size(), found);
  check_sums(packet.data(), packet.size(), found);
  require(parse(packet.data(), packet.size()).error == found.error);
  return 0;
}
