// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/roce_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <span>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/process/stop.h"
#include "base/sleep.h"
#include "base/thread/beside_lcores.h"
#include "rdma/network/packet_limit.h"
#include "wire/address_text.h"
#include "wire/arp.h"
#include "wire/ethernet.h"

namespace packetwarp::rdma {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t descriptors = 1024;
constexpr std::uint32_t least_mtu = 256, most_mtu = 4096;
// IPv4, UDP, BTH, RETH and ICRC.
constexpr std::uint32_t overhead = 20 + 8 + roce::bth_bytes + roce::reth_bytes + roce::icrc_bytes;
constexpr std::uint32_t idle_rounds = 64;
constexpr std::uint64_t most_stuck_ns = 50'000'000;
constexpr std::uint32_t cache = 256;     // mbufs of the thread
constexpr std::size_t most_taken = 256;  // frames of a GPU that a round takes, and frames that it sends
constexpr std::size_t arp_frame_bytes = wire::ethernet_view<std::byte>::header_length + 28;

[[nodiscard]] std::span<std::byte> bytes_of(rte_mbuf& packet) {
  return {rte_pktmbuf_mtod(&packet, std::byte*), rte_pktmbuf_data_len(&packet)};
}

// How the packets of a port with rings to a kernel interface may become larger.
[[nodiscard]] std::string remedy_of(port_facts const& facts, std::uint32_t bytes) {
  auto const& entries = facts.traits().entries;
  if (entries.unset == 0) return "";
  return fmt::format(", or 'ip link set {} mtu {}' and {}=8192,blocksz=8192 among the words of --vdev",
                     facts.kernel_interface, bytes, entries.argument);
}

[[nodiscard]] std::uint32_t choose_mtu(port_facts const& facts, packet_limit const& limit, std::uint32_t wanted) {
  if (wanted == 0) {
    if (limit.as_it_is < least_mtu + overhead)
      throw usage_error(fmt::format("rdma: port {}: its MTU of {} is below the {} of RoCEv2's smallest packets",
                                    facts.name, limit.as_it_is, least_mtu + overhead));
    return std::min(most_mtu, std::bit_floor(limit.as_it_is - overhead));
  }
  if (wanted + overhead > limit.most)
    throw usage_error(
        fmt::format("rdma: port {}: an MTU of {} takes packets of {} bytes; the port has {}: give a smaller -m{}",
                    facts.name, wanted, wanted + overhead, limit.most, remedy_of(facts, wanted + overhead)));
  return wanted;
}

// The kernel would answer packets to a port that is not open by ICMP. Nothing: the address is not the kernel's.
[[nodiscard]] owned_fd hold_udp_port(wire::ipv4_address address) {
  owned_fd held{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(roce::udp_port);
  here.sin_addr.s_addr = htonl(address.number);
  int const no_room = 1;  // the packets are not read here
  ::setsockopt(held.get(), SOL_SOCKET, SO_RCVBUF, &no_room, sizeof no_room);
  if (::bind(held.get(), reinterpret_cast<sockaddr*>(&here), sizeof here) != 0) return {};
  return held;
}

}  // namespace

void require_frames_on_gpu(port_facts const& facts) {
  if (splits_to_gpu(facts)) return;
  throw usage_error(
      fmt::format("rdma: port {} ({}) does not split packets into a GPU's memory, as --frames gpu needs: give --frames "
                  "host, or a port of a NIC that does (packetwarp doctor --only rdma)",
                  facts.name, facts.driver));
}

void roce_port::open(port_facts const& facts, packet_limit const& limit) {
  bool const has_gpu = settings_.gpu_of_frames >= 0;
  if (has_gpu) require_frames_on_gpu(facts);
  mtu_ = choose_mtu(facts, limit, settings_.mtu);
  port_config config{.rx_descriptors = descriptors,
                     .tx_descriptors = descriptors,
                     .sends_of = has_gpu ? sent_pools::several : sent_pools::one};
  if (mtu_ + overhead > limit.as_it_is) config.mtu = static_cast<std::uint16_t>(mtu_ + overhead);
  packet_pool_config of_pool{.name = fmt::format("packetwarp_rdma{}", settings_.port.value()),
                             .packets = settings_.packets,
                             .data_room = std::max({std::uint32_t{2048}, mtu_ + overhead + 64,
                                                    facts.default_mtu + std::uint32_t{64}, limit.frame_room}),
                             .cache = cache};
  pool_.emplace(of_pool);
  if (!has_gpu) {
    port_.emplace(facts, config, rx_pools{*pool_});
    return;
  }
  of_pool.name += "_gpu";
  of_pool.gpu = settings_.gpu_of_frames;
  in_gpu_.emplace(of_pool);
  in_gpu_->announce();
  port_.emplace(facts, config, rx_pools{*pool_, &*in_gpu_, roce::first_piece_bytes});
}

roce_port::roce_port(roce_port_settings const& settings) : settings_{settings} {
  auto const facts = describe_port(settings.port);
  open(facts, packet_limit_of(facts));
  held_udp_port_ = hold_udp_port(settings.address);
  for (auto const until = std::chrono::steady_clock::now() + 5s;
       !port_->is_link_up() && std::chrono::steady_clock::now() < until;)
    sleep_for(20ms);
}

roce_port::~roce_port() { stop(); }

void roce_port::send_arp(wire::arp_operation operation, wire::mac_address const& to, wire::ipv4_address about) {
  auto* packet = rte_pktmbuf_alloc(&pool_->get());
  if (packet == nullptr) return;
  auto* const at = reinterpret_cast<std::byte*>(rte_pktmbuf_append(packet, arp_frame_bytes));
  auto const everyone = wire::mac_address::from_number(0xffff'ffff'ffff);
  bool const asks = operation == wire::arp_operation::request;
  wire::ethernet_view const ethernet{at};
  ethernet.set_destination(asks ? everyone : to);
  ethernet.set_source(mac());
  ethernet.set_type(wire::ether_type::arp);
  wire::arp_view const arp{ethernet.payload()};
  arp.set_ipv4_over_ethernet();
  arp.set_operation(operation);
  arp.set_sender(mac(), settings_.address);
  arp.set_target(asks ? wire::mac_address{} : to, about);
  if (port_->tx(queue_id{0}).send({&packet, 1}) == 0) rte_pktmbuf_free(packet);
}

std::optional<wire::mac_address> roce_port::take_arp(std::span<std::byte const> frame, wire::ipv4_address wanted) {
  if (frame.size() < arp_frame_bytes) return {};
  wire::ethernet_view const ethernet{frame.data()};
  wire::arp_view const arp{ethernet.payload()};
  if (ethernet.type() != wire::ether_type::arp || !arp.is_ipv4_over_ethernet()) return {};
  if (arp.operation() == wire::arp_operation::request && arp.target_ip() == settings_.address)
    send_arp(wire::arp_operation::reply, arp.sender_mac(), arp.sender_ip());
  if (arp.sender_ip() == wanted) return arp.sender_mac();
  return {};
}

wire::mac_address roce_port::resolve(wire::ipv4_address neighbour) {
  std::array<rte_mbuf*, burst> room{};
  for (int asked = 0; asked < 50 && stop_requested() == stop_request::none; ++asked) {
    send_arp(wire::arp_operation::request, {}, neighbour);
    for (auto const until = std::chrono::steady_clock::now() + 100ms; std::chrono::steady_clock::now() < until;) {
      std::optional<wire::mac_address> found;
      auto const n = port_->rx(queue_id{0}).receive(room);
      for (auto* const packet : std::span{room}.first(n)) {
        if (auto const said = take_arp(bytes_of(*packet), neighbour)) found = said;
        rte_pktmbuf_free(packet);
      }
      if (found) return *found;
      if (n == 0) sleep_for(1ms);
    }
  }
  if (stop_requested() != stop_request::none)
    throw failure(fmt::format("rdma: interrupted while {} was asked for its MAC address", wire::to_text(neighbour)));
  throw failure(fmt::format("rdma: {} does not answer ARP on port {}: is it on this link, and is {} on its network?",
                            wire::to_text(neighbour), port_->facts().name, wire::to_text(settings_.address)));
}

void roce_port::start(roce::roce_engine& engine, work_of_gpu const& on_gpu) {
  engine_ = &engine;
  on_gpu_ = on_gpu;
  stuck_since_ = detail::now_ns();
  stop_.store(false, std::memory_order_relaxed);
  thread_ = start_beside_lcores("roce", [this] { run(); });
}

void roce_port::stop() {
  if (!thread_) return;
  stop_.store(true, std::memory_order_relaxed);
  ::pthread_join(*thread_, nullptr);
  thread_.reset();
  for (; sent_ != made_; ++sent_) rte_pktmbuf_free(unsent_[sent_ % most_unsent]);
  rte_pktmbuf_free_bulk(blank_.data(), static_cast<unsigned>(blank_count_));
  blank_count_ = 0;
}

void roce_port::run() {
  // A thread that the EAL knows has a cache of mbufs. Without one, each mbuf is taken from the pool and given back by
  // itself, by the driver, too.
  bool const is_known = rte_thread_register() == 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    auto const now = detail::now_ns();
    moved_ = false;
    receive(now);
    if (on_gpu_.requests != nullptr) (void)on_gpu_.requests->collect(*engine_);
    engine_->serve(now);
    transmit(now);
    idle_rounds_ = moved_ ? 0 : idle_rounds_ + 1;
    if (idle_rounds_ >= idle_rounds) detail::rest();
  }
  if (is_known) rte_thread_unregister();
}

void roce_port::receive(std::uint64_t now) {
  std::array<rte_mbuf*, burst> room{};
  auto const n = port_->rx(queue_id{0}).receive(room);
  moved_ = n != 0;
  gpu_requests::look_ahead(std::span{room}.first(n));
  std::array<rte_mbuf*, burst> done{};
  unsigned count = 0;
  for (auto* const packet : std::span{room}.first(n))
    if (!take(*packet, now)) done[count++] = packet;
  rte_pktmbuf_free_bulk(done.data(), count);
}

bool roce_port::take(rte_mbuf& packet, std::uint64_t now) {
  auto const frame = bytes_of(packet);
  if (frame.size() < wire::ethernet_view<std::byte>::header_length) return false;
  wire::ethernet_view const ethernet{frame.data()};
  if (ethernet.type() == wire::ether_type::arp) {
    (void)take_arp(frame, {});
    return false;
  }
  if (ethernet.destination() != mac()) {
    ++of_another_mac_;
    return false;
  }
  auto const fate = on_gpu_.requests != nullptr ? on_gpu_.requests->take(packet) : gpu_requests::fate::other;
  if (fate == gpu_requests::fate::other) engine_->take(frame, now);
  return fate == gpu_requests::fate::kept;
}

bool roce_port::has_blank() {
  if (blank_count_ == 0 && rte_pktmbuf_alloc_bulk(&pool_->get(), blank_.data(), burst) == 0) blank_count_ = burst;
  return blank_count_ != 0;
}

// Frames wait for a burst that the driver did not take, at most.
void roce_port::make_frames(std::uint64_t now) {
  roce::frame_plan plan;
  while (made_ - sent_ < burst && has_blank()) {
    if (!engine_->next_frame(now, plan)) return;
    auto* const packet = blank_[--blank_count_];
    auto* const at = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(plan.length()));
    roce::write_frame(reinterpret_cast<std::byte*>(at), plan.path, plan.fields, plan.payload, plan.bytes);
    unsent_[made_++ % most_unsent] = packet;
  }
}

// Frames of a GPU, which get blanks for the next ones.
void roce_port::take_frames() {
  on_gpu_.frames->give({in_gpu_ ? &in_gpu_->get() : &pool_->get()});
  auto const first = static_cast<std::size_t>(made_ % most_unsent);
  auto const room = std::min(most_unsent - static_cast<std::size_t>(made_ - sent_), most_unsent - first);
  made_ += on_gpu_.frames->take(std::span{unsent_}.subspan(first, std::min(room, most_taken)));
}

void roce_port::transmit(std::uint64_t now) {
  make_frames(now);
  if (on_gpu_.frames != nullptr) take_frames();
  for (std::size_t n = 0; sent_ != made_ && n < most_taken; n += burst) {
    // A ring's frames up to its end, then those from its beginning on.
    auto const first = static_cast<std::size_t>(sent_ % most_unsent);
    auto const count = std::min({burst, static_cast<std::size_t>(made_ - sent_), most_unsent - first});
    auto const sent = port_->tx(queue_id{0}).send(std::span{unsent_}.subspan(first, count));
    sent_ += sent;
    moved_ = moved_ || sent != 0;
    if (sent != 0) stuck_since_ = now;
    if (sent == count) continue;
    ++send_waits_;
    give_up_stuck(now);
    return;
  }
  if (sent_ == made_) stuck_since_ = now;
}

// A driver that takes nothing for long, as net_memif's whose peer has gone or stands still: the frames are lost, as on
// a wire, so that their time-outs go on to the end of the retries.
void roce_port::give_up_stuck(std::uint64_t now) {
  if (now - stuck_since_ < most_stuck_ns) return;
  for (; sent_ != made_; ++sent_, ++given_up_) rte_pktmbuf_free(unsent_[sent_ % most_unsent]);
  stuck_since_ = now;
}

}  // namespace packetwarp::rdma
