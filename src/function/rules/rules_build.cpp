// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/rules/rules_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <span>

#include "base/error.h"
#include "function/rules/rules_match.h"

namespace packetwarp {
namespace {

using place = std::tuple<rules_header, std::uint16_t, std::uint32_t>;
// The properties that the rules of one tuple share.
using shape = std::tuple<std::uint32_t, std::uint32_t, std::vector<place>>;

[[nodiscard]] place place_of(rules_word const& word) { return {word.header, word.offset, word.mask}; }

[[nodiscard]] std::vector<rules_key_word> sorted_words(rules_input const& rule) {
  auto words = rule.words;
  std::sort(words.begin(), words.end(),
            [](auto const& a, auto const& b) { return place_of(a.where) < place_of(b.where); });
  return words;
}

[[nodiscard]] shape shape_of(rules_input const& rule) {
  std::vector<place> places;
  for (auto const& word : sorted_words(rule)) places.push_back(place_of(word.where));
  return {rule.facts_mask, rule.facts, std::move(places)};
}

}  // namespace

rules_build::rules_build(std::span<rules_input const> all, std::span<rules_port_input const> port_inputs,
                         std::span<std::uint32_t const> counters_in_use)
    : ports(max_rules_ports),
      counter_of(all.size(), rules_entry::none),
      sent_to(max_rules_ports),
      rank_of_(all.size()),
      line_of_(all.size()) {
  number_groups(all);
  number_counters(all, counters_in_use);
  for (std::size_t n = 0; n < all.size(); ++n) add_entry(all[n], n);
  for (auto const& [key, members] : members_) add_group(all, members);
  for (auto const& one : port_inputs) {
    if (one.port.value() >= max_rules_ports) continue;
    ports[one.port.value()].isolated = one.isolated ? 1 : 0;
  }
  for (std::uint16_t n = 0; n < max_rules_ports; ++n) {
    ports[n].transfer = group_of(rules_direction::transfer, port_id{n}, 0);
    ports[n].ingress = group_of(rules_direction::ingress, port_id{n}, 0);
    ports[n].egress = group_of(rules_direction::egress, port_id{n}, 0);
    if (ports[n].egress != 0) egress_ports |= std::uint64_t{1} << n;
    add_screens(ports[n]);
  }
}

void rules_build::number_groups(std::span<rules_input const> all) {
  for (std::size_t n = 0; n < all.size(); ++n) {
    auto const& rule = all[n];
    if (rule.port.value() >= max_rules_ports) {
      throw usage_error(
          fmt::format("flow rules of port {}: tables have ports 0 to {}", rule.port.value(), max_rules_ports - 1));
    }
    members_[{rule.direction, rule.port.value(), rule.group}].push_back(n);
  }
  // Position 0 of `groups` is the empty one; add_group appends in this order.
  std::uint32_t next = 1;
  for (auto& [key, members] : members_) {
    group_numbers_[key] = next++;
    std::stable_sort(members.begin(), members.end(), [&](auto a, auto b) { return all[a].priority < all[b].priority; });
    for (auto const n : members) rank_of_[n] = next_rank_++;
  }
}

// A rule has one counter, however many `count` actions it has. Counters that rules keep are not given to others.
void rules_build::number_counters(std::span<rules_input const> all, std::span<std::uint32_t const> in_use) {
  std::set<std::uint32_t> taken{in_use.begin(), in_use.end()};
  for (auto const& rule : all) taken.insert(rule.counter);
  std::uint32_t next = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    bool const counts = std::any_of(all[n].actions.begin(), all[n].actions.end(),
                                    [](auto const& action) { return action.verb == rules_verb::count; });
    if (!counts) continue;
    counter_of[n] = all[n].counter;
    if (counter_of[n] == rules_entry::none) {
      while (taken.contains(next)) ++next;
      counter_of[n] = next++;
    }
    counters = std::max(counters, counter_of[n] + 1);
  }
}

std::uint32_t rules_build::group_of(rules_direction direction, port_id port, std::uint32_t group) const {
  auto const found = group_numbers_.find({direction, port.value(), group});
  return found == group_numbers_.end() ? 0 : found->second;
}

void rules_build::add_entry(rules_input const& rule, std::size_t n) {
  rules_entry const made{.rank = rank_of_[n],
                         .next = rules_entry::none,
                         .ranges_at = static_cast<std::uint32_t>(ranges.size()),
                         .ranges = static_cast<std::uint16_t>(rule.ranges.size()),
                         .actions = static_cast<std::uint16_t>(rule.actions.size())};
  ranges.insert(ranges.end(), rule.ranges.begin(), rule.ranges.end());
  auto const bytes = sizeof made + rule.actions.size() * sizeof(rules_action);
  line_of_[n] = static_cast<std::uint32_t>(lines.size());
  lines.resize(lines.size() + (bytes + sizeof(rules_line) - 1) / sizeof(rules_line));
  auto* const at = reinterpret_cast<std::byte*>(&lines[line_of_[n]]);
  std::memcpy(at, &made, sizeof made);
  for (std::size_t i = 0; i < rule.actions.size(); ++i) {
    auto action = rule.actions[i];
    if (action.verb == rules_verb::jump) action.value = group_of(rule.direction, rule.port, action.value);
    if (action.verb == rules_verb::count) action.value = counter_of[n];
    if (action.verb == rules_verb::leave) sent_to[rule.port.value()] |= 1U << action.value;
    std::memcpy(at + sizeof made + i * sizeof action, &action, sizeof action);
  }
}

void rules_build::add_group(std::span<rules_input const> all, std::vector<std::size_t> const& members) {
  std::map<shape, std::vector<std::size_t>> by_shape;
  for (auto const n : members) by_shape[shape_of(all[n])].push_back(n);
  auto const first = static_cast<std::uint32_t>(tuples.size());
  for (auto const& [common, rules_of_it] : by_shape) add_tuple(all, rules_of_it);
  std::sort(tuples.begin() + first, tuples.end(),
            [](auto const& a, auto const& b) { return a.first_rank < b.first_rank; });
  groups.push_back({.tuples_at = first, .tuples = static_cast<std::uint32_t>(by_shape.size())});
}

namespace {

// Whether the tuple's rules may match packets that look plain (rules_packet.h), which may have none of these facts.
[[nodiscard]] bool is_for_plain(rules_tuple const& tuple) {
  return (tuple.facts & ~(rules_fact::ipv4 | rules_fact::udp | rules_fact::tcp)) == 0;
}

// The word that the machine loads from these 32 bits in network order.
[[nodiscard]] std::uint32_t as_it_lies(std::uint32_t word) {
  std::byte bytes[4];
  wire::store_be<std::uint32_t>(bytes, word);
  return rules_match::word_as_it_lies(bytes);
}

// The word, among the words that every plain packet has, that leaves the fewest values; nothing if none can be used.
[[nodiscard]] std::optional<rules_screen> best_screen(std::span<rules_word const> words, unsigned& number) {
  std::optional<rules_screen> best;
  for (unsigned n = 0; n < words.size(); ++n) {
    auto const header = words[n].header;
    auto const from = header == rules_header::l4   ? std::uint32_t{rules_packet::plain_l4_at}
                      : header == rules_header::l3 ? std::uint32_t{rules_packet::plain_l3_at}
                                                   : 0U;
    bool const is_there = header != rules_header::vlan && header != rules_header::inner_vlan;
    if (!is_there || from + words[n].offset + 4 > rules_packet::plain_bytes) continue;
    if (best && std::popcount(best->mask) >= std::popcount(words[n].mask)) continue;
    best = rules_screen{.mask = as_it_lies(words[n].mask), .at = from + words[n].offset};
    number = n;
  }
  return best;
}

[[nodiscard]] rules_screen for_every_packet() {
  rules_screen made;
  std::fill(std::begin(made.may_match), std::end(made.may_match), ~std::uint32_t{0});
  return made;
}

}  // namespace

// Adds to the screens the values of plain packets that a group's rules may match. False: none of the rules' words can
// be screened.
bool rules_build::screen(rules_group const& some, std::vector<rules_screen>& with) const {
  for (auto const& tuple : std::span{tuples}.subspan(some.tuples_at, some.tuples)) {
    if (!is_for_plain(tuple)) continue;
    unsigned number = 0;
    auto const wanted = best_screen(std::span{words}.subspan(tuple.words_at, tuple.words), number);
    if (!wanted) return false;
    auto at = std::find_if(with.begin(), with.end(),
                           [&](auto const& one) { return one.mask == wanted->mask && one.at == wanted->at; });
    if (at == with.end()) at = with.insert(at, *wanted);
    for (std::uint32_t slot = 0; slot <= tuple.slot_mask; ++slot) {
      auto const* const stored = &slots[tuple.slots_at + std::size_t{slot} * (1 + tuple.words)];
      if (stored[0] == 0) continue;
      auto const bit = rules_match::number_in_screen(as_it_lies(stored[1 + number]));
      at->may_match[bit / 32] |= 1U << bit % 32;
    }
  }
  return true;
}

// More than a few screens cost as much as the tuples themselves.
void rules_build::add_screens(rules_port& to) {
  std::vector<rules_screen> made;
  bool const all_tell = screen(groups[to.transfer], made) && screen(groups[to.ingress], made);
  if (!all_tell || made.size() > rules_screen::most || to.isolated != 0) made = {for_every_packet()};
  to.screens_at = static_cast<std::uint32_t>(screens.size());
  to.screens = static_cast<std::uint32_t>(made.size());
  screens.insert(screens.end(), made.begin(), made.end());
}

void rules_build::add_tuple(std::span<rules_input const> all, std::vector<std::size_t> const& members) {
  auto const& model = all[members.front()];
  auto const places = sorted_words(model);
  if (places.size() > max_rules_words) throw usage_error("a flow rule looks at more header words than tables have");
  rules_tuple tuple{.facts_mask = static_cast<std::uint16_t>(model.facts_mask),
                    .facts = static_cast<std::uint16_t>(model.facts),
                    .first_rank = rank_of_[members.front()],
                    .first_word = places.empty() ? rules_word{} : places.front().where,
                    .words_at = static_cast<std::uint32_t>(words.size()),
                    .words = static_cast<std::uint32_t>(places.size()),
                    .slots_at = static_cast<std::uint32_t>(slots.size()),
                    .slot_mask = static_cast<std::uint32_t>(std::bit_ceil(2 * members.size()) - 1)};
  for (auto const& word : places) words.push_back(word.where);
  std::size_t const stride = 1 + places.size();
  slots.resize(slots.size() + stride * (std::size_t{tuple.slot_mask} + 1));
  tuples.push_back(tuple);
  for (auto const n : members) {
    std::vector<std::uint32_t> key;
    std::uint64_t hash = 0;
    for (auto const& word : sorted_words(all[n])) {
      key.push_back(word.value & word.where.mask);
      hash = rules_match::hash_step(hash, key.back());
    }
    std::size_t probes = 1;
    for (auto slot = rules_match::hash_end(hash) & tuple.slot_mask;; slot = (slot + 1) & tuple.slot_mask, ++probes) {
      most_probes = std::max(most_probes, probes);
      auto* const stored = &slots[tuple.slots_at + slot * stride];
      if (stored[0] == 0) {
        stored[0] = line_of_[n] + 1;
        std::copy(key.begin(), key.end(), stored + 1);
        break;
      }
      if (!std::equal(key.begin(), key.end(), stored + 1)) continue;
      // Members come in the order of their ranks, so a chain is in that order, too.
      auto last = stored[0] - 1;
      while (entry(last).next != rules_entry::none) last = entry(last).next;
      entry(last).next = line_of_[n];
      break;
    }
  }
}

}  // namespace packetwarp
