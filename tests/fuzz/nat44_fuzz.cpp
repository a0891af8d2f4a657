// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/error.h"
#include "function/chain.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router.h"
#include "fuzz/nat44_check.h"
#include "fuzz/packets.h"
#include "routing/router_table.h"

// A NAT44 with hardly any room, and a scenario: the first byte is the filtering, each later one the next event: packets
// from hosts inside, answers and ICMP errors to sent packets, packets from strangers, any bytes, time that passes,
// other settings. Packets that were sound are sound when they leave; afterwards no two sessions have the same endpoint,
// and nothing is lost.
namespace packetwarp {
namespace {

using routed_nat44 = chain<nat44, router>;
using fuzz::frame;
using fuzz::input;
using fuzz::require;

constexpr std::uint32_t sessions = 24;
constexpr std::uint32_t first_address = 0xcb00'7101;
constexpr std::uint32_t static_outside = 0xcb00'7121;
constexpr std::uint32_t own_inside = 0x0a00'0001;
constexpr std::uint32_t own_outside = 0xc633'6401;
constexpr interface_index inside{0};
constexpr interface_index outside{1};

[[nodiscard]] wire::mac_address own_mac() { return wire::mac_address::from_number(0x02'00'00'00'00'10); }

// The settings that the fuzzer may choose at the start.
[[nodiscard]] nat44_config tiny(unsigned bits) {
  nat44_config made;
  made.pool = {{{first_address}, {first_address + 1}}};
  made.first_port = 2000;
  made.last_port = 2015;
  made.sessions = sessions;
  made.address_room = 4;
  made.forward_room = 2;
  made.hosts = 8;
  made.per_host = (bits & 1U) != 0 ? 3 : 12;
  made.filtering = static_cast<nat::filtering>((bits >> 1 & 3U) % 3);
  made.pooling = static_cast<nat::pooling>(bits >> 3 & 1U);
  made.refresh = static_cast<nat::refresh>(bits >> 4 & 1U);
  made.feature = static_cast<nat::feature>(bits >> 5 & 1U);
  made.unmatched = static_cast<nat::unmatched>(bits >> 6 & 1U);
  made.remotes = 16;
  made.journal = (bits & 0x80U) != 0 ? 4 : 16;
  made.hash_key = {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  made.interfaces = {nat::side::inside, nat::side::outside};
  made.port_forwards = {{nat::transport::tcp, {{0x0a00'0002}, 80}, {{first_address}, 2003}}};
  made.static_addresses = {{{0x0a00'0003}, {static_outside}}};
  return made;
}

struct world {
  world() {
    routes.add_interface(own_mac(), 1500);
    routes.add_interface(own_mac(), 1500);
    routes.add_address(inside, {wire::ipv4_address{own_inside}, 24});
    routes.add_address(outside, {wire::ipv4_address{own_outside}, 24});
    neighbour_key const far{outside, wire::ipv4_address{0xc633'64fe}};
    routes.set_route({wire::ipv4_address{0}, 0}, far);
    require(routes.set_neighbour(far, wire::mac_address::from_number(0x02'00'00'00'00'21)));
    for (std::uint32_t host = 2; host < 6; ++host) {
      neighbour_key const near{inside, wire::ipv4_address{0x0a00'0000 + host}};
      require(routes.set_neighbour(near, wire::mac_address::from_number(0x02'00'00'00'00'20)));
    }
  }
  router_table routes{{}, {.ipv4_groups = 16, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
};

class scenario {
 public:
  scenario(world const& around, input& bytes) : world_{around}, bytes_{bytes}, bits_{bytes.byte()} {
    table_.tick(now_);
  }

  void go_on() {
    switch (bytes_.below(16)) {
      default:
        return pass(fuzz::make_packet(bytes_, own_mac(), host_inside(), host_outside()), inside);
      case 7:
      case 8:
      case 9:
        return answer();
      case 10:
        return report();
      case 11:  // from a stranger, to wherever
        return pass(fuzz::make_packet(bytes_, own_mac(), host_outside(), outside_endpoint()), outside);
      case 12: {  // a hairpin, or to an address that is no neighbour's
        auto const from = host_inside();
        return pass(fuzz::make_packet(bytes_, own_mac(), from, outside_endpoint()), inside);
      }
      case 13:
        return pass(any_bytes(), bytes_.below(2) == 0 ? inside : outside);
      case 14:
        return let_time_pass();
      case 15:
        return change(bytes_.byte());
    }
  }

  void check() const { fuzz::check_sessions(table_.cpu(), sessions); }

 private:
  struct sent {
    frame packet;
    interface_index by;
  };

  [[nodiscard]] fuzz::endpoint host_inside() {
    auto const choice = bytes_.byte();
    constexpr std::uint16_t ports[]{2000, 1999, 2003, 53, 80, 40000, 40001, 2001};
    return {0x0a00'0002U + (choice & 3U), ports[choice >> 2 & 7U]};
  }
  [[nodiscard]] fuzz::endpoint host_outside() {
    auto const choice = bytes_.byte();
    constexpr std::uint32_t hosts[]{0x0808'0808, 0x0808'0809, 0xc633'64fe, own_inside, own_outside, 0xe000'0001};
    constexpr std::uint16_t ports[]{53, 80, 443, 2000};
    return {hosts[(choice & 0x3fU) % std::size(hosts)], ports[choice >> 6]};
  }
  [[nodiscard]] fuzz::endpoint outside_endpoint() {
    auto const choice = bytes_.byte();
    constexpr std::uint32_t to[]{first_address, first_address + 1, first_address + 2, static_outside, own_outside};
    return {to[(choice & 0xfU) % std::size(to)], static_cast<std::uint16_t>(1998 + (choice >> 4))};
  }
  // The remaining bytes, unchanged; a valid header may precede them, so that the router reads on.
  [[nodiscard]] frame any_bytes() {
    auto const what = bytes_.byte();
    auto packet = bytes_.bytes(what & 0x7fU);
    if (packet.size() >= 6) wire::store_mac(packet.data(), own_mac());
    if ((what & 0x80U) != 0) fuzz::mend(packet);
    return packet;
  }

  // The peer of one of the last packets that left.
  void answer() {
    if (sent_.empty()) return;
    auto const& one = sent_[bytes_.below(static_cast<unsigned>(sent_.size()))];
    pass(fuzz::make_answer(one.packet, own_mac()), one.by);
  }
  void report() {
    if (sent_.empty()) return;
    auto one = sent_[bytes_.below(static_cast<unsigned>(sent_.size()))];
    auto const reporter = host_outside().address;
    pass(fuzz::make_error(bytes_, one.packet, own_mac(), reporter), one.by);
  }

  void let_time_pass() {
    constexpr std::uint32_t seconds[]{1, 30, 61, 241, 301, 7441};
    now_ += bytes_.one_of(seconds);
    table_.tick(now_);
    table_.maintain();
  }

  // Other settings, as bits say.
  void change(unsigned bits) {
    auto wanted = tiny(bits_);
    auto const first = first_address + (bits & 3U);
    wanted.pool = {{{first}, {first + (bits >> 2 & 1U)}}};
    if ((bits & 8U) != 0) {
      wanted.port_forwards = {{nat::transport::udp, {{0x0a00'0002}, 53}, {{first_address + 1}, 2005}}};
    }
    if ((bits & 16U) != 0) wanted.static_addresses.clear();
    try {
      auto planned = table_.plan_change(wanted);
      table_.prepare(planned);
      table_.publish(std::move(planned));
    } catch (usage_error const&) {
      // No room before sessions have ended.
    }
  }

  void pass(frame packet, interface_index from) {
    if (packet.size() < 2) return;
    auto before = packet;
    bool const was_sound = fuzz::is_sound(before);
    auto const bytes = static_cast<std::uint32_t>(packet.size());
    routed_nat44::ref const tables{table_.cpu(), world_.routes.cpu(from)};
    auto const said = routed_nat44::process({packet.data(), bytes, bytes}, tables);
    bool const is_forwarded = said.what() == verdict::action::forward;
    require(packet.size() == before.size());
    require(is_forwarded || packet == before);
    if (is_forwarded && was_sound) check_forwarded(before, packet, said);
    // The fate of a second copy is the same when the CPU looks ahead.
    auto again = before;
    packet_view const view{again.data(), bytes, bytes};
    auto const held = routed_nat44::hold(tables);
    auto seen = routed_nat44::look_ahead(view, held);
    routed_nat44::look_further(seen, held);
    require(routed_nat44::process(view, held, seen) == said);
    require(again == packet);
    // The control plane asks this about packets that it must hold or reassemble.
    bool const is_asked_for = said.what() == verdict::action::punt && fuzz::has_ipv4(before);
    if (is_asked_for) (void)nat::destination_of({before.data(), bytes, bytes}, table_.cpu());
  }

  void check_forwarded(frame& before, frame& after, verdict said) {
    require(fuzz::is_sound(after));
    auto const was = fuzz::ip_of(before);
    auto const is = fuzz::ip_of(after);
    require(is.total_length() == was.total_length() && is.protocol() == was.protocol());
    // The router answers echo requests to its own addresses itself.
    bool const is_answer = was.destination().number == own_inside || was.destination().number == own_outside;
    require(is_answer || is.ttl() + 1 == was.ttl());
    if (sent_.size() == most_remembered) sent_.pop_front();
    sent_.push_back({after, static_cast<interface_index>(said.to())});
  }

  static constexpr std::size_t most_remembered = 8;

  world const& world_;
  input& bytes_;
  unsigned bits_;
  nat44_table table_{tiny(bits_)};
  std::uint32_t now_{1};
  std::deque<sent> sent_;
};

}  // namespace
}  // namespace packetwarp

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace packetwarp;
  static world const around;
  input bytes{data, size};
  scenario one{around, bytes};
  while (!bytes.empty()) one.go_on();
  one.check();
  return 0;
}
