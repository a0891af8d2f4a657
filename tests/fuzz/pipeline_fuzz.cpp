// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "control/control_plane.h"
#include "fixtures/mbufs.h"
#include "fixtures/wire.h"
#include "function/chain.h"
#include "function/nat44/nat44.h"
#include "function/nat44/nat44_table.h"
#include "function/router/router.h"
#include "fuzz/packets.h"
#include "master/data_plane.h"
#include "memory/eal_session.h"
#include "network/control_service.h"
#include "pipeline/stage_tables.h"
#include "plan/plan.h"
#include "routing/router_table.h"

// A whole NAT44 router between three wires, and a scenario: the packets that come in and their ports, the next job to
// work, the wire's ends that take packets, or take none for a long time, and the moments of the control plane. Time is
// the scenario's own. At every step no more has left than has come; at the end every packet has left, was dropped by
// name or was consumed by the control plane, and all memory is back.
namespace packetwarp {
namespace {

using fuzz::frame;
using fuzz::input;
using fuzz::require;

constexpr std::uint16_t ports = 3;
constexpr std::uint32_t depth = 32;
constexpr std::uint32_t burst = 8;
constexpr std::uint32_t pool_packets = 1023;
constexpr std::uint32_t first_address = 0xcb00'7101;
constexpr std::uint16_t inside = 0;
constexpr std::uint16_t outside = 1;

[[nodiscard]] wire::mac_address own_mac(std::uint16_t port) {
  return wire::mac_address::from_number(0x02'00'00'00'00'10 + port);
}
[[nodiscard]] constexpr std::uint32_t net_of(std::uint16_t port) { return 10U << 24 | std::uint32_t{port} << 16; }
[[nodiscard]] interface_index interface(std::uint16_t port) { return static_cast<interface_index>(port); }

[[nodiscard]] nat44_config small_nat() {
  nat44_config made;
  made.pool = {{{first_address}, {first_address}}};
  made.first_port = 2000;
  made.last_port = 2031;
  made.sessions = 48;
  made.address_room = 1;
  made.hosts = 64;
  made.per_host = 24;
  made.journal = 64;
  made.hash_key = {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  made.interfaces = {nat::side::inside, nat::side::outside, nat::side::none};
  made.port_forwards = {{nat::transport::tcp, {{net_of(inside) + 2}, 80}, {{first_address}, 2003}}};
  return made;
}

class router_stage final : public tables_of_stage<router> {
 public:
  explicit router_stage(router_table const& table) : table_{table} {}
  [[nodiscard]] table_refs<router> refs_at(stage_place const& place) const override {
    return {table_.cpu(interface(place.ingress)), table_.gpu(interface(place.ingress))};
  }

 private:
  router_table const& table_;
};
class nat44_stage final : public tables_of_stage<nat44> {
 public:
  explicit nat44_stage(nat44_table const& table) : table_{table} {}
  [[nodiscard]] table_refs<nat44> refs_at(stage_place const&) const override { return {table_.cpu(), table_.gpu()}; }

 private:
  nat44_table const& table_;
};

// The objects that outlive a scenario: ports of wires last as long as the process, and so do their holders.
class bed {
 public:
  bed() {
    for (std::uint16_t n = 0; n < ports; ++n) {
      auto const added = routes_.add_interface(own_mac(n), n == 2 ? 600 : 1500);
      routes_.add_address(added, {wire::ipv4_address{net_of(n) + 1}, 24});
      routes_.add_address(added, {wire::ipv6_address{0x2001'0db8'0000'0000 | std::uint64_t{n} << 16, 1}, 64});
    }
    routes_.set_route({wire::ipv4_address{8U << 24}, 16}, neighbour_key{interface(outside), gateway()});
    routes_.set_route({wire::ipv4_address{9U << 24}, 16}, on_link{interface(2)});
    nat_.tick(1);
    plane_ = std::make_unique<data_plane>(make_plan(config(), read_machine()),
                                          function_tables{.stages = {&router_stage_, &nat44_stage_}});
    for (auto const& [lcore, one] : plane_->workers().workers()) {
      for (auto const& account : one->accounts()) jobs_.push_back(account->what);
    }
    require(jobs_.size() >= 3U * ports);
  }

  [[nodiscard]] static wire::ipv4_address gateway() { return {net_of(outside) + 2}; }
  // Neighbours that are known at the start of every scenario, and no others.
  void forget_all() {
    for (std::uint16_t n = 0; n < ports; ++n) {
      for (std::uint32_t host = 2; host < 16; ++host) {
        neighbour_key const who{interface(n), wire::ipv4_address{net_of(n) + host}};
        if (host < 4) {
          require(routes_.set_neighbour(who, wire::mac_address::from_number(0x02'00'00'00'01'00 + host)));
        } else {
          routes_.forget_neighbour(who);
        }
      }
    }
  }

  packet_pool packets_{test::small_pool("outside", pool_packets, 2048)};
  std::array<ring_wire, ports> wires_{test::make_wire(ports, depth), test::make_wire(ports, depth),
                                      test::make_wire(ports, depth)};
  std::deque<port> far_ = [this] {
    std::deque<port> made;
    for (auto const& w : wires_) {
      made.emplace_back(describe_port(w.left()), port_config{.rx_queues = ports, .tx_queues = ports}, packets_);
    }
    return made;
  }();
  router_table routes_{{}, {.interfaces = ports, .ipv4_groups = 16, .ipv6_groups = 64, .next_hops = 256, .hosts = 256}};
  nat44_table nat_{small_nat()};
  router_stage router_stage_{routes_};
  nat44_stage nat44_stage_{nat_};
  std::uint32_t nat_seconds_{1};
  std::unique_ptr<data_plane> plane_;
  std::vector<job*> jobs_;  // in the order in which their worker polls them
  cycles now_{now_cycles()};

 private:
  [[nodiscard]] data_plane_config config() const {
    data_plane_config made;
    made.function = &facts_of<chain<nat44, router>>;
    made.pipelines = ports;
    made.burst = burst;
    made.ring_slots = 4;
    made.pool_cache = 0;
    made.pool_packets = pool_packets;
    made.rx_descriptors = made.tx_descriptors = 64;
    for (auto const& w : wires_) made.ports.push_back(w.right());
    return made;
  }
};

class scenario {
 public:
  scenario(bed& around, input& bytes) : r_{around}, bytes_{bytes} {
    r_.now_ = std::max(r_.now_, now_cycles());
    r_.forget_all();
    control_settings settings;
    settings.neighbours.held = 64;
    settings.neighbours.neighbours = 32;
    settings.fragments.datagrams = 16;
    control_hooks hooks;
    hooks.destination = [this](rte_mbuf& packet, interface_index ingress) {
      auto const length = packet.pkt_len;
      packet_view const view{rte_pktmbuf_mtod(&packet, std::byte*), packet.data_len, length};
      return nat::destination_of(view, r_.nat_.cpu());
    };
    control_ = std::make_unique<control_plane>(r_.routes_, r_.plane_->pool().get(), settings, hooks);
    service_ = std::make_unique<control_service>(r_.plane_->planned(), *r_.plane_->desk(), *control_,
                                                 r_.plane_->twin_links(), r_.plane_->departures());
    before_ = r_.plane_->totals();
    control_before_ = control_departures();
  }

  void go_on() {
    switch (bytes_.below(16)) {
      default:
        return arrive_ip();
      case 3:
        return arrive_pieces();
      case 4:
        return arrive_discovery();
      case 5:
        return arrive_again();
      case 6:
        return arrive_arp();
      case 7:
        return arrive_bytes();
      case 8:
        return answer();
      case 9:
        return one_job();
      case 10:
        return all_jobs(run_phase::running);
      case 11:  // long enough to fill a wire
        for (int turn = 0; turn < 16; ++turn) all_jobs(run_phase::running);
        return;
      case 12:
        return service_->poll(r_.now_);
      case 13:
        return collect(static_cast<std::uint16_t>(bytes_.below(ports)));
      case 14:
        return let_time_pass();
      case 15:
        all_jobs(run_phase::running);
        for (std::uint16_t n = 0; n < ports; ++n) collect(n);
        return service_->poll(r_.now_);
    }
  }

  void check() const {
    auto const now = r_.plane_->totals();
    auto const come = now.rx_packets + now.returned - before_.rx_packets - before_.returned;
    auto const gone = now.gone() - before_.gone();
    require(gone <= come);
    // A burst that waits for each egress, and those in the ring.
    require(come - gone <= ports * (burst * 4 + ports * burst * 4));
    require(now.rx_packets - before_.rx_packets <= arrived_);
    require(r_.packets_.available() <= pool_packets);
  }

  // Everything must come out, wherever it is.
  void end() {
    for (int round = 0; round < 8; ++round) {
      for (int turn = 0; turn < 32; ++turn) {
        all_jobs(round == 0 ? run_phase::running : run_phase::draining);
        for (std::uint16_t n = 0; n < ports; ++n) collect(n);
      }
      if (round < 2) service_->poll(r_.now_);
    }
    service_->give_up();
    for (std::uint16_t n = 0; n < ports; ++n) collect(n);
    auto const now = r_.plane_->totals();
    require(now.in_flight() == 0 && now.rx_packets - before_.rx_packets == arrived_);
    require(now.rx_packets + now.returned == now.gone());
    auto const sent = now.tx_packets - before_.tx_packets + control_departures() - control_before_;
    require(sent == collected_);
    check_control();
    require(control_->held() == 0);
    require(r_.packets_.available() == pool_packets);
    require(r_.plane_->pool().available() == r_.plane_->pool().config().packets);
    r_.nat_seconds_ += 100'000;
    r_.nat_.tick(r_.nat_seconds_);
    for (int round = 0; round < 4; ++round) r_.nat_.maintain();
  }

 private:
  [[nodiscard]] std::uint64_t control_departures() const {
    std::uint64_t sum = 0;
    for (auto const& p : r_.plane_->pipelines()) sum += p.counters().departures.control_sent.read();
    return sum;
  }
  // Punted packets have been put back, sent or dropped; sent packets have left, or were lost by name.
  void check_control() const {
    auto const& counters = service_->counters();
    std::uint64_t taken = 0;
    for (auto const& one : counters.taken) taken += one.read();
    auto const now = r_.plane_->totals();
    require(taken == now.punted - before_.punted);
    require(counters.put_back.read() == now.returned - before_.returned);
  }

  // Puts packets on the wire of a port, as far as it has room.
  void arrive(frame const& packet, std::uint16_t at, unsigned times) {
    if (packet.empty()) return;
    for (unsigned n = 0; n < times; ++n) {
      if (r_.packets_.available() < 64) return;
      std::array made{test::make_packet(r_.packets_, packet)};
      if (r_.far_[at].tx(queue_id{0}).send(made) == 0) {
        rte_pktmbuf_free(made[0]);
        return;
      }
      ++arrived_;
    }
  }

  [[nodiscard]] fuzz::endpoint any_endpoint() {
    auto const choice = bytes_.byte();
    constexpr std::uint32_t hosts[]{net_of(0) + 2, net_of(0) + 3, net_of(0) + 7, net_of(1) + 2, net_of(1) + 9,
                                    net_of(2) + 2, net_of(2) + 5, 0x0800'0001,   0x0900'0007,   first_address,
                                    net_of(0) + 1, net_of(1) + 1, 0x0b00'0001,   0xe000'0001,   0x7f00'0001};
    constexpr std::uint16_t numbers[]{53, 80, 2003, 40000};
    return {hosts[(choice & 0x3fU) % std::size(hosts)], numbers[choice >> 6]};
  }
  void arrive_ip() {
    auto const at = static_cast<std::uint16_t>(bytes_.below(ports));
    auto const from = any_endpoint();
    auto const to = any_endpoint();
    last_ = fuzz::make_packet(bytes_, own_mac(at), from, to);
    last_at_ = at;
    arrive(last_, at, 1);
  }
  // Many copies of the last one, some of them longer than the next wire accepts.
  void arrive_again() {
    auto const times = 1 + bytes_.below(48);
    if (fuzz::has_ipv4(last_) && bytes_.below(4) == 0) {
      last_.resize(last_.size() + 700);
      auto const ip = fuzz::ip_of(last_);
      ip.set_total_length(static_cast<std::uint16_t>(last_.size() - fuzz::ip_at));
      ip.fill_checksum();
    }
    if (last_.size() > 1514) last_.resize(1514);
    arrive(last_, last_at_, times);
  }
  void arrive_arp() {
    auto const at = static_cast<std::uint16_t>(bytes_.below(ports));
    frame made(42, std::byte{0});
    constexpr std::array<std::uint8_t, 8> head{0x08, 0x06, 0, 1, 8, 0, 6, 4};
    wire::store_mac(made.data(), bytes_.below(2) == 0 ? own_mac(at) : wire::mac_address::from_number(0xffff'ffff'ffff));
    wire::store_mac(made.data() + 6, wire::mac_address::from_number(0x02'00'00'00'03'00 + bytes_.below(4)));
    std::memcpy(made.data() + 12, head.data(), head.size());
    made[21] = std::byte{static_cast<std::uint8_t>(1 + bytes_.below(2))};
    std::memcpy(made.data() + 22, made.data() + 6, 6);
    auto const put = [&](std::size_t where, std::uint32_t address) {
      wire::store_be<std::uint32_t>(made.data() + where, address);
    };
    put(28, net_of(at) + bytes_.below(16));
    put(38, net_of(at) + bytes_.below(16));
    arrive(made, at, 1);
  }
  // A datagram in pieces, some of which may be missing, come twice or overlap.
  void arrive_pieces() {
    auto const at = static_cast<std::uint16_t>(bytes_.below(ports));
    auto const from = any_endpoint();
    auto const to = any_endpoint();
    auto const whole = fuzz::make_packet(bytes_, own_mac(at), from, to);
    frame datagram{whole};
    if (!fuzz::has_ipv4(datagram) || fuzz::ip_of(datagram).header_length() != 20) return;
    datagram.resize(fuzz::ip_at + 20 + 64, std::byte{2});
    constexpr std::size_t header = fuzz::ip_at + 20;
    auto const order = bytes_.byte();
    for (unsigned n = 0; n < 4; ++n) {
      auto const piece = (order >> 2 * n) & 3U;
      std::size_t const offset = piece * std::size_t{16} + ((order & 0x81U) == 0x81U ? 8U : 0U);
      auto const length = std::min<std::size_t>(16, 64 - offset);
      frame made{datagram.begin(), datagram.begin() + header};
      made.insert(made.end(), datagram.begin() + static_cast<std::ptrdiff_t>(header + offset),
                  datagram.begin() + static_cast<std::ptrdiff_t>(header + offset + length));
      auto const ip = fuzz::ip_of(made);
      ip.set_total_length(static_cast<std::uint16_t>(made.size() - fuzz::ip_at));
      ip.set_fragment_word(static_cast<std::uint16_t>(offset / 8 | (piece == 3 ? 0U : 0x2000U)));
      ip.fill_checksum();
      arrive(made, at, 1);
    }
  }
  // A host asks for an IPv6 neighbour, or claims to be one.
  void arrive_discovery() {
    auto const at = static_cast<std::uint16_t>(bytes_.below(ports));
    auto const what = bytes_.byte();
    frame made(fuzz::ip_at + 40 + 32, std::byte{0});
    auto* const ip = made.data() + fuzz::ip_at;
    auto* const message = ip + 40;
    auto const host = wire::mac_address::from_number(0x02'00'00'00'04'00 + (what & 3U));
    wire::store_mac(made.data(), own_mac(at));
    wire::store_mac(made.data() + 6, host);
    wire::ethernet_view{made.data()}.set_type(wire::ether_type::ipv6);
    wire::store_be<std::uint32_t>(ip, 0x6000'0000);
    wire::store_be<std::uint16_t>(ip + 4, 32);
    ip[6] = std::byte{58};
    ip[7] = std::byte{255};
    auto const put = [&](std::byte* where, std::uint64_t low) {
      wire::store_be<std::uint64_t>(where, 0x2001'0db8'0000'0000 | std::uint64_t{at} << 16);
      wire::store_be<std::uint64_t>(where + 8, low);
    };
    put(ip + 8, 2 + (what >> 2 & 3U));
    put(ip + 24, 1);
    bool const asks = (what & 0x10U) != 0;
    message[0] = std::byte{static_cast<std::uint8_t>(asks ? 135 : 136)};
    message[4] = std::byte{static_cast<std::uint8_t>(asks ? 0 : 0x60)};
    put(message + 8, asks ? 1 + (what >> 5 & 1U) : 2 + (what >> 2 & 3U));
    message[24] = std::byte{static_cast<std::uint8_t>(asks ? 1 : 2)};
    message[25] = std::byte{1};
    wire::store_mac(message + 26, host);
    wire::internet_sum sum;
    sum.add(ip + 8, 32).add16(32).add16(58).add(message, 32);
    wire::store_be<std::uint16_t>(message + 2, sum.checksum());
    arrive(made, at, 1);
  }
  void arrive_bytes() {
    auto const at = static_cast<std::uint16_t>(bytes_.below(ports));
    auto made = bytes_.bytes(14U + bytes_.byte());
    if (made.size() >= 6) wire::store_mac(made.data(), own_mac(at));
    if (bytes_.below(2) == 0) fuzz::mend(made);
    arrive(made, at, 1);
  }
  // An answer to the packet that left last by some port.
  void answer() {
    auto const at = static_cast<std::uint16_t>(bytes_.below(ports));
    if (!fuzz::has_ipv4(left_[at])) return;
    auto const is_error = bytes_.below(4) == 0;
    arrive(is_error ? fuzz::make_error(bytes_, left_[at], own_mac(at), net_of(at) + 2)
                    : fuzz::make_answer(left_[at], own_mac(at)),
           at, 1);
  }

  void one_job() { poll(*r_.jobs_[bytes_.byte() % r_.jobs_.size()], run_phase::running); }
  void all_jobs(run_phase phase) {
    for (auto* const one : r_.jobs_) poll(*one, phase);
  }
  void poll(job& one, run_phase phase) {
    r_.now_ += 1000;
    (void)one.poll({.now = r_.now_, .phase = phase});
  }
  void let_time_pass() {
    constexpr std::chrono::nanoseconds steps[]{std::chrono::microseconds{30}, std::chrono::milliseconds{11},
                                               std::chrono::milliseconds{1100}, std::chrono::seconds{31},
                                               std::chrono::seconds{301}};
    auto const step = bytes_.one_of(steps);
    r_.now_ += to_cycles(step);
    r_.nat_seconds_ += static_cast<std::uint32_t>(step / std::chrono::seconds{1});
    r_.nat_.tick(r_.nat_seconds_);
    r_.nat_.maintain();
    if (bytes_.below(2) == 0) service_->poll(r_.now_);
  }

  void collect(std::uint16_t at) {
    for (std::uint16_t queue = 0; queue < ports; ++queue) {
      for (auto* const packet : test::receive_all(r_.far_[at].rx(queue_id{queue}))) {
        require(rte_mbuf_check(packet, 1, nullptr) == 0);
        left_[at] = test::bytes_of(*packet);
        check_leaving(left_[at], at);
        rte_pktmbuf_free(packet);
        ++collected_;
      }
    }
  }
  static void check_leaving(frame& packet, std::uint16_t at) {
    require(packet.size() >= fuzz::ip_at);
    require(wire::ethernet_view{packet.data()}.source() == own_mac(at));
    if (wire::ethernet_view{packet.data()}.type() != wire::ether_type::ipv4) return;
    require(fuzz::has_ipv4(packet) && fuzz::ip_of(packet).checksum_is_intact());
    require(fuzz::ip_of(packet).total_length() <= (at == 2 ? 600 : 1500));
  }

  bed& r_;
  input& bytes_;
  std::unique_ptr<control_plane> control_;
  std::unique_ptr<control_service> service_;
  data_plane_totals before_;
  std::uint64_t control_before_{};
  std::uint64_t arrived_{};
  std::uint64_t collected_{};
  frame last_;
  std::uint16_t last_at_{};
  std::array<frame, ports> left_;
};

}  // namespace
}  // namespace packetwarp

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace packetwarp;
  static eal_session const session{
      {.words = {"fuzz", "--no-huge", "--no-shconf", "--no-pci", "--log-level=*:error", "-m", "128"}, .notices = {}}};
  static bed around;
  input bytes{data, size};
  scenario one{around, bytes};
  for (int steps = 0; !bytes.empty() && steps < 400; ++steps) {
    one.go_on();
    one.check();
  }
  one.end();
  return 0;
}
