// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/overlap.h"

#include <bit>

namespace packetwarp::flow {
namespace {

[[nodiscard]] std::uint32_t place_of(rules_word const& word) {
  return static_cast<std::uint32_t>(word.header) << 16 | word.offset;
}

// A packet has at most one of these.
constexpr std::uint32_t network_facts = rules_fact::ipv4 | rules_fact::ipv6;
constexpr std::uint32_t transport_facts = rules_fact::udp | rules_fact::tcp | rules_fact::icmp;

}  // namespace

overlap_index::overlap_index(std::span<rules_input const> all) {
  for (auto const& rule : all) {
    auto of = shape_of(rule);
    if (numbers_.try_emplace(of, shapes_.size()).second) shapes_.push_back(std::move(of));
  }
}

overlap_index::shape overlap_index::shape_of(rules_input const& rule) {
  shape made{.facts_mask = rule.facts_mask, .facts = rule.facts, .masks = {}};
  for (auto const& word : rule.words) made.masks[place_of(word.where)] |= word.where.mask;
  return made;
}

bool overlap_index::exclude_each_other(shape const& a, shape const& b) {
  if (((a.facts ^ b.facts) & a.facts_mask & b.facts_mask) != 0) return true;
  auto const wanted = a.facts | b.facts;
  return std::popcount(wanted & network_facts) > 1 || std::popcount(wanted & transport_facts) > 1;
}

overlap_index::key overlap_index::key_of(std::size_t asks, std::size_t answers, label under, rules_input const& rule,
                                         shape const& other) {
  key made{asks, answers, under};
  std::map<std::uint32_t, std::uint32_t> common;
  for (auto const& word : rule.words) {
    auto const place = place_of(word.where);
    auto const found = other.masks.find(place);
    if (found != other.masks.end()) common[place] |= word.value & found->second;
  }
  for (auto const& [place, value] : common) made.push_back(std::uint64_t{place} << 32 | value);
  return made;
}

void overlap_index::add(rules_input const& rule, label under) {
  auto const own = numbers_.at(shape_of(rule));
  for (std::size_t n = 0; n < shapes_.size(); ++n) {
    if (!exclude_each_other(shapes_[n], shapes_[own])) seen_.insert(key_of(n, own, under, rule, shapes_[n]));
  }
}

bool overlap_index::meets(rules_input const& rule, label under) const {
  auto const own = numbers_.at(shape_of(rule));
  for (std::size_t n = 0; n < shapes_.size(); ++n) {
    if (exclude_each_other(shapes_[n], shapes_[own])) continue;
    if (seen_.contains(key_of(own, n, under, rule, shapes_[n]))) return true;
  }
  return false;
}

std::size_t overlap_index::key_hash::operator()(key const& of) const noexcept {
  std::uint64_t mixed = of.size();
  for (auto const part : of) mixed = (std::rotl(mixed, 23) ^ part) * 0x9e37'79b9'7f4a'7c15ULL;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

}  // namespace packetwarp::flow
