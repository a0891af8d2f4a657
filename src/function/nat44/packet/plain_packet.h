// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "address/address_kind.h"
#include "base/host_device.h"
#include "burst/packet_view.h"
#include "function/nat44/session/session.h"
#include "routing/ip_packet.h"
#include "routing/router_ref.h"
#include "wire/big_endian.h"
#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"
#include "wire/udp.h"

// The kind of nearly all packets: IPv4 without options and whole, UDP or TCP, from one remote host to another.
// routing/ip_packet.h and flow.h test the same properties a step at a time, with a reason for each that fails; this
// file tests them in few words. It is for CPUs, where the instructions per packet count; on a GPU, memory accesses
// count.
namespace packetwarp::nat {

// By an address's first byte: whether is_between_hosts() accepts every address that begins with it.
inline constexpr std::array<bool, 256> is_plain_network = [] {
  std::array<bool, 256> made{};
  for (std::uint32_t top = 0; top < made.size(); ++top) {
    wire::ipv4_address const any{top << 24};
    bool const has_link_local = routing::is_link_local(wire::ipv4_address{top << 24 | 0xfe'00'00});
    made[top] = routing::is_between_hosts(any, any) && !has_link_local;
  }
  return made;
}();

// UDP or TCP, for a plain packet that was received by the interface of `routes`; none for any other packet.
[[nodiscard, gnu::always_inline]] inline transport kind_of_plain(packet_view packet, router_ref const& routes) {
  constexpr std::uint32_t ip_header = wire::ipv4_view<std::byte>::min_header_length;
  constexpr std::uint32_t udp_header = wire::udp_view<std::byte>::header_length;
  constexpr std::uint32_t tcp_header = wire::tcp_view<std::byte>::min_header_length;
  constexpr std::uint32_t type_and_version = 0x0800'45;  // and the header's length
  if (packet.contiguous < routing::ip_at + ip_header + udp_header) return transport::none;
  auto const ip = routing::ipv4_of(packet);
  auto const protocol = ip.protocol();
  bool const is_udp = protocol == wire::ip_protocol::udp;
  if (!is_udp && protocol != wire::ip_protocol::tcp) return transport::none;
  std::uint32_t const length = ip.total_length();
  std::uint32_t const least = ip_header + (is_udp ? udp_header : tcp_header);
  auto const mac = load_shared(&routes.interfaces[static_cast<std::size_t>(routes.ingress)].mac);
  bool const is_plain = wire::load_be<std::uint64_t>(packet.data) >> 16 == mac &&
                        wire::load_be<std::uint32_t>(packet.data + 12) >> 8 == type_and_version && length >= least &&
                        routing::ip_at + least <= packet.contiguous && routing::ip_at + length <= packet.length &&
                        !ip.is_fragment() && wire::sum_is_intact(packet.data + routing::ip_at, ip_header);
  if (!is_plain) return transport::none;
  auto const from = ip.source();
  auto const to = ip.destination();
  bool const goes_between_hosts =
      (is_plain_network[from.number >> 24] && is_plain_network[to.number >> 24]) || routing::is_between_hosts(from, to);
  if (!goes_between_hosts) return transport::none;
  return is_udp ? transport::udp : transport::tcp;
}

// The words of a packet that is plain.
class plain_packet {
 public:
  explicit plain_packet(std::byte* data) : data_{data} {}

  [[nodiscard]] bool is_udp() const { return ip().protocol() == wire::ip_protocol::udp; }
  [[nodiscard]] wire::ipv4_view<std::byte> ip() const { return wire::ipv4_view{data_ + routing::ip_at}; }
  [[nodiscard]] wire::udp_view<std::byte> ports() const { return wire::udp_view{data_ + ports_at}; }  // TCP's, too
  [[nodiscard]] wire::tcp_view<std::byte> tcp() const { return wire::tcp_view{data_ + ports_at}; }
  [[nodiscard]] endpoint source() const { return {ip().source(), ports().source_port()}; }
  [[nodiscard]] endpoint destination() const { return {ip().destination(), ports().destination_port()}; }

  // Sets a new source or destination, counts one hop down, and updates the checksums (RFC 1624).
  void send_from(endpoint to) const { replace(source_at, ports_at, to); }
  void send_to(endpoint to) const { replace(source_at + 4, ports_at + 2, to); }

 private:
  static constexpr std::uint32_t ip_checksum_at = routing::ip_at + 10;
  static constexpr std::uint32_t ttl_at = routing::ip_at + 8;
  static constexpr std::uint32_t source_at = routing::ip_at + 12;
  static constexpr std::uint32_t ports_at = routing::ip_at + wire::ipv4_view<std::byte>::min_header_length;
  static constexpr std::uint32_t udp_checksum_at = ports_at + 6;
  static constexpr std::uint32_t tcp_checksum_at = ports_at + 16;

  // Words are summed in memory order (RFC 1071, 2 (B)), so none needs a byte swap.
  [[gnu::always_inline]] void replace(std::uint32_t address_at, std::uint32_t port_at, endpoint to) const {
    auto const address = std::bit_cast<std::uint32_t>(wire::be32{to.address.number});
    auto const port = std::bit_cast<std::uint16_t>(wire::be16{to.port});
    std::uint64_t change = address;
    change += ~load<std::uint32_t>(address_at);
    std::uint64_t const in_transport = change + port + static_cast<std::uint16_t>(~load<std::uint16_t>(port_at));
    if (!is_udp()) {
      store(tcp_checksum_at, changed(load<std::uint16_t>(tcp_checksum_at), in_transport));
    } else if (auto const before = load<std::uint16_t>(udp_checksum_at); before != 0) {
      auto const after = changed(before, in_transport);
      store(udp_checksum_at, after == 0 ? std::uint16_t{0xffff} : after);  // 0 would mean "no checksum" (RFC 768)
    }
    constexpr std::uint64_t one_hop_less = 0xffff - 1;  // the time to live is the first of its word's bytes
    store(ip_checksum_at, changed(load<std::uint16_t>(ip_checksum_at), change + one_hop_less));
    store(ttl_at, static_cast<std::uint8_t>(load<std::uint8_t>(ttl_at) - 1));
    store(address_at, address);
    store(port_at, port);
  }
  [[nodiscard]] static std::uint16_t changed(std::uint16_t checksum, std::uint64_t change) {
    auto const sum = wire::fold_sum(change + static_cast<std::uint16_t>(~checksum));
    return static_cast<std::uint16_t>(~sum);
  }
  template <class Word>
  [[nodiscard]] Word load(std::uint32_t at) const {
    Word word;
    std::memcpy(&word, data_ + at, sizeof word);
    return word;
  }
  template <class Word>
  void store(std::uint32_t at, Word word) const {
    std::memcpy(data_ + at, &word, sizeof word);
  }

  std::byte* data_;
};

}  // namespace packetwarp::nat
