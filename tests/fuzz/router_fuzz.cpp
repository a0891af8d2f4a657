// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "function/router/router.h"
#include "routing/router_table.h"
#include "wire/address_text.h"

using namespace packetwarp;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// 10.<n>.0.1/24 and 2001:db8:<n>::1/64 with a neighbour each, at two interfaces; routes by both.
router_table make_table() {
  router_table table{{}, {.interfaces = 2, .ipv4_groups = 16, .ipv6_groups = 256, .next_hops = 16, .hosts = 32}};
  for (std::uint32_t n = 0; n < 2; ++n) {
    auto const interface = table.add_interface(wire::mac_address::from_number(0x02'00'00'00'00'01 + n), 1400);
    wire::ipv4_address const net4{10U << 24 | n << 16};
    wire::ipv6_address const net6{0x2001'0db8'0000'0000 | std::uint64_t{n} << 16, 0};
    table.add_address(interface, {wire::ipv4_address{net4.number + 1}, 24});
    table.add_address(interface, {wire::ipv6_address{net6.high, 1}, 64});
    auto const mac = wire::mac_address::from_number(0x02'00'00'00'01'01 + n);
    require(table.set_neighbour({interface, wire::ipv4_address{net4.number + 2}}, mac));
    require(table.set_neighbour({interface, wire::ipv6_address{net6.high, 2}}, mac));
    table.set_route({wire::ipv4_address{n << 31}, 1}, neighbour_key{interface, wire::ipv4_address{net4.number + 2}});
    table.set_route({wire::ipv6_address{std::uint64_t{n} << 63, 0}, 1},
                    neighbour_key{interface, wire::ipv6_address{net6.high, 2}});
  }
  return table;
}

}  // namespace

// The first byte chooses the interface of the frame and its destination, the second the length of its first piece.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static router_table const table = make_table();
  if (size < 2) return 0;
  auto const ingress = static_cast<interface_index>(data[0] & 1U);
  auto const* const begin = reinterpret_cast<std::byte const*>(data) + 2;
  std::vector<std::byte> frame{begin, begin + size - 2};
  if ((data[0] & 2U) != 0 && frame.size() >= 6) wire::store_mac(frame.data(), table.facts(ingress).mac);
  auto const length = static_cast<std::uint32_t>(frame.size());
  auto const contiguous = (data[1] & 1U) == 0 ? length : std::min<std::uint32_t>(length, data[1]);
  std::vector<std::byte> piece{frame.begin(), frame.begin() + contiguous};
  auto const said = router::process({piece.data(), contiguous, length}, table.cpu(ingress));
  if (said.what() != verdict::action::forward) {
    require(std::equal(piece.begin(), piece.end(), frame.begin()));
    require(said.what() == verdict::action::drop ? !drop_name<router>(said.why()).empty()
                                                 : !to_string(said.why_punted()).empty());
    return 0;
  }
  require(static_cast<std::size_t>(said.to()) < table.interfaces() && said.move() == front_move::none);
  wire::ethernet_view const ethernet{piece.data()};
  require(ethernet.source() == table.facts(static_cast<interface_index>(said.to())).mac);
  if (ethernet.type() == wire::ether_type::ipv4) {
    wire::ipv4_view const ip{piece.data() + routing::ip_at};
    require(ip.checksum_is_intact() && ip.ttl() > 0);
  }
  return 0;
}
