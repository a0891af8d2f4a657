// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/reassembler.h"

#include <algorithm>

#include "control/new_packet.h"
#include "function/router/admission.h"

namespace packetwarp {
namespace {

using routing::ip_at;
using ipv4 = wire::ipv4_view<std::byte>;
constexpr std::size_t longest_payload = 0xffff - ipv4::min_header_length;

[[nodiscard]] ipv4 ip_of(rte_mbuf& packet) { return ipv4{bytes_at(packet, ip_at)}; }

// Whether it is a fragment that means something; Ethernet's padding is cut off.
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

}  // namespace

reassembler::~reassembler() {
  for (auto& [which, held] : datagrams_) {
    for (auto const& one : held.pieces) rte_pktmbuf_free(one.packet);
  }
}

void reassembler::add(rte_mbuf* fragment, interface_index ingress, control_time now, control_actions& actions) {
  auto const drop_this = [&](control_drop why) {
    actions.push_back({control_action::kind::drop, why, ingress, fragment});
  };
  if (!is_sound(*fragment)) return drop_this(control_drop::malformed);
  auto const ip = ip_of(*fragment);
  key const which{ip.source().number, ip.destination().number, ip.identification(),
                  static_cast<std::uint8_t>(ip.protocol()), ingress};
  auto at = datagrams_.find(which);
  if (at == datagrams_.end()) {
    if (datagrams_.size() >= settings_.datagrams && !ages_.empty()) {
      drop(datagrams_.find(ages_.front()), ingress, control_drop::fragments_too_many, actions);
    }
    at = datagrams_.try_emplace(which).first;
    at->second.due = now + settings_.timeout;
    at->second.age = ages_.insert(ages_.end(), which);
  }
  auto& whole = at->second;
  std::size_t const begin = ip.fragment_offset();
  auto const how = place(whole, {fragment, begin, begin + ip.payload_length()}, !ip.more_fragments());
  if (how == fit::twice) return drop_this(control_drop::fragments_overlap);
  if (how == fit::overlaps) {
    drop_this(control_drop::fragments_overlap);
    return drop(at, ingress, control_drop::fragments_overlap, actions);
  }
  ++held_;
  if (whole.pieces.size() > settings_.fragments) {
    return drop(at, ingress, control_drop::fragments_too_many, actions);
  }
  if (whole.end == 0 || whole.bytes != whole.end) return;
  held_ -= whole.pieces.size();
  actions.push_back({control_action::kind::put_back, {}, ingress, join(whole)});
  erase(at);
}

reassembler::fit reassembler::place(datagram& of, piece const& added, bool is_last) {
  auto const next = std::lower_bound(of.pieces.begin(), of.pieces.end(), added.begin,
                                     [](piece const& one, std::size_t begin) { return one.begin < begin; });
  bool const has_next = next != of.pieces.end();
  if (has_next && next->begin == added.begin && next->end == added.end) return fit::twice;
  if (has_next && next->begin < added.end) return fit::overlaps;
  if (next != of.pieces.begin() && std::prev(next)->end > added.begin) return fit::overlaps;
  // Nothing lies behind the last one, and there is only one that is last.
  if (is_last && (of.end != 0 || has_next)) return fit::overlaps;
  if (!is_last && of.end != 0 && added.end > of.end) return fit::overlaps;
  if (is_last) of.end = added.end;
  of.bytes += added.end - added.begin;
  of.pieces.insert(next, added);
  return fit::fits;
}

rte_mbuf* reassembler::join(datagram& whole) {
  auto* const head = whole.pieces.front().packet;
  for (std::size_t n = 1; n < whole.pieces.size(); ++n) {
    auto* const more = whole.pieces[n].packet;
    rte_pktmbuf_adj(more, static_cast<std::uint16_t>(ip_at + ip_of(*more).header_length()));
    rte_pktmbuf_chain(head, more);
  }
  auto const ip = ip_of(*head);
  ip.set_total_length(static_cast<std::uint16_t>(ip.header_length() + whole.end));
  ip.set_fragment_word(0);
  ip.fill_checksum();
  if (rte_pktmbuf_tailroom(head) >= head->pkt_len - head->data_len) (void)rte_pktmbuf_linearize(head);
  return head;
}

void reassembler::tick(control_time now, control_actions& actions) {
  while (!ages_.empty()) {
    auto const oldest = datagrams_.find(ages_.front());
    if (oldest->second.due > now) return;
    drop(oldest, std::get<interface_index>(oldest->first), control_drop::fragments_timeout, actions);
  }
}

void reassembler::give_up(control_actions& actions) {
  while (!ages_.empty()) {
    auto const oldest = datagrams_.find(ages_.front());
    drop(oldest, std::get<interface_index>(oldest->first), control_drop::fragments_timeout, actions);
  }
}

void reassembler::drop(datagrams::iterator at, interface_index ingress, control_drop why, control_actions& actions) {
  for (auto const& one : at->second.pieces) {
    actions.push_back({control_action::kind::drop, why, ingress, one.packet});
  }
  held_ -= at->second.pieces.size();
  erase(at);
}

void reassembler::erase(datagrams::iterator at) {
  ages_.erase(at->second.age);
  datagrams_.erase(at);
}

}  // namespace packetwarp
