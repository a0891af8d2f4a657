// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/inspector.h"

#include <algorithm>

#include "inspect/http/text.h"
#include "inspect/match/groups.h"
#include "inspect/match/header.h"
#include "inspect/match/payload.h"
#include "inspect/packet/dns_name.h"
#include "inspect/packet/read_packet.h"
#include "inspect/packet/tls_name.h"
#include "wire/parse.h"

namespace packetwarp::inspect {

inspector::inspector(ruleset const& rules, std::size_t count, hash_key const& key, inspector_sizes sizes)
    : rules_{rules.ref()},
      windows_{rules_},
      regexes_{rules.regexes()},
      flows_{sizes.flows, rules_.header().flowbits, key},
      streams_{sizes.streams, sizes.stream_bytes},
      rates_{sizes.rates},
      by_rule_(count),
      last_seen_(rules_.header().rules.count),
      kept_at_(rules_.header().rules.count) {}

std::vector<inspect_alert> const& inspector::inspect(std::span<std::byte const> frame, std::uint32_t length,
                                                     std::uint64_t nanoseconds) {
  constexpr std::uint64_t nanoseconds_per_epoch = 1'000'000;
  alerts_.clear();
  ++counts_.packets;
  if (begin_ == 0) begin_ = nanoseconds;
  if (nanoseconds > begin_) epoch_ = std::max(epoch_, (nanoseconds - begin_) / nanoseconds_per_epoch + 1);
  inspect_frame(frame, length, nanoseconds);
  auto const found = wire::parse(frame.data(), frame.size(), length);
  if (found.fragment == wire::fragment_kind::whole) return alerts_;
  auto const whole = fragments_.add(frame, found, nanoseconds);
  if (!whole.empty()) inspect_frame(whole, static_cast<std::uint32_t>(whole.size()), nanoseconds);
  return alerts_;
}

void inspector::inspect_frame(std::span<std::byte const> frame, std::uint32_t length, std::uint64_t nanoseconds) {
  auto const facts = feature::facts_of(frame.data(), static_cast<std::uint32_t>(frame.size()), length);
  auto packet = read_packet(frame, length, facts);
  if (packet.ip_version == 0) {
    ++counts_.without_ip;
    return;
  }
  if (packet.is_fragment) ++counts_.fragments;
  if (packet.payload_size < packet.payload_length) ++counts_.cut_short;
  auto const untracked = flows_.counts().untracked;
  // A fragment has no ports, so no flow is its own.
  auto* const bits = packet.is_fragment ? nullptr : flows_.follow(facts, epoch_, packet);
  if (flows_.counts().untracked != untracked) ++counts_.without_flow;
  read_dns(packet, name_);
  auto* const stream = follow_stream(packet);
  read_tls(packet, name_);
  inspect_alert of{.rule = 0,
                   .packet = packet,
                   .protocol = facts.protocol,
                   .flow = packet.has_flow ? flows_.last_key() : 0,
                   .time = nanoseconds,
                   .number = counts_.packets};
  is_passed_ = false;
  budget_ = search_budget{packet.payload_size + packet.stream.size};
  find_candidates(packet, stream);
  if (stream != nullptr) inspect_messages(packet, *stream, bits, of);
  if (packet.http == nullptr) judge(packet, bits, of, scope::all, nullptr);
  if (stream != nullptr) streams_.charge(*stream);
}

tracked_stream* inspector::follow_stream(inspected_packet& packet) {
  constexpr std::byte handshake{22};
  if (packet.kind != packet_kind::tcp || !packet.has_flow || !packet.has_transport) return nullptr;
  auto& flow = flows_.last_flow();
  auto const place = flows_.last_place();
  auto const direction = flows_.last_direction();
  if (flows_.last_is_new()) streams_.drop(place);
  bool const begins_tls =
      packet.payload_size > 5 && packet.payload[0] == handshake && packet.payload[1] == std::byte{3};
  if (begins_tls) flow.is_tls = 1;
  packet.is_tls = flow.is_tls != 0;
  auto* stream = flow.has_stream != 0 ? streams_.find(place) : nullptr;
  bool const has_ack = (packet.tcp_flags & wire::tcp_flag::ack) != 0;
  if (stream != nullptr && has_ack) stream->sides[1 - direction].acknowledge(packet.acknowledgment);
  if (packet.payload_size == 0) return nullptr;
  bool const has_syn = (packet.tcp_flags & wire::tcp_flag::syn) != 0;
  bool const has_begun = has_syn || flow.stage >= tcp_stage::established;
  if (!has_begun || (flow.has_number & 1U << direction) == 0) {
    ++segments_.without_begin;
    return nullptr;
  }
  if (stream == nullptr && flow.has_stream != 0) {
    ++segments_.given_up;
    return nullptr;
  }
  if (stream == nullptr) stream = &streams_.begin(place);
  flow.has_stream = 1;
  auto& side = stream->sides[direction];
  if (!side.has_begun()) side.begin(flow.first_numbers[direction]);
  side.add(packet.sequence + (has_syn ? 1 : 0), packet, segments_);
  packet.is_http = stream->http[0].is_http() || stream->http[1].is_http();
  return stream;
}

void inspector::find_candidates(inspected_packet const& packet, tracked_stream* stream) {
  ++list_;
  candidates_.clear();
  bool const may_be_http =
      stream != nullptr && (packet.is_http || stream->http[0].is_reading() || stream->http[1].is_reading());
  classes_ = packet_class(packet.kind, way_of(packet), may_be_http ? http_chance::some : http_chance::none);
  auto* const side = stream == nullptr ? nullptr : &stream->sides[flows_.last_direction()];
  bool const is_added = side != nullptr && side->added().size() == packet.payload_size;
  if (!is_added || packet.differs_from_stream) search({packet.payload, packet.payload_size});
  if (side != nullptr) search_stream(packet, *side);
  // A name in a payload has lengths between its labels, and no dots.
  search({packet.dotted_name, packet.dotted_name_size});
  counts_.candidates += candidates_.size();
}

void inspector::search_stream(inspected_packet const& packet, stream_side& side) {
  constexpr std::uint32_t longest = window_bytes(0);
  if (packet.stream.size == packet.carried) return;
  auto& kept = side.found;
  std::erase_if(kept, [&](auto const& one) { return one.end <= side.window_begin(); });
  for (std::uint32_t i = 0; i < kept.size(); ++i) {
    add_candidate(kept[i].rule);
    kept_at_[kept[i].rule] = i;
  }
  auto const from = packet.carried < longest ? 0 : packet.carried - longest + 1;
  windows_.search(packet.stream, from, classes_, [&](std::uint32_t place, std::uint32_t position) {
    add_candidate(place);
    if (static_cast<stream_use>(rules_.rule(place).stream) == stream_use::packet) return;
    auto const end = side.window_begin() + position + longest;
    auto& at = kept_at_[place];
    if (at < kept.size() && kept[at].rule == place) {
      kept[at].end = end;
    } else if (kept.size() < stream_side::most_found) {
      at = static_cast<std::uint32_t>(kept.size());
      kept.push_back({place, end});
    } else {
      ++segments_.literals_not_kept;
    }
  });
}

void inspector::add_candidate(std::uint32_t place) {
  if (last_seen_[place] == list_) return;
  last_seen_[place] = list_;
  candidates_.push_back(place);
}

void inspector::search(text_view text, std::uint32_t from) {
  windows_.search(text, from, classes_, [&](std::uint32_t place, std::uint32_t) { add_candidate(place); });
}

void inspector::inspect_messages(inspected_packet& packet, tracked_stream& stream, std::uint64_t* bits,
                                 inspect_alert& of) {
  auto const kind = packet.is_to_server ? 0U : 1U;
  auto& side = stream.sides[flows_.last_direction()];
  auto& reader = stream.http[kind];
  auto& rules = stream.rules[kind];
  if (side.has_gap()) reader.lose();
  auto const& asked = stream.http[0].message().buffer(rule_buffer::http_method);
  if (kind == 1) reader.expect_no_body(detail::is_word(asked, "head"));
  auto bytes = side.added();
  while (!bytes.empty() && reader.is_reading() && !is_passed_) {
    bool const has_news = reader.take(bytes, messages_);
    if (reader.has_begun()) rules = {};
    if (!has_news) continue;
    bool const is_first = packet.http == nullptr;
    packet.is_http = true;
    packet.http = &reader.message();
    if (is_first) {
      of_packet_ = candidates_;
    } else {
      ++list_;
      candidates_.clear();
      for (auto const place : of_packet_) add_candidate(place);
    }
    find_in_message(reader, rules);
    budget_.grow(reader.message().body().size);
    judge(packet, bits, of, is_first ? scope::all : scope::message, &rules);
  }
}

void inspector::find_in_message(http_reader const& reader, message_rules const& rules) {
  using enum rule_buffer;
  constexpr std::uint32_t longest = window_bytes(0);
  for (auto const place : rules.waiting) add_candidate(place);
  auto const& message = reader.message();
  if (reader.has_new_head()) {
    for (auto const buffer : {http_uri, http_host_dotted, http_header_names, http_cookie, http_start})
      search(message.buffer(buffer));
    if (!message.is_header_as_sent) search(message.buffer(http_header));
    if (message.buffer(http_start).bytes == nullptr) search(message.buffer(http_request_line));
  }
  auto const added = reader.new_body();
  if (added.size == 0) return;
  auto const body = message.buffer(message.kind == http_kind::request ? http_request_body : http_response_body);
  auto const old = body.size - added.size;
  search(body, old < longest ? 0 : old - longest + 1);
}

void inspector::add_unfiltered(section const& list) {
  auto const old = judged_.size();
  auto const* first = rules_.at<std::uint32_t>(list);
  judged_.insert(judged_.end(), first, first + list.count);
  merge_judged(old);
}

void inspector::add_group(inspected_packet const& packet) {
  auto const old = judged_.size();
  for_each_in_group(rules_, packet, [&](std::uint32_t place) { judged_.push_back(place); });
  merge_judged(old);
}

void inspector::merge_judged(std::size_t old) {
  if (old == 0 || old == judged_.size()) return;
  std::inplace_merge(judged_.begin(), judged_.begin() + static_cast<std::ptrdiff_t>(old), judged_.end());
}

void inspector::judge(inspected_packet const& packet, std::uint64_t* bits, inspect_alert const& of, scope which,
                      message_rules* message) {
  constexpr std::size_t most_waiting = 1024;
  judged_ = candidates_;
  std::sort(judged_.begin(), judged_.end());
  if (which == scope::all) add_group(packet);
  if (message != nullptr) add_unfiltered(rules_.header().unfiltered_http);
  if (message != nullptr) message->waiting.clear();
  for (auto const place : judged_) {
    auto const& rule = rules_.rule(place);
    bool const is_of_message = rule.http_buffers != 0;
    if (is_of_message ? message == nullptr : which == scope::message) continue;
    if (is_of_message && std::find(message->matched.begin(), message->matched.end(), place) != message->matched.end())
      continue;
    if (!matches(rule, packet, bits)) {
      if (is_of_message && message->waiting.size() < most_waiting) message->waiting.push_back(place);
      continue;
    }
    if (is_of_message) message->matched.push_back(place);
    ++by_rule_[rule.number].matches;
    change_bits(rule, bits);
    is_passed_ = static_cast<rule_action>(rule.action) == rule_action::pass;
    if (is_passed_) return;
    report(rule, of);
  }
}

bool inspector::matches(compiled_rule const& rule, inspected_packet const& packet, std::uint64_t const* bits) {
  if (!matches_header(rules_, rule, packet) || !has_bits(rule, bits)) return false;
  auto const result = matches_payload(rules_, rule, packet, budget_,
                                      [this](auto number, auto const* text, auto length, auto& begin, auto& end) {
                                        return regexes_.match(number, text, length, begin, end);
                                      });
  if (result == chain_result::out_of_steps) ++counts_.out_of_steps;
  if (result == chain_result::out_of_bytes) ++counts_.out_of_bytes;
  return result == chain_result::match;
}

bool inspector::has_bits(compiled_rule const& rule, std::uint64_t const* bits) const {
  auto const* uses = rules_.at<compiled_bit_use>(rules_.header().bit_uses) + rule.bit_uses.offset;
  for (std::uint32_t i = 0; i < rule.bit_uses.count; ++i) {
    auto const what = static_cast<flowbit_operation>(uses[i].what);
    if (what != flowbit_operation::is_set && what != flowbit_operation::is_not_set) continue;
    auto const* numbers = rules_.at<std::uint32_t>(rules_.header().bit_numbers) + uses[i].numbers.offset;
    // A packet without a flow has no bits: neither is known of it.
    if (bits == nullptr) return false;
    bool const wanted = what == flowbit_operation::is_set;
    bool const has_one = std::any_of(numbers, numbers + uses[i].numbers.count, [&](std::uint32_t bit) {
      return ((bits[bit / 64] >> (bit % 64) & 1) != 0) == wanted;
    });
    if (!has_one) return false;
  }
  return true;
}

void inspector::change_bits(compiled_rule const& rule, std::uint64_t* bits) const {
  if (bits == nullptr) return;
  auto const* uses = rules_.at<compiled_bit_use>(rules_.header().bit_uses) + rule.bit_uses.offset;
  for (std::uint32_t i = 0; i < rule.bit_uses.count; ++i) {
    auto const bit = rules_.at<std::uint32_t>(rules_.header().bit_numbers)[uses[i].numbers.offset];
    auto& word = bits[bit / 64];
    auto const mask = std::uint64_t{1} << (bit % 64);
    switch (static_cast<flowbit_operation>(uses[i].what)) {
      case flowbit_operation::set:
        word |= mask;
        break;
      case flowbit_operation::unset:
        word &= ~mask;
        break;
      case flowbit_operation::toggle:
        word ^= mask;
        break;
      default:
        break;
    }
  }
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
