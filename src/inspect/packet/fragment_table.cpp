// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/fragment_table.h"

#include <algorithm>
#include <iterator>

#include "inspect/packet/read_packet.h"
#include "wire/big_endian.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/ipv6_extension.h"
#include "wire/parse.h"

namespace packetwarp::inspect {
namespace {

constexpr std::size_t longest_frame = 0xffff;  // that wire::parse reads

// UDP's length goes beyond a frame that was cut.
void shorten_udp(std::span<std::byte> frame) {
  constexpr std::size_t length_at = 4;
  auto const found = wire::parse(frame.data(), frame.size());
  if (found.l4 != wire::l4_kind::udp || found.error != wire::parse_error::udp_bad_length) return;
  auto const length = static_cast<std::uint16_t>(frame.size() - found.l4_offset);
  wire::store_be<std::uint16_t>(frame.data() + found.l4_offset + length_at, length);
}

}  // namespace

std::span<std::byte const> fragment_table::add(std::span<std::byte const> frame, wire::layers const& found,
                                               std::uint64_t nanoseconds) {
  constexpr std::size_t longest_datagram = 0xffff;  // with its IPv4 header; the payload of IPv6, which is as long
  auto facts = facts_of(frame, found);
  auto const size = facts.is_sound ? found.end - facts.at : 0;
  bool const is_uneven = !facts.is_last && size % 8 != 0;
  if (size == 0 || is_uneven || facts.head - facts.counted_from + facts.begin + size > longest_datagram) {
    ++counts_.unsound;
    return {};
  }
  make_room(nanoseconds);
  auto const at = find_or_begin(facts.name, nanoseconds);
  auto& whole = at->second;
  auto const bytes = frame.subspan(facts.at, size);
  auto const how = whole.fragments.add({facts.begin, facts.begin + size, {bytes.begin(), bytes.end()}}, facts.is_last);
  if (how == wire::fragment_list::fit::twice) {
    ++counts_.repeated;
    return {};
  }
  if (how == wire::fragment_list::fit::overlaps || whole.fragments.pieces().size() > most_fragments) {
    counts_.unsound += how == wire::fragment_list::fit::overlaps ? 1 : 0;
    counts_.given_up += whole.fragments.pieces().size();
    erase(at);
    return {};
  }
  whole.bytes += size;
  bytes_ += size;
  ++held_;
  if (facts.begin == 0) {
    auto const head = frame.first(facts.head);
    whole.head.assign(head.begin(), head.end());
    whole.ip_at = found.l3_offset;
    if (facts.next_header != 0) whole.head[facts.next_header] = std::byte{facts.protocol};
  }
  if (!whole.fragments.is_complete()) return {};
  join(whole, facts.name.ip_version);
  erase(at);
  ++counts_.datagrams;
  return joined_;
}

std::map<fragment_table::datagram_name, fragment_table::datagram>::iterator fragment_table::find_or_begin(
    datagram_name const& name, std::uint64_t nanoseconds) {
  auto const found = datagrams_.find(name);
  if (found != datagrams_.end()) return found;
  // Without memory for both, neither is there.
  std::list<datagram_name> place{name};
  auto const made = datagrams_.try_emplace(name).first;
  ages_.splice(ages_.end(), place);
  made->second.since = nanoseconds;
  made->second.place = std::prev(ages_.end());
  return made;
}

void fragment_table::give_up_all() {
  counts_.given_up += held_;
  datagrams_.clear();
  ages_.clear();
  held_ = bytes_ = 0;
  joined_ = {};
}

fragment_table::fragment_facts fragment_table::facts_of(std::span<std::byte const> frame, wire::layers const& found) {
  if (found.end > frame.size()) return {};
  auto made = found.l3 == wire::l3_kind::ipv4 ? facts_of_ipv4(frame, found) : facts_of_ipv6(frame, found);
  made.name.vlans = vlans_of(frame).number();
  return made;
}

fragment_table::fragment_facts fragment_table::facts_of_ipv4(std::span<std::byte const> frame,
                                                             wire::layers const& found) {
  wire::ipv4_view const ip{frame.data() + found.l3_offset};
  fragment_facts made;
  made.name = {.source = {0, ip.source().number},
               .destination = {0, ip.destination().number},
               .identification = ip.identification(),
               .protocol = static_cast<std::uint8_t>(ip.protocol()),
               .ip_version = 4};
  made.begin = ip.fragment_offset();
  made.head = made.at = found.l3_offset + ip.header_length();
  made.counted_from = found.l3_offset;
  made.is_last = !ip.more_fragments();
  made.is_sound = true;
  return made;
}

fragment_table::fragment_facts fragment_table::facts_of_ipv6(std::span<std::byte const> frame,
                                                             wire::layers const& found) {
  wire::ipv6_view const ip{frame.data() + found.l3_offset};
  constexpr std::size_t next_header_at = 6;
  constexpr std::size_t identification_at = 4;
  fragment_facts made;
  made.next_header = found.l3_offset + next_header_at;
  made.counted_from = found.l3_offset + ip.header_length;
  auto kind = ip.next_header();
  std::size_t at = found.l3_offset + ip.header_length;
  for (unsigned count = 0; count < wire::max_ipv6_extensions && wire::is_extension(kind); ++count) {
    wire::ipv6_extension_view const extension{frame.data() + at, kind};
    if (at > found.end || !extension.check_length(found.end - at)) return {};
    if (kind == wire::ip_protocol::fragment) {
      made.name = {.source = ip.source(),
                   .destination = ip.destination(),
                   .identification = wire::load_be<std::uint32_t>(frame.data() + at + identification_at),
                   .protocol = 0,
                   .ip_version = 6};
      made.protocol = static_cast<std::uint8_t>(extension.next_header());
      made.begin = extension.fragment_offset();
      made.head = at;
      made.at = at + extension.header_length();
      made.is_last = !extension.more_fragments();
      made.is_sound = true;
      return made;
    }
    made.next_header = at;
    kind = extension.next_header();
    at += extension.header_length();
  }
  return {};
}

void fragment_table::join(datagram const& whole, std::uint8_t ip_version) {
  joined_ = whole.head;
  for (auto const& piece : whole.fragments.pieces())
    joined_.insert(joined_.end(), piece.content.begin(), piece.content.end());
  bool const is_cut = joined_.size() > longest_frame;
  counts_.cut_short += is_cut ? 1 : 0;
  joined_.resize(std::min(joined_.size(), longest_frame));
  auto const length = joined_.size() - whole.ip_at;
  auto* const header = joined_.data() + whole.ip_at;
  if (ip_version == 4) {
    wire::ipv4_view const ip{header};
    ip.set_total_length(static_cast<std::uint16_t>(length));
    ip.set_fragment_word(0);
    ip.fill_checksum();
  } else {
    constexpr std::size_t payload_length_at = 4;
    using view = wire::ipv6_view<std::byte const>;
    wire::store_be<std::uint16_t>(header + payload_length_at, static_cast<std::uint16_t>(length - view::header_length));
  }
  if (is_cut) shorten_udp(joined_);
}

void fragment_table::make_room(std::uint64_t nanoseconds) {
  while (!ages_.empty()) {
    auto const oldest = datagrams_.find(ages_.front());
    bool const is_late = nanoseconds > oldest->second.since && nanoseconds - oldest->second.since > timeout;
    if (!is_late && datagrams_.size() < most_datagrams && bytes_ < most_bytes) return;
    counts_.given_up += oldest->second.fragments.pieces().size();
    erase(oldest);
  }
}

void fragment_table::erase(std::map<datagram_name, datagram>::iterator which) {
  bytes_ -= which->second.bytes;
  held_ -= which->second.fragments.pieces().size();
  ages_.erase(which->second.place);
  datagrams_.erase(which);
}

}  // namespace packetwarp::inspect
