// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "function/nat44/age.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router_table.h"

// Sequences of packets, of any bytes, through a NAT44 with hardly any room: each packet's length and interface, then
// its bytes; a length of 0 lets time pass. Afterwards no two sessions have an endpoint, and nothing is lost.
namespace packetwarp {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr std::uint32_t sessions = 24;
constexpr std::uint32_t first_address = 0xcb00'7101;

[[nodiscard]] nat44_config tiny() {
  nat44_config made;
  made.pool = {{{first_address}, {first_address + 1}}};
  made.first_port = 2000;
  made.last_port = 2015;
  made.sessions = sessions;
  made.address_room = 4;
  made.forward_room = 2;
  made.per_host = 12;
  made.hosts = 8;
  made.filtering = nat::filtering::address_dependent;
  made.remotes = 16;
  made.journal = 16;
  made.hash_key = {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  made.interfaces = {nat::side::inside, nat::side::outside};
  made.port_forwards = {{nat::transport::tcp, {{0x0a00'0002}, 80}, {{first_address}, 2003}}};
  made.static_addresses = {{{0x0a00'0003}, {0xcb00'7121}}};
  return made;
}

struct world {
  world() {
    routes.add_interface(wire::mac_address::from_number(0x02'00'00'00'00'10), 1500);
    routes.add_interface(wire::mac_address::from_number(0x02'00'00'00'00'10), 1500);
    routes.add_address(interface_index{0}, {wire::ipv4_address{0x0a00'0001}, 24});
    routes.add_address(interface_index{1}, {wire::ipv4_address{0xc633'6401}, 24});
    neighbour_key const far{interface_index{1}, wire::ipv4_address{0xc633'64fe}};
    routes.set_route({wire::ipv4_address{0}, 0}, far);
    require(routes.set_neighbour(far, wire::mac_address::from_number(0x02'00'00'00'00'21)));
    for (std::uint32_t host = 2; host < 5; ++host) {
      neighbour_key const near{interface_index{0}, wire::ipv4_address{0x0a00'0000 + host}};
      require(routes.set_neighbour(near, wire::mac_address::from_number(0x02'00'00'00'00'20)));
    }
  }
  router_table routes{{}, {.ipv4_groups = 16, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
};

// Checksums are no obstacle: the fuzzer is after what is behind them.
void mend(std::vector<std::byte>& packet) {
  constexpr std::size_t ip_at = routing::ip_at;
  constexpr std::size_t icmp_at = ip_at + 20;
  if (packet.size() < icmp_at) return;
  wire::mac_address own = wire::mac_address::from_number(0x02'00'00'00'00'10);
  wire::store_mac(packet.data(), own);
  wire::ipv4_view const ip{packet.data() + ip_at};
  if (ip.check_length(packet.size() - ip_at)) ip.fill_checksum();
  bool const is_icmp = ip.protocol() == wire::ip_protocol::icmp && ip.header_length() == 20;
  if (!is_icmp || packet.size() < icmp_at + 28 || ip.total_length() < 48 || ip.total_length() > packet.size() - ip_at) {
    return;
  }
  wire::ipv4_view const inner{packet.data() + icmp_at + 8};
  if (inner.header_length() >= 20 && icmp_at + 8 + inner.header_length() <= packet.size()) inner.fill_checksum();
  wire::icmp_view const message{packet.data() + icmp_at};
  message.set_checksum(0);
  message.set_checksum(wire::internet_sum{}.add(packet.data() + icmp_at, ip.payload_length()).checksum());
}

// Other settings, as bits say.
void change(nat44_table& table, unsigned bits) {
  auto wanted = tiny();
  auto const first = first_address + (bits & 3);
  wanted.pool = {{{first}, {first + (bits >> 2 & 1)}}};
  if ((bits & 8) != 0) wanted.port_forwards = {{nat::transport::udp, {{0x0a00'0002}, 53}, {{first_address + 1}, 2005}}};
  if ((bits & 16) != 0) wanted.static_addresses.clear();
  try {
    auto planned = table.plan_change(wanted);
    table.prepare(planned);
    table.publish(std::move(planned));
  } catch (usage_error const&) {
    // No room before sessions have ended.
  }
}

void check(nat44_ref const& tables) {
  std::set<std::uint64_t> insides;
  std::set<std::uint64_t> outsides;
  std::uint32_t free = 0;
  std::uint32_t used = 0;
  for (std::uint32_t n = 1; n < tables.rare->sessions; ++n) {
    auto const held = nat::load_session(tables.sessions[n]);
    nat::life const life{held.life};
    free += tables.free_sessions().is_free(n);
    if (life.at() == nat::phase::unused) continue;
    used += n < tables.rare->first_forward;
    require(life.at() != nat::phase::making);
    require(outsides.insert(held.outside).second);
    if (life.is_live()) require(insides.insert(held.inside).second);
    if (life.is_live()) require(nat::find_inside(tables, held.inside).number == n);
  }
  require(free + used == sessions);  // port forwards have records of their own
}

}  // namespace
}  // namespace packetwarp

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace packetwarp;
  static world const w;
  nat44_table table{tiny()};
  std::uint32_t now = 1;
  table.tick(now);
  for (std::size_t at = 0; at + 2 <= size;) {
    std::size_t const length = std::min<std::size_t>(data[at], size - at - 2);
    interface_index const from{static_cast<std::uint16_t>(data[at + 1] & 1)};
    bool const is_mended = (data[at + 1] & 2) != 0;
    unsigned const change_to = (data[at + 1] & 4) != 0 ? data[at + 1] >> 3 : ~0U;
    at += 2;
    if (length == 0 && change_to != ~0U) {
      change(table, change_to);
      continue;
    }
    if (length == 0) {
      table.tick(now += 50);
      table.maintain();
      continue;
    }
    auto const* const begin = reinterpret_cast<std::byte const*>(data + at);
    std::vector<std::byte> packet{begin, begin + length};
    at += length;
    if (is_mended) mend(packet);
    auto const before = packet;
    auto const bytes = static_cast<std::uint32_t>(packet.size());
    nat44::ref const tables{w.routes.cpu(from), table.cpu()};
    auto const said = nat44::process({packet.data(), bytes, bytes}, tables);
    require(packet.size() == before.size());
    require(said.what() == verdict::action::forward || packet == before);
    // The same becomes of it when it comes again and the CPU looks ahead.
    auto again = before;
    packet_view const view{again.data(), bytes, bytes};
    auto seen = nat44::look_ahead(view, tables);
    nat44::look_further(seen, tables);
    require(nat44::process(view, tables, seen) == said);
    require(again == packet);
  }
  check(table.cpu());
  return 0;
}
