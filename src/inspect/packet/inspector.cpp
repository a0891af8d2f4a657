// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/inspector.h"

#include <algorithm>

#include "inspect/packet/dns_name.h"
#include "inspect/packet/flow_marks.h"
#include "inspect/packet/tls_name.h"
#include "wire/ipv6_extension.h"
#include "wire/parse.h"

namespace packetwarp::inspect {

inspector::inspector(ruleset const& rules, std::size_t count, hash_key const& key, inspector_sizes sizes)
    : rules_{rules.ref()},
      checksums_{sizes.checksums},
      regexes_{rules.regexes()},
      flows_{sizes.flows, rules_.header().flowbits, key},
      streams_{sizes.streams, sizes.stream_bytes},
      rates_{sizes.rates},
      by_rule_(count),
      judge_{rules_, regexes_} {}

std::vector<inspect_alert> const& inspector::inspect(std::span<std::byte const> frame, std::uint32_t length,
                                                     std::uint64_t nanoseconds) {
  constexpr std::uint64_t nanoseconds_per_epoch = 1'000'000;
  alerts_.clear();
  ++counts_.packets;
  if (begin_ == 0) begin_ = nanoseconds;
  if (nanoseconds > begin_) epoch_ = std::max(epoch_, (nanoseconds - begin_) / nanoseconds_per_epoch + 1);
  inspect_frame(frame, length, nanoseconds, frame_origin::received);
  auto const found = wire::parse(frame.data(), frame.size(), length);
  if (found.fragment == wire::fragment_kind::whole || is_wrong(frame, length)) return alerts_;
  auto const whole = fragments_.add(frame, found, nanoseconds);
  if (!whole.empty())
    inspect_frame(whole, static_cast<std::uint32_t>(whole.size()), nanoseconds, frame_origin::put_together);
  return alerts_;
}

void inspector::inspect_frame(std::span<std::byte const> frame, std::uint32_t length, std::uint64_t nanoseconds,
                              frame_origin origin) {
  auto const facts = feature::facts_of(frame.data(), static_cast<std::uint32_t>(frame.size()), length);
  auto packet = read_packet(frame, length, facts);
  if (packet.ip_version == 0) {
    ++counts_.without_ip;
    return;
  }
  packet.came_in_fragments = origin == frame_origin::put_together;
  if (packet.is_fragment) ++counts_.fragments;
  bool const ends_in_extension = facts.ip_version == 6 && wire::is_extension(wire::ip_protocol{facts.protocol});
  if (ends_in_extension && !packet.is_fragment) ++counts_.unread_extensions;
  auto const untracked = flows_.counts().untracked;
  // A fragment has no ports, so no flow is its own.
  bool const is_wrong_one = is_wrong(frame, length);
  counts_.wrong_checksums += is_wrong_one ? 1 : 0;
  auto const vlans = vlans_of(frame);
  bool const has_flow = !packet.is_fragment && !is_wrong_one;
  auto* const bits = has_flow ? flows_.follow(facts, vlans.number(), epoch_, packet) : nullptr;
  if (flows_.counts().untracked != untracked) ++counts_.without_flow;
  bool const is_bypassed = packet.has_flow && flows_.last_flow().is_bypassed != 0;
  // Another connection may begin with a SYN.
  if (is_bypassed && !(packet.kind == packet_kind::tcp && asks_for_connection(packet.tcp_flags))) {
    ++counts_.bypassed;
    return;
  }
  if (packet.payload_size < packet.payload_length) ++counts_.cut_short;
  read_dns(packet, name_);
  inspect_alert of{.rule = 0,
                   .packet = packet,
                   .protocol = facts.protocol,
                   .flow = packet.has_flow ? flows_.last_key() : 0,
                   .time = nanoseconds,
                   .number = counts_.packets,
                   .vlans = vlans};
  if (packet.kind == packet_kind::tcp && packet.has_flow && packet.has_transport)
    return inspect_segment(of, bits, signs_in_frame(frame, length));
  judge(of, bits, flows_.last_direction(), nullptr);
}

void inspector::inspect_segment(inspect_alert& of, std::uint64_t* bits, segment_signs const& signs) {
  auto& flow = flows_.last_flow();
  stream_flow const facts{.place = flows_.last_place(),
                          .direction = flows_.last_direction(),
                          .is_new = flows_.last_is_new(),
                          .has_begun = flow.stage >= tcp_stage::established,
                          .is_two_way = flow.seen == 3,
                          .signs = signs};
  auto* const stream = streams_.follow(flow.stream, facts, of.packet, segments_);
  judge(of, bits, facts.direction, stream);
  if (flow.is_bypassed != 0) return streams_.drop(facts.place);
  note_held(of, bits, stream);
  if (stream != nullptr) streams_.charge(*stream, segments_);
  if (!streams_.has_acknowledged_held()) return;
  auto held = of;
  held.packet = turned(of.packet);
  auto& received = streams_.follow_held(facts.direction, held.packet, segments_);
  judge_bytes(held, bits, 1 - facts.direction, received);
  if (flow.is_bypassed != 0) return streams_.drop(facts.place);
  streams_.charge(received, segments_);
}

void inspector::note_held(inspect_alert const& of, std::uint64_t* bits, tracked_stream const* stream) {
  auto const direction = flows_.last_direction();
  std::pair const key{flows_.last_place(), direction};
  if (stream == nullptr) return;
  if (!stream->sides[direction].has_held()) {
    if (!held_.empty()) held_.erase(key);
    return;
  }
  auto& noted = held_[key];
  noted = {of, bits};
  // Twice: without the payload, which is another packet's soon.
  noted.of.packet = turned(turned(of.packet));
}

std::vector<inspect_alert> const& inspector::finish() {
  alerts_.clear();
  for (auto const& [key, one] : held_) {
    auto const [place, direction] = key;
    for (bool is_there = true; is_there;) {
      auto of = one.of;
      auto* const stream = streams_.follow_rest(place, direction, of.packet, segments_);
      is_there = stream != nullptr;
      if (is_there) judge_bytes(of, one.bits, direction, *stream);
    }
  }
  held_.clear();
  return alerts_;
}

void inspector::judge_bytes(inspect_alert& of, std::uint64_t* bits, std::uint32_t direction, tracked_stream& stream) {
  (void)read_tls(of.packet, name_);
  receiver to{*this, of, bits};
  judge_.judge_bytes(of.packet, stream, direction, bits, to);
}

void inspector::judge(inspect_alert& of, std::uint64_t* bits, std::uint32_t direction, tracked_stream* stream) {
  (void)read_tls(of.packet, name_);
  receiver to{*this, of, bits};
  judge_.judge(of.packet, stream, direction, bits, to);
}

void inspector::receiver::take(compiled_rule const& rule) {
  ++inspector_.by_rule_[rule.number].matches;
  bool const may_alert = static_cast<rule_action>(rule.action) != rule_action::pass &&
                         alerts_in_scope(inspector_.rules_, rule, of_.packet, bits_);
  if (may_alert) inspector_.report(rule, of_);
  if (rule.bypasses != 0 && of_.packet.has_flow) inspector_.bypass();
}

void inspector::bypass() {
  auto& flow = flows_.last_flow();
  if (flow.is_bypassed == 0) ++counts_.flows_bypassed;
  flow.is_bypassed = 1;
}

void inspector::report(compiled_rule const& rule, inspect_alert of) {
  auto const* rates = rules_.at<compiled_rate>(rules_.header().rates);
  bool is_allowed = true;
  for (std::uint32_t i = 0; i < rule.rates.count; ++i) {
    auto const place = rule.rates.offset + i;
    is_allowed = rates_.allows(rates[place], place, of.packet, of.flow, of.time) && is_allowed;
  }
  if (!is_allowed || rule.is_silent != 0) return;
  ++by_rule_[rule.number].alerts;
  of.rule = rule.number;
  alerts_.push_back(of);
}

}  // namespace packetwarp::inspect
