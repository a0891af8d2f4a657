// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/reassembler.h"

#include <algorithm>
#include <span>
#include <utility>

#include "control/new_packet.h"
#include "routing/ip_packet.h"

namespace packetwarp {
namespace {

using routing::ip_at;
using ipv4 = wire::ipv4_view<std::byte>;
constexpr std::size_t longest_payload = 0xffff - ipv4::min_header_length;

[[nodiscard]] ipv4 ip_of(rte_mbuf& packet) { return ipv4{bytes_at(packet, ip_at)}; }

// Whether the fragment is valid; Ethernet's padding is cut off.
[[nodiscard]] bool is_sound(rte_mbuf& packet) {
  if (!pull_up(packet, std::min<std::size_t>(packet.pkt_len, ip_at + ipv4::max_header_length))) return false;
  if (routing::check_ipv4({bytes_at(packet), packet.data_len, packet.pkt_len}) != routing::fault::none) return false;
  auto const ip = ip_of(packet);
  auto const payload = ip.payload_length();
  if (!ip.is_fragment() || payload == 0 || (ip.more_fragments() && payload % 8 != 0)) return false;
  if (ip.fragment_offset() + payload > longest_payload) return false;
  auto const padding = packet.pkt_len - ip_at - ip.total_length();
  return padding == 0 || rte_pktmbuf_trim(&packet, static_cast<std::uint16_t>(padding)) == 0;
}

// A datagram's ECN of which its fragments had these code points (RFC 3168, 5.3): a router's mark is kept, and no one
// marks a packet whose ends do not know ECN.
enum class mark : std::uint8_t { as_the_first, congestion, impossible };
[[nodiscard]] constexpr mark mark_of(unsigned code_points) {
  constexpr unsigned not_ect = 1U << 0, ce = 1U << 3;
  if ((code_points & ce) == 0) return mark::as_the_first;
  return (code_points & not_ect) == 0 ? mark::congestion : mark::impossible;
}

}  // namespace

void reassembler::add(rte_mbuf* fragment, interface_index ingress, control_time now, control_actions& actions) {
  auto const drop_this = [&](control_drop why) {
    actions.push_back({control_action::kind::drop, why, ingress, fragment});
  };
  if (!is_sound(*fragment)) return drop_this(control_drop::malformed);
  auto const ip = ip_of(*fragment);
  std::size_t const begin = ip.fragment_offset();
  std::size_t const head = ip_at + ip.header_length();
  wire::fragment_list::piece copy{begin, begin + ip.payload_length(), std::vector<std::byte>(ip.payload_length())};
  if (!read_bytes(*fragment, head, copy.content)) return drop_this(control_drop::malformed);
  auto const at = find_or_begin({ingress, ip.destination().number, ip.source().number, ip.identification(),
                                 static_cast<std::uint8_t>(ip.protocol())},
                                now, actions);
  auto& whole = at->second;
  using enum wire::fragment_list::fit;
  auto const how = whole.fragments.add(std::move(copy), !ip.more_fragments());
  if (how == twice) return drop_this(control_drop::fragments_overlap);
  if (how == overlaps) {
    drop_this(control_drop::fragments_overlap);
    return lose(at, control_drop::fragments_overlap, actions);
  }
  if (begin == 0) {
    whole.head_length = head;
    std::copy_n(bytes_at(*fragment), head, whole.head.begin());
  }
  whole.ecn |= 1U << ip.ecn();
  charge(at, ip.payload_length() + reassembly_settings::overhead);
  rte_pktmbuf_free(fragment);
  if (whole.fragments.pieces().size() > settings_.fragments) return lose(at, control_drop::fragments_too_many, actions);
  if (whole.fragments.is_complete()) return finish(at, actions);
  make_room(settings_.datagrams, actions);
}

reassembler::datagrams::iterator reassembler::find_or_begin(datagram_key const& which, control_time now,
                                                            control_actions& actions) {
  if (auto const at = datagrams_.find(which); at != datagrams_.end()) return at;
  make_room(settings_.datagrams - std::min<std::size_t>(settings_.datagrams, 1), actions);
  auto const at = datagrams_.try_emplace(which).first;
  at->second.due = now + settings_.timeout;
  at->second.place = shares_.enter(which);
  return at;
}

void reassembler::charge(datagrams::iterator at, std::size_t bytes) {
  at->second.charged += bytes;
  shares_.add(at->first, bytes);
  bytes_ += bytes;
  ++held_;
}

void reassembler::finish(datagrams::iterator at, control_actions& actions) {
  if (mark_of(at->second.ecn) == mark::impossible) return lose(at, control_drop::malformed, actions);
  auto* const whole = join(at->second);
  if (whole == nullptr) return lose(at, control_drop::no_memory, actions);
  auto const ingress = at->first.ingress;
  auto const others = at->second.fragments.pieces().size() - 1;
  actions.insert(actions.end(), others, {control_action::kind::lost, control_drop::put_together, ingress, nullptr});
  actions.push_back({control_action::kind::put_back, {}, ingress, whole});
  erase(at);
}

rte_mbuf* reassembler::join(datagram& whole) const {
  ipv4 const ip{whole.head.data() + ip_at};
  ip.set_total_length(static_cast<std::uint16_t>(ip.header_length() + whole.fragments.size()));
  ip.set_fragment_word(0);
  constexpr std::uint8_t congestion_experienced = 3;
  if (mark_of(whole.ecn) == mark::congestion) ip.set_ecn(congestion_experienced);
  ip.fill_checksum();
  auto* const made = new_packet(pool_, 0);
  if (made == nullptr) return nullptr;
  bool has_room = append_bytes(pool_, *made, std::span{whole.head}.first(whole.head_length));
  for (auto const& one : whole.fragments.pieces()) has_room = has_room && append_bytes(pool_, *made, one.content);
  if (has_room) return made;
  rte_pktmbuf_free(made);
  return nullptr;
}

void reassembler::make_room(std::size_t wanted, control_actions& actions) {
  while (datagrams_.size() > wanted || held_ > settings_.all_fragments || bytes_ > settings_.bytes) {
    auto const which = shares_.victim();
    if (!which) return;
    lose(datagrams_.find(*which), control_drop::fragments_too_many, actions);
  }
}

void reassembler::tick(control_time now, control_actions& actions) {
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (auto const& which : shares_.oldest()) {
      auto const at = datagrams_.find(which);
      if (at->second.due > now) continue;
      lose(at, control_drop::fragments_timeout, actions);
      is_done = false;
    }
  }
}

void reassembler::give_up(control_actions& actions) {
  while (!datagrams_.empty()) lose(datagrams_.begin(), control_drop::fragments_timeout, actions);
}

void reassembler::lose(datagrams::iterator at, control_drop why, control_actions& actions) {
  actions.insert(actions.end(), at->second.fragments.pieces().size(),
                 {control_action::kind::lost, why, at->first.ingress, nullptr});
  erase(at);
}

void reassembler::erase(datagrams::iterator at) {
  held_ -= at->second.fragments.pieces().size();
  bytes_ -= at->second.charged;
  shares_.leave(at->first, at->second.place, at->second.charged);
  datagrams_.erase(at);
}

}  // namespace packetwarp
