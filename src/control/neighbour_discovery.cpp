// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/neighbour_discovery.h"

#include "address/address_kind.h"
#include "control/multicast/group_address.h"
#include "control/new_packet.h"
#include "routing/ip_packet.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv6.h"

namespace packetwarp {
namespace {

using routing::ip_at;
using ipv6 = wire::ipv6_view<std::byte>;
using icmp = wire::icmp_view<std::byte>;
using groups::all_nodes;
using groups::solicited_node;

// After the IPv6 header: type, code, checksum, a word of flags, the target, then options.
constexpr std::size_t target_at = icmp::header_length;
constexpr std::size_t options_at = target_at + sizeof(wire::ipv6_address);
constexpr std::size_t mac_option = 8;  // bytes, and the unit of an option's length
constexpr std::size_t message_length = options_at + mac_option;
constexpr std::uint8_t source_option = 1;
constexpr std::uint8_t target_option = 2;
constexpr std::uint8_t hops_on_link = 255;
// Flags of an advertisement.
constexpr std::uint32_t from_router = 1U << 31;
constexpr std::uint32_t was_asked = 1U << 30;
constexpr std::uint32_t overrides = 1U << 29;

[[nodiscard]] bool is_unspecified(wire::ipv6_address a) { return a.high == 0 && a.low == 0; }

struct options {
  bool are_valid{};
  std::optional<wire::mac_address> mac;
};

// An option of length 0 makes the whole message invalid.
[[nodiscard]] options read_options(std::byte const* at, std::size_t length, std::uint8_t wanted) {
  options found{.are_valid = true, .mac = {}};
  while (length != 0) {
    auto const size = length < 2 ? 0 : wire::load_be<std::uint8_t>(at + 1) * mac_option;
    if (size == 0 || size > length) return {};
    if (wire::load_be<std::uint8_t>(at) == wanted) found.mac = wire::load_mac(at + 2);
    at += size;
    length -= size;
  }
  if (found.mac && (found.mac->is_group() || found.mac->number() == 0)) return {};
  return found;
}

[[nodiscard]] wire::internet_sum sum_of(ipv6 ip) {
  auto sum = wire::pseudo_header_sum(ip.source(), ip.destination(), wire::ip_protocol::icmpv6, ip.payload_length());
  return sum.add(ip.payload(), ip.payload_length());
}

// Writes the whole packet but its Ethernet header.
void fill(ipv6 ip, wire::icmpv6_type type, std::uint32_t flags, wire::ipv6_address target, std::uint8_t option,
          wire::mac_address const& own) {
  ip.set_version_and_flow(0, 0);
  ip.set_payload_length(message_length);
  ip.set_next_header(wire::ip_protocol::icmpv6);
  ip.set_hop_limit(hops_on_link);
  icmp const message{ip.payload()};
  message.set_type(type);
  wire::store_be<std::uint32_t>(ip.payload() + 4, flags);
  wire::store_ipv6_address(ip.payload() + target_at, target);
  wire::store_be<std::uint8_t>(ip.payload() + options_at, option);
  wire::store_be<std::uint8_t>(ip.payload() + options_at + 1, 1);
  wire::store_mac(ip.payload() + options_at + 2, own);
  message.set_checksum(sum_of(ip).checksum());
}

}  // namespace

std::optional<discovery_message> read_discovery(rte_mbuf& frame) {
  if (!pull_up(frame, frame.pkt_len)) return std::nullopt;
  packet_view const view{bytes_at(frame), frame.data_len, frame.pkt_len};
  if (view.contiguous < ip_at || routing::check_ipv6(view) != routing::fault::none ||
      !routing::is_neighbour_discovery(view)) {
    return std::nullopt;
  }
  ipv6 const ip{bytes_at(frame, ip_at)};
  icmp const message{ip.payload()};
  if (ip.payload_length() < icmp::header_length || message.code() != 0 || !sum_of(ip).is_intact()) return std::nullopt;
  discovery_message said{.what = discovery_message::kind::other, .source = ip.source(), .target = {}, .mac = {}};
  bool const is_asking = message.type_v6() == wire::icmpv6_type::neighbor_solicitation;
  bool const is_telling = message.type_v6() == wire::icmpv6_type::neighbor_advertisement;
  if (!is_asking && !is_telling) return said;
  if (ip.payload_length() < options_at) return std::nullopt;
  said.what = is_asking ? discovery_message::kind::solicitation : discovery_message::kind::advertisement;
  said.target = wire::load_ipv6_address(ip.payload() + target_at);
  auto const flags = is_telling ? wire::load_be<std::uint32_t>(ip.payload() + 4) : 0;
  if ((flags & overrides) != 0) said.says = discovery_message::claim::overrides;
  if ((flags & was_asked) != 0) said.why = discovery_message::cause::solicited;
  auto const found = read_options(ip.payload() + options_at, ip.payload_length() - options_at,
                                  is_asking ? source_option : target_option);
  said.mac = found.mac;
  bool const is_nobody = is_unspecified(said.source);
  // A host without an address asks the target's group, and has no MAC address to tell. An answer goes to the asker.
  bool const asks_well = !is_nobody || (ip.destination() == solicited_node(said.target) && !said.mac);
  bool const tells_well = !is_nobody && ((flags & was_asked) == 0 || !routing::is_group(ip.destination()));
  bool const is_sound = is_asking ? asks_well : tells_well;
  if (!found.are_valid || !is_sound || routing::is_group(said.target)) return std::nullopt;
  return said;
}

rte_mbuf* make_solicitation(rte_mempool& pool, wire::mac_address const& own, wire::ipv6_address source,
                            wire::ipv6_address target, std::optional<wire::mac_address> last_known) {
  auto* const made = new_packet(pool, ip_at + ipv6::header_length + message_length);
  if (made == nullptr) return nullptr;
  auto const group = solicited_node(target);
  write_ethernet(bytes_at(*made), last_known.value_or(groups::mac_of(group)), own, wire::ether_type::ipv6);
  ipv6 const ip{bytes_at(*made, ip_at)};
  ip.set_source(source);
  ip.set_destination(last_known ? target : group);
  fill(ip, wire::icmpv6_type::neighbor_solicitation, 0, target, source_option, own);
  return made;
}

rte_mbuf* make_advertisement(rte_mempool& pool, wire::mac_address const& own, discovery_message const& asked,
                             wire::mac_address const& asker, discovery_message::claim says) {
  auto* const made = new_packet(pool, ip_at + ipv6::header_length + message_length);
  if (made == nullptr) return nullptr;
  bool const is_to_all = is_unspecified(asked.source);
  write_ethernet(bytes_at(*made), is_to_all ? groups::mac_of(all_nodes) : asker, own, wire::ether_type::ipv6);
  ipv6 const ip{bytes_at(*made, ip_at)};
  ip.set_source(asked.target);
  ip.set_destination(is_to_all ? all_nodes : asked.source);
  auto const flags =
      from_router | (says == discovery_message::claim::overrides ? overrides : 0) | (is_to_all ? 0 : was_asked);
  fill(ip, wire::icmpv6_type::neighbor_advertisement, flags, asked.target, target_option, own);
  return made;
}

}  // namespace packetwarp
