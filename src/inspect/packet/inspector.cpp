// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/inspector.h"

#include <algorithm>

#include "inspect/compiled/prefilter.h"
#include "inspect/match/chain.h"
#include "inspect/match/header.h"
#include "inspect/packet/dns_name.h"
#include "inspect/packet/read_packet.h"
#include "inspect/packet/tls_name.h"

namespace packetwarp::inspect {

inspector::inspector(ruleset const& rules, std::size_t count, hash_key const& key, inspector_sizes sizes)
    : rules_{rules.ref()},
      regexes_{rules.regexes()},
      flows_{sizes.flows, rules_.header().flowbits, key},
      rates_{sizes.rates},
      by_rule_(count),
      last_seen_(rules_.header().rules.count) {}

std::vector<inspect_alert> const& inspector::inspect(std::span<std::byte const> frame, std::uint32_t length,
                                                     std::uint64_t nanoseconds) {
  constexpr std::uint64_t nanoseconds_per_epoch = 1'000'000;
  alerts_.clear();
  ++counts_.packets;
  if (begin_ == 0) begin_ = nanoseconds;
  if (nanoseconds > begin_) epoch_ = std::max(epoch_, (nanoseconds - begin_) / nanoseconds_per_epoch + 1);
  auto const facts = feature::facts_of(frame.data(), static_cast<std::uint32_t>(frame.size()), length);
  auto packet = read_packet(frame, length, facts);
  if (packet.ip_version == 0) {
    ++counts_.without_ip;
    return alerts_;
  }
  if (packet.is_fragment) ++counts_.fragments;
  if (packet.payload_size < packet.payload_length) ++counts_.cut_short;
  auto const untracked = flows_.counts().untracked;
  // A fragment has no ports, so no flow is its own.
  auto* const bits = packet.is_fragment ? nullptr : flows_.follow(facts, epoch_, packet);
  if (flows_.counts().untracked != untracked) ++counts_.without_flow;
  read_dns(packet, name_);
  read_tls(packet, name_);
  find_candidates(packet);
  judge(packet, bits,
        {.rule = 0,
         .packet = packet,
         .protocol = facts.protocol,
         .flow = packet.has_flow ? flows_.last_key() : 0,
         .time = nanoseconds,
         .number = counts_.packets});
  return alerts_;
}

void inspector::find_candidates(inspected_packet const& packet) {
  auto const& unfiltered = rules_.header().unfiltered[static_cast<std::size_t>(packet.kind)];
  auto const* first = rules_.at<std::uint32_t>(unfiltered);
  candidates_.assign(first, first + unfiltered.count);
  auto const without_literal = candidates_.size();
  search(packet.payload, packet.payload_size);
  // A name in a payload has lengths between its labels, and no dots.
  search(packet.dotted_name, packet.dotted_name_size);
  counts_.candidates += candidates_.size() - without_literal;
  std::sort(candidates_.begin(), candidates_.end());
}

void inspector::search(std::byte const* bytes, std::uint32_t size) {
  for (std::uint32_t position = 0; position < size; ++position) {
    search_windows(rules_, bytes, size, position, [&](std::uint32_t place) {
      if (last_seen_[place] == counts_.packets) return;
      last_seen_[place] = counts_.packets;
      candidates_.push_back(place);
    });
  }
}

void inspector::judge(inspected_packet const& packet, std::uint64_t* bits, inspect_alert const& of) {
  for (auto const place : candidates_) {
    auto const& rule = rules_.rule(place);
    if (!matches(rule, packet, bits)) continue;
    ++by_rule_[rule.number].matches;
    change_bits(rule, bits);
    if (static_cast<rule_action>(rule.action) == rule_action::pass) return;
    report(rule, of);
  }
}

bool inspector::matches(compiled_rule const& rule, inspected_packet const& packet, std::uint64_t const* bits) {
  if (!matches_header(rules_, rule, packet) || !has_bits(rule, bits)) return false;
  auto const name_size = packet.dotted_name_size == 0 ? 0 : packet.dotted_name_size - 1;
  return has_matches(rule.checks, packet.payload, packet.payload_size) &&
         has_matches(rule.name_checks, packet.dotted_name + (name_size == 0 ? 0 : 1), name_size) &&
         has_matches(rule.dotted_checks, packet.dotted_name, packet.dotted_name_size);
}

bool inspector::has_matches(section const& chain, std::byte const* bytes, std::uint32_t size) {
  auto const result = matches_chain(rules_, chain, bytes, size,
                                    [this](auto number, auto const* text, auto length, auto& begin, auto& end) {
                                      return regexes_.match(number, text, length, begin, end);
                                    });
  if (result == chain_result::out_of_steps) ++counts_.out_of_steps;
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
