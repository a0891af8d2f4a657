// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/fragmenter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "control/new_packet.h"
#include "routing/ip_packet.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv6_extension.h"

namespace packetwarp {
namespace {

using routing::ip_at;
using ipv4 = wire::ipv4_view<std::byte>;
using ipv6 = wire::ipv6_view<std::byte>;

struct headers {
  std::array<std::byte, ip_at + ipv4::max_header_length> bytes{};
  std::size_t ip_length{};
};

// The headers of all fragments except the first: the options with the copied flag remain.
[[nodiscard]] headers without_first_options(headers const& whole) {
  headers later = whole;
  auto const* const options = whole.bytes.data() + ip_at + ipv4::min_header_length;
  std::size_t const length = whole.ip_length - ipv4::min_header_length;
  auto* const begin = later.bytes.data() + ip_at + ipv4::min_header_length;
  std::fill(begin, later.bytes.data() + later.bytes.size(), std::byte{0});
  std::size_t kept = 0;
  for (std::size_t at = 0; at < length;) {
    auto const kind = static_cast<unsigned>(options[at]);
    if (kind == 0) break;
    std::size_t const size = kind == 1 ? 1 : at + 1 < length ? static_cast<std::size_t>(options[at + 1]) : 0;
    if (size == 0 || at + size > length) break;
    if ((kind & 0x80) != 0) {
      std::memcpy(begin + kept, options + at, size);
      kept += size;
    }
    at += size;
  }
  later.ip_length = ipv4::min_header_length + (kept + 3) / 4 * 4;
  ipv4{later.bytes.data() + ip_at}.set_header_length(later.ip_length);
  return later;
}

[[nodiscard]] bool fragment_ipv4(rte_mempool& pool, rte_mbuf const& whole, std::uint16_t mtu,
                                 std::vector<rte_mbuf*>& fragments) {
  headers first;
  if (!read_bytes(whole, 0, {first.bytes.data(), ip_at + ipv4::min_header_length})) return false;
  ipv4 const ip{first.bytes.data() + ip_at};
  first.ip_length = ip.header_length();
  if (!read_bytes(whole, 0, {first.bytes.data(), ip_at + first.ip_length})) return false;
  headers const later = without_first_options(first);
  std::size_t const payload = ip.payload_length();
  std::size_t const room = rte_pktmbuf_data_room_size(&pool) - RTE_PKTMBUF_HEADROOM - ip_at;
  std::vector<rte_mbuf*> made;
  for (std::size_t done = 0; done < payload;) {
    auto const& header = done == 0 ? first : later;
    auto const most = std::min<std::size_t>(mtu, room);
    std::size_t const fitting = most < header.ip_length + 8 ? 0 : (most - header.ip_length) / 8 * 8;
    std::size_t const size = std::min(fitting, payload - done);
    auto* const fragment = size == 0 ? nullptr : new_packet(pool, ip_at + header.ip_length + size);
    if (fragment == nullptr) {
      for (auto* one : made) rte_pktmbuf_free(one);
      return false;
    }
    made.push_back(fragment);
    std::memcpy(bytes_at(*fragment), header.bytes.data(), ip_at + header.ip_length);
    (void)read_bytes(whole, ip_at + first.ip_length + done, {bytes_at(*fragment, ip_at + header.ip_length), size});
    ipv4 const piece{bytes_at(*fragment, ip_at)};
    bool const is_last = done + size == payload && !ip.more_fragments();
    piece.set_total_length(static_cast<std::uint16_t>(header.ip_length + size));
    piece.set_fragment_word(static_cast<std::uint16_t>((ip.fragment_offset() + done) / 8 | (is_last ? 0 : 0x2000)));
    piece.fill_checksum();
    done += size;
  }
  fragments.insert(fragments.end(), made.begin(), made.end());
  return true;
}

// The asker's identifier and sequence number distinguish its echo replies.
[[nodiscard]] bool fragment_ipv6(rte_mempool& pool, rte_mbuf const& whole, std::uint16_t mtu,
                                 std::vector<rte_mbuf*>& fragments) {
  constexpr std::size_t fragment_header = wire::ipv6_extension_view<std::byte>::min_header_length;
  constexpr std::size_t header_end = ip_at + ipv6::header_length;
  constexpr std::size_t identifier_at = 4;
  std::array<std::byte, header_end + wire::icmp_view<std::byte>::header_length> header;
  if (!read_bytes(whole, 0, header)) return false;
  auto const identification = wire::load_be<std::uint32_t>(header.data() + header_end + identifier_at);
  ipv6 const ip{header.data() + ip_at};
  std::size_t const payload = ip.payload_length();
  auto const next = static_cast<std::uint8_t>(ip.next_header());
  std::size_t const room = rte_pktmbuf_data_room_size(&pool) - RTE_PKTMBUF_HEADROOM - ip_at;
  std::size_t const most = (std::min<std::size_t>(mtu, room) - ipv6::header_length - fragment_header) / 8 * 8;
  auto const before = fragments.size();
  for (std::size_t done = 0; done < payload; done += most) {
    auto const size = std::min(most, payload - done);
    auto* const fragment = new_packet(pool, header_end + fragment_header + size);
    if (fragment == nullptr) {
      rte_pktmbuf_free_bulk(fragments.data() + before, static_cast<unsigned>(fragments.size() - before));
      fragments.resize(before);
      return false;
    }
    fragments.push_back(fragment);
    std::memcpy(bytes_at(*fragment), header.data(), header_end);
    ipv6 const piece{bytes_at(*fragment, ip_at)};
    piece.set_payload_length(static_cast<std::uint16_t>(fragment_header + size));
    piece.set_next_header(wire::ip_protocol::fragment);
    auto* const inserted = bytes_at(*fragment, header_end);
    wire::store_be<std::uint8_t>(inserted, next);
    wire::store_be<std::uint16_t>(inserted + 2, static_cast<std::uint16_t>(done | (done + size < payload ? 1 : 0)));
    wire::store_be<std::uint32_t>(inserted + 4, identification);
    (void)read_bytes(whole, header_end + done, {inserted + fragment_header, size});
  }
  return true;
}

}  // namespace

bool fragment(rte_mempool& pool, rte_mbuf& whole, std::uint16_t mtu, std::vector<rte_mbuf*>& fragments) {
  bool const is_ipv6 = wire::ethernet_view{bytes_at(whole)}.type() == wire::ether_type::ipv6;
  return is_ipv6 ? fragment_ipv6(pool, whole, mtu, fragments) : fragment_ipv4(pool, whole, mtu, fragments);
}

}  // namespace packetwarp
