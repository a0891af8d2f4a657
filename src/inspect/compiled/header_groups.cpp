// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/header_groups.h"

#include <algorithm>
#include <map>
#include <set>

namespace packetwarp::inspect {
namespace {

using row = std::vector<std::uint64_t>;

[[nodiscard]] bool may_match(compiled_rule const& rule, packet_way way) {
  auto const direction = static_cast<direction_need>(rule.direction);
  if (direction == direction_need::any) return true;
  return way == (direction == direction_need::to_server ? packet_way::to_server : packet_way::to_client);
}

// As detail::has_flow_state() of the matcher, which is asked again.
[[nodiscard]] bool may_match(compiled_rule const& rule, packet_kind kind, packet_way way, packet_moment moment) {
  if (!may_match(static_cast<rule_protocol>(rule.protocol), kind) || !may_match(rule, way)) return false;
  if (rule.name_checks.count + rule.dotted_checks.count != 0 && !moment.may_ask_name) return false;
  bool const has_flow = way != packet_way::none;
  bool const is_once = static_cast<rule_scope>(rule.scope) == rule_scope::directions;
  if (is_once && has_flow && !moment.begins_direction) return false;
  auto const connection = static_cast<connection_need>(rule.connection);
  if (connection == connection_need::any) return true;
  return has_flow && (connection == connection_need::established) == moment.is_established;
}

[[nodiscard]] bool needs_http(compiled_rule const& rule) {
  return rule.http_buffers != 0 || static_cast<rule_protocol>(rule.protocol) == rule_protocol::http;
}

void set(row& bits, std::size_t bit) { bits[bit / 64] |= std::uint64_t{1} << (bit % 64); }
void flip(row& bits, std::size_t bit) { bits[bit / 64] ^= std::uint64_t{1} << (bit % 64); }

// The rows, each kept once.
class row_store {
 public:
  explicit row_store(header_group_parts const& of) : of_{of} {}
  [[nodiscard]] std::uint32_t number_of(row one) {
    for (std::uint32_t word = 0; word < of_.words; ++word) {
      if (one[word] != 0) set(one, std::size_t{of_.summary} * 64 + word);
    }
    auto const [found, is_new] = numbers_.try_emplace(one, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) bits_.insert(bits_.end(), one.begin(), one.end());
    return found->second;
  }
  [[nodiscard]] row empty() const { return row(of_.row_words); }
  [[nodiscard]] std::vector<std::uint64_t> take() { return std::move(bits_); }

 private:
  header_group_parts const& of_;
  std::map<row, std::uint32_t> numbers_;
  std::vector<std::uint64_t> bits_;
};

struct number_range {
  std::uint32_t first;
  std::uint32_t last;
};

// A bit of the rows, and the numbers that it is set for.
struct bit_ranges {
  std::size_t bit;
  std::vector<number_range> ranges;
};

void fill_axis(std::vector<bit_ranges> const& all, std::uint64_t last, row_store& store,
               std::vector<std::uint32_t>& begins, std::vector<std::uint32_t>& rows) {
  // The bits that change at a number.
  std::map<std::uint64_t, std::vector<std::size_t>> changes{{0, {}}};
  for (auto const& [bit, ranges] : all) {
    std::map<std::uint64_t, int> edges;
    for (auto const& [first, end] : ranges) {
      ++edges[first];
      --edges[std::uint64_t{end} + 1];
    }
    int inside = 0;
    for (auto const& [at, change] : edges) {
      bool const was_inside = inside != 0;
      inside += change;
      if ((inside != 0) != was_inside && at <= last) changes[at].push_back(bit);
    }
  }
  auto bits = store.empty();
  for (auto const& [at, changing] : changes) {
    for (auto const bit : changing) flip(bits, bit);
    begins.push_back(static_cast<std::uint32_t>(at));
    rows.push_back(store.number_of(bits));
  }
}

template <class Set>
void append(std::vector<number_range>& to, Set const& from) {
  for (auto const& [first, last] : from.intervals())
    to.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)});
}

// The ranges of an axis: of each grouped rule, whose two sets may be exchanged if it is bidirectional, and, from bit
// `first_set` on, of each set by which a rule asks on this axis.
[[nodiscard]] std::vector<bit_ranges> ranges_of_axis(rule_set const& rules, std::vector<std::uint32_t> const& order,
                                                     std::vector<std::uint32_t> const& places, std::size_t first_set,
                                                     std::uint32_t axis) {
  bool const is_port = axis >= group_axis_ports;
  bool const is_source = axis % 2 == 0;
  auto const append_set = [&](std::vector<number_range>& to, std::uint32_t number) {
    if (is_port) return append(to, rules.ports[number]);
    append(to, rules.addresses[number].ipv4);
  };
  auto const for_sets = [&](rule const& one, auto&& call) {
    for (bool const of_source : {true, false}) {
      if (of_source != is_source && !one.is_bidirectional) continue;
      if (is_port) {
        call(of_source ? one.source_port : one.destination_port);
      } else {
        call(of_source ? one.source : one.destination);
      }
    }
  };
  std::vector<bit_ranges> made;
  if (places.empty()) return made;  // packets need no rows
  for (std::size_t bit = 0; bit < places.size(); ++bit) {
    made.push_back({bit, {}});
    for_sets(rules.rules[order[places[bit]]], [&](std::uint32_t number) { append_set(made.back().ranges, number); });
  }
  std::set<std::uint32_t> asked;
  for (auto const number : order) for_sets(rules.rules[number], [&](std::uint32_t one) { asked.insert(one); });
  for (auto const number : asked) {
    made.push_back({first_set + number, {}});
    append_set(made.back().ranges, number);
  }
  return made;
}

}  // namespace

bool may_match(rule_protocol protocol, packet_kind kind) {
  switch (protocol) {
    case rule_protocol::ip:
      return true;
    case rule_protocol::tcp:
    case rule_protocol::tls:
    case rule_protocol::http:
      return kind == packet_kind::tcp;
    case rule_protocol::udp:
    case rule_protocol::dns:
      return kind == packet_kind::udp;
    case rule_protocol::icmp:
      return kind == packet_kind::icmp;
  }
  return false;
}

bool matches_alone(compiled_rule const& rule) {
  constexpr auto bodies = http_bit(rule_buffer::http_request_body) | http_bit(rule_buffer::http_response_body);
  return (rule.http_buffers & bodies) == 0;
}

std::uint32_t classes_of(compiled_rule const& rule) {
  std::uint32_t made = 0;
  for (auto const kind : {packet_kind::other, packet_kind::tcp, packet_kind::udp, packet_kind::icmp}) {
    if (!may_match(static_cast<rule_protocol>(rule.protocol), kind)) continue;
    for (auto const way : {packet_way::none, packet_way::to_server, packet_way::to_client}) {
      if (!may_match(rule, way)) continue;
      if (!needs_http(rule)) made |= packet_class(kind, way, http_chance::none);
      made |= packet_class(kind, way, http_chance::some);
    }
  }
  return made;
}

header_group_parts group_rules(rule_set const& rules, std::vector<std::uint32_t> const& order,
                               std::vector<compiled_rule> const& compiled, std::vector<std::uint32_t> places) {
  header_group_parts made;
  made.places = std::move(places);
  made.words = static_cast<std::uint32_t>((made.places.size() + 63) / 64);
  auto const sets = made.places.empty() ? 0 : std::max(rules.addresses.size(), rules.ports.size());
  made.summary = made.words + static_cast<std::uint32_t>((sets + 63) / 64);
  made.row_words = made.summary + (made.words + 63) / 64;
  row_store store{made};
  constexpr std::uint64_t last_address = 0xffff'ffff;
  constexpr std::uint64_t last_port = 0xffff;
  for (std::uint32_t axis = 0; axis < group_axes; ++axis) {
    auto const ranges = ranges_of_axis(rules, order, made.places, std::size_t{made.words} * 64, axis);
    fill_axis(ranges, axis >= group_axis_ports ? last_port : last_address, store, made.begins[axis], made.rows[axis]);
  }
  for (auto const kind : {packet_kind::other, packet_kind::tcp, packet_kind::udp, packet_kind::icmp}) {
    for (auto const way : {packet_way::none, packet_way::to_server, packet_way::to_client}) {
      for (std::uint32_t moment = 0; moment < packet_moments; ++moment) {
        packet_moment const when{(moment & 1) != 0, (moment & 2) != 0, (moment & 4) != 0};
        auto bits = store.empty();
        for (std::size_t bit = 0; bit < made.places.size(); ++bit) {
          if (may_match(compiled[made.places[bit]], kind, way, when)) set(bits, bit);
        }
        made.facts[group_fact(kind, way, when)] = store.number_of(bits);
      }
    }
  }
  auto bits = store.empty();
  for (std::size_t bit = 0; bit < made.places.size(); ++bit) {
    auto const& one = rules.rules[order[made.places[bit]]];
    bool const has_ipv6 = !rules.addresses[one.source].ipv6.intervals().empty() &&
                          !rules.addresses[one.destination].ipv6.intervals().empty();
    if (has_ipv6 && compiled[made.places[bit]].ip_version != 4) set(bits, bit);
  }
  made.ipv6 = store.number_of(bits);
  made.bits = store.take();
  return made;
}

}  // namespace packetwarp::inspect
