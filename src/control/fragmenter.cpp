// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/fragmenter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "control/new_packet.h"
#include "routing/ip_packet.h"

namespace packetwarp {
namespace {

using routing::ip_at;
using ipv4 = wire::ipv4_view<std::byte>;

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

}  // namespace

bool fragment_ipv4(rte_mempool& pool, rte_mbuf const& whole, std::uint16_t mtu, std::vector<rte_mbuf*>& fragments) {
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

}  // namespace packetwarp
