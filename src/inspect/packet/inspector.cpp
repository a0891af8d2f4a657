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
  tracked_stream* stream = nullptr;
  if (packet.kind == packet_kind::tcp && packet.has_flow && packet.has_transport) {
    auto& flow = flows_.last_flow();
    stream = streams_.follow(flow.stream,
                             {.place = flows_.last_place(),
                              .direction = flows_.last_direction(),
                              .is_new = flows_.last_is_new(),
                              .has_begun = flow.stage >= tcp_stage::established,
                              .is_two_way = flow.seen == 3},
                             packet, segments_);
  }
  (void)read_tls(packet, name_);
  receiver to{*this,
              {.rule = 0,
               .packet = packet,
               .protocol = facts.protocol,
               .flow = packet.has_flow ? flows_.last_key() : 0,
               .time = nanoseconds,
               .number = counts_.packets,
               .vlans = vlans},
              bits};
  judge_.judge(packet, stream, flows_.last_direction(), bits, to);
  if (packet.has_flow && flows_.last_flow().is_bypassed != 0) {
    streams_.drop(flows_.last_place());
  } else if (stream != nullptr) {
    streams_.charge(*stream, segments_);
  }
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
