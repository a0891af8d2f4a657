// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/compile.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "inspect/compiled/automaton_image.h"
#include "inspect/compiled/check_image.h"
#include "inspect/compiled/header_groups.h"
#include "inspect/compiled/literal.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/compiled/rule_scopes.h"
#include "inspect/language/buffers.h"
#include "inspect/language/coverage.h"

namespace packetwarp::inspect {
namespace {

// The sections while they grow.
struct parts {
  std::vector<compiled_rule> rules;
  check_image checks;
  std::vector<compiled_test> tests;
  std::vector<compiled_bit_use> bit_uses;
  std::vector<std::uint32_t> bit_numbers;
  std::vector<compiled_rate> rates;
  std::map<std::string, std::uint32_t> bits;
  bool have_marks{};                                   // flows have flow_mark
  std::vector<std::optional<literal_window>> windows;  // by the rules' places
};

template <class Element>
[[nodiscard]] section next_of(std::vector<Element> const& all, std::size_t count) {
  return {static_cast<std::uint32_t>(all.size()), static_cast<std::uint32_t>(count)};
}

[[nodiscard]] int flowbit_rank(rule const& one) {
  bool reads = false;
  bool writes = false;
  for (auto const& use : one.flowbits) {
    bool const is_read = use.what == flowbit_operation::is_set || use.what == flowbit_operation::is_not_set;
    (is_read ? reads : writes) = true;
  }
  return writes && !reads ? 0 : writes ? 1 : reads ? 2 : 3;
}

[[nodiscard]] std::vector<std::uint32_t> order_of(rule_set const& rules) {
  constexpr int rank[] = {3, 1, 2, 0};  // alert, drop, reject, pass
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < rules.rules.size(); ++i) {
    if (rules.rules[i].gaps.empty()) order.push_back(i);
  }
  auto const key = [&](std::uint32_t i) {
    auto const& one = rules.rules[i];
    return std::tuple{rank[static_cast<int>(one.action)], flowbit_rank(one), one.priority.value_or(3), i};
  };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
  return order;
}

void add_tests(rule const& one, compiled_rule& into, parts& to) {
  into.tests = next_of(to.tests, one.header.size() + one.flags.size());
  for (auto const& test : one.header) {
    to.tests.push_back({.value = test.number.value,
                        .upper = test.number.upper,
                        .kind = static_cast<test_kind>(test.field),
                        .relation = static_cast<std::uint8_t>(test.number.relation),
                        .ignored = 0,
                        .reserved = 0});
  }
  for (auto const& flags : one.flags) {
    to.tests.push_back({.value = flags.flags,
                        .upper = 0,
                        .kind = test_kind::tcp_flags,
                        .relation = static_cast<std::uint8_t>(flags.relation),
                        .ignored = flags.ignored,
                        .reserved = 0});
  }
}

void add_state(rule const& one, compiled_rule& into, parts& to) {
  into.bit_uses = next_of(to.bit_uses, one.flowbits.size());
  for (auto const& use : one.flowbits) {
    to.bit_uses.push_back({next_of(to.bit_numbers, use.names.size()), static_cast<std::uint32_t>(use.what)});
    for (auto const& name : use.names) {
      auto const number = static_cast<std::uint32_t>(to.bits.size());
      to.bit_numbers.push_back(to.bits.try_emplace(name, number).first->second);
    }
  }
  into.rates = next_of(to.rates, one.rates.size());
  for (auto const& rate : one.rates) {
    to.rates.push_back({.count = rate.count,
                        .seconds = rate.seconds,
                        .kind = static_cast<std::uint8_t>(rate.kind),
                        .track = static_cast<std::uint8_t>(rate.track),
                        .reserved = {}});
  }
}

// As Suricata: a rule that asks for facts of packets, too, is for packets; a place in the payload may be meant of both.
[[nodiscard]] stream_use stream_use_of(rule const& one) {
  if (one.flow.stream == stream_need::only_stream) return stream_use::only_stream;
  if (!is_for_streams(one)) return stream_use::packet;
  bool const has_place = std::any_of(one.payload.begin(), one.payload.end(), [](auto const& check) {
    auto const* content = std::get_if<content_check>(&check);
    return content != nullptr && content->where == rule_buffer::payload && (content->offset || content->depth);
  });
  return has_place ? stream_use::both : stream_use::stream;
}

// The use of a rule with an expression that has no automaton.
[[nodiscard]] late_use late_use_of(rule const& one) {
  bool const changes_bits = std::any_of(one.flowbits.begin(), one.flowbits.end(), [](auto const& use) {
    return use.what != flowbit_operation::is_set && use.what != flowbit_operation::is_not_set;
  });
  bool const changes_more = one.action == rule_action::pass || one.bypasses || changes_bits || !one.rates.empty();
  return changes_more ? late_use::never : late_use::by_cpu;
}

// Notes the longest anchor among the rule's contents, up to its bytes that are compared.
void add_anchor(rule const& one, compiled_rule& into) {
  std::uint32_t longest = 0;
  for (auto const& check : one.payload) {
    auto const* content = std::get_if<content_check>(&check);
    if (content == nullptr || content->where != rule_buffer::payload || content->is_negated) continue;
    auto const size = static_cast<std::uint32_t>(content->bytes.size());
    auto const at = content->offset.value_or(0);
    bool const has_one_place = !content->is_relative() && content->depth == static_cast<std::int32_t>(size);
    if (!has_one_place || at < 0 || at > 0xffff) continue;
    auto const length = std::min<std::uint32_t>(size, sizeof into.anchor);
    if (length <= longest) continue;
    longest = length;
    auto const* const bytes = reinterpret_cast<std::byte const*>(content->bytes.data());
    into.anchor_at = static_cast<std::uint16_t>(at);
    into.anchor_mask = static_cast<std::uint32_t>(first_bytes(~std::uint64_t{0}, length));
    into.anchor = static_cast<std::uint32_t>(load_window(bytes, length));
  }
}

[[nodiscard]] compiled_rule compile_rule(rule_set const& rules, std::uint32_t number, parts& to) {
  auto const& one = rules.rules[number];
  compiled_rule made{};
  made.checks = to.checks.add(one.payload, rule_buffer::payload);
  // A rule is for names of DNS or of TLS: the reader refuses other protocols for both.
  bool const is_for_tls = one.protocol == rule_protocol::tls || one.protocol == rule_protocol::tcp;
  made.name_checks = to.checks.add(one.payload, is_for_tls ? rule_buffer::tls_sni : rule_buffer::dns_query);
  made.dotted_checks =
      to.checks.add(one.payload, is_for_tls ? rule_buffer::tls_sni_dotted : rule_buffer::dns_query_dotted);
  made.buffers = to.checks.add_http(one.payload);
  for (std::uint32_t i = 0; i < made.buffers.count; ++i)
    made.http_buffers |= std::uint32_t{1} << to.checks.buffers()[made.buffers.offset + i].number;
  add_tests(one, made, to);
  add_state(one, made, to);
  add_anchor(one, made);
  made.source = one.source;
  made.destination = one.destination;
  made.source_port = one.source_port;
  made.destination_port = one.destination_port;
  made.number = number;
  made.action = static_cast<std::uint8_t>(one.action);
  made.protocol = static_cast<std::uint8_t>(one.protocol);
  made.ip_version = one.ip_version;
  made.direction = static_cast<std::uint8_t>(one.flow.direction);
  made.connection = static_cast<std::uint8_t>(one.flow.connection);
  made.fragment = static_cast<std::uint8_t>(one.flow.fragment);
  to.windows.push_back(window_of(one));
  bool const has_rows = !to.windows.back() && !has_http_buffers(one);
  made.endpoints = static_cast<std::uint8_t>(one.is_bidirectional ? endpoint_check::either_way
                                             : has_rows           ? endpoint_check::by_rows
                                                                  : endpoint_check::one_way);
  made.is_silent = one.is_silent ? 1 : 0;
  made.bypasses = one.bypasses ? 1 : 0;
  auto const scope = scope_of(rules, one);
  made.scope = static_cast<std::uint8_t>(scope);
  if (marks_flows(one, scope)) to.have_marks = true;
  made.names_ports = one.names_ports ? 1 : 0;
  made.messages = messages_of(one);
  made.stream = static_cast<std::uint8_t>(stream_use_of(one));
  return made;
}

// Sections, one after the other in one piece of memory.
class image {
 public:
  image() { words_.resize((sizeof(ruleset_header) + 7) / 8); }

  // alignment: of the first element, a multiple of 8.
  template <class Element>
  [[nodiscard]] section put(std::vector<Element> const& elements, std::size_t alignment = 8) {
    words_.resize((8 * words_.size() + alignment - 1) / alignment * alignment / 8);
    auto const offset = 8 * words_.size();
    auto const bytes = elements.size() * sizeof(Element);
    constexpr std::uint64_t most = 0xffff'ffff;
    if (offset + bytes > most) throw usage_error("the rules need more than 4 GiB of memory; give fewer");
    words_.resize(words_.size() + (bytes + 7) / 8);
    if (bytes != 0) std::memcpy(reinterpret_cast<std::byte*>(words_.data()) + offset, elements.data(), bytes);
    return {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(elements.size())};
  }
  [[nodiscard]] std::vector<std::uint64_t> finish(ruleset_header& header) {
    header.bytes = 8 * words_.size();
    std::memcpy(words_.data(), &header, sizeof header);
    return std::move(words_);
  }

 private:
  std::vector<std::uint64_t> words_;
};

void put_groups(rule_set const& rules, ruleset_header& header, image& into) {
  std::vector<address_group> groups;
  std::vector<range32> ipv4;
  std::vector<range128> ipv6;
  auto const high = [](uint128 number) { return static_cast<std::uint64_t>(number >> 64); };
  auto const low = [](uint128 number) { return static_cast<std::uint64_t>(number); };
  for (auto const& set : rules.addresses) {
    groups.push_back({next_of(ipv4, set.ipv4.intervals().size()), next_of(ipv6, set.ipv6.intervals().size())});
    for (auto const& [first, last] : set.ipv4.intervals()) ipv4.push_back({first, last});
    for (auto const& [first, last] : set.ipv6.intervals())
      ipv6.push_back({high(first), low(first), high(last), low(last)});
  }
  std::vector<section> ports;
  std::vector<range16> ranges;
  for (auto const& set : rules.ports) {
    ports.push_back(next_of(ranges, set.intervals().size()));
    for (auto const& [first, last] : set.intervals()) ranges.push_back({first, last});
  }
  header.addresses = into.put(groups);
  header.ranges_ipv4 = into.put(ipv4);
  header.ranges_ipv6 = into.put(ipv6);
  header.ports = into.put(ports);
  header.port_ranges = into.put(ranges);
}

[[nodiscard]] window_table put_windows(std::vector<window_entry> entries, image& into) {
  window_table table{};
  table.bucket_bits = 4;
  while ((std::size_t{1} << table.bucket_bits) < entries.size() && table.bucket_bits < 20) ++table.bucket_bits;
  auto const bucket_of = [&](window_entry const& entry) {
    return window_hash(entry.bytes) >> (64 - table.bucket_bits);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](auto const& a, auto const& b) { return bucket_of(a) < bucket_of(b); });
  // A sixteenth of the bits are set, or fewer.
  table.filter_bits = std::min(table.bucket_bits + 4, most_filter_bits);
  std::vector<std::uint64_t> filter((std::size_t{1} << table.filter_bits) / 64);
  std::vector<std::uint32_t> begins((std::size_t{1} << table.bucket_bits) + 1);
  for (auto const& entry : entries) {
    auto const bit = window_hash(entry.bytes) & ((1U << table.filter_bits) - 1);
    filter[bit >> 6] |= std::uint64_t{1} << (bit & 63);
    ++begins[bucket_of(entry) + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  table.filter = into.put(filter);
  table.begins = into.put(begins);
  table.entries = into.put(entries);
  return table;
}

void put_first_filters(std::array<std::vector<window_entry>, window_kinds> const& windows, ruleset_header& header,
                       image& into) {
  std::vector<std::uint64_t> of_all(first_filter_words);
  std::vector<std::uint64_t> by_class(std::size_t{packet_classes} * first_filter_words);
  for (auto const& entries : windows) {
    for (auto const& entry : entries) {
      auto const bit = first_bit(entry.bytes);
      auto const in_word = std::uint64_t{1} << (bit & 63);
      of_all[bit >> 6] |= in_word;
      for (std::uint32_t number = 0; number < packet_classes; ++number) {
        if ((entry.classes >> number & 1) != 0) by_class[number * first_filter_words + (bit >> 6)] |= in_word;
      }
    }
  }
  header.first_filter = into.put(of_all);
  header.class_filters = into.put(by_class);
}

// The numbers of rules among those that a packet alone may match, by place.
[[nodiscard]] std::vector<std::uint32_t> put_alone(std::vector<compiled_rule> const& compiled, ruleset_header& header,
                                                   image& into) {
  std::vector<std::uint32_t> places;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t place = 0; place < compiled.size(); ++place) {
    bool const is_alone = matches_alone(compiled[place]);
    numbers.push_back(is_alone ? static_cast<std::uint32_t>(places.size()) : not_alone);
    if (is_alone) places.push_back(place);
  }
  header.alone = into.put(places);
  header.alone_numbers = into.put(numbers);
  return numbers;
}

void put_groups(header_group_parts const& parts, std::vector<std::uint32_t> const& alone_numbers,
                ruleset_header& header, image& into) {
  auto& groups = header.groups;
  groups.places = into.put(parts.places);
  std::vector<std::uint32_t> alone;
  for (auto const place : parts.places) alone.push_back(alone_numbers[place]);
  groups.alone = into.put(alone);
  groups.bits = into.put(parts.bits);
  groups.facts = into.put(parts.facts);
  groups.words = parts.words;
  groups.row_words = parts.row_words;
  groups.summary = parts.summary;
  groups.ipv6 = parts.ipv6;
  for (std::uint32_t axis = 0; axis < group_axes; ++axis) {
    auto const& begins = parts.begins[axis];
    auto const tree = into.put(tree_of_intervals(begins), interval_tree::alignment);
    groups.axes[axis] = {{tree.offset, static_cast<std::uint32_t>(begins.size()), levels_of_intervals(begins.size())},
                         into.put(parts.rows[axis])};
  }
}

// Each rule is found by its window, or is among the unfiltered ones of its packets.
void put_search(rule_set const& rules, std::vector<std::uint32_t> const& order, parts const& made,
                ruleset_header& header, image& into) {
  auto const& compiled = made.rules;
  std::array<std::vector<window_entry>, window_kinds> windows;
  std::array<std::vector<std::uint32_t>, packet_kinds> unfiltered;
  std::array<std::vector<std::uint32_t>, 2> unfiltered_http;
  std::vector<std::uint32_t> grouped;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    auto const& one = rules.rules[order[place]];
    if (auto const& window = made.windows[place]) {
      windows[window->kind].push_back({window->bytes, place, classes_of(compiled[place])});
      continue;
    }
    if (has_http_buffers(one)) {
      if ((compiled[place].messages & in_requests) != 0) unfiltered_http[0].push_back(place);
      if ((compiled[place].messages & in_responses) != 0) unfiltered_http[1].push_back(place);
      continue;
    }
    grouped.push_back(place);
    for (std::size_t kind = 0; kind < packet_kinds; ++kind) {
      if (may_match(one.protocol, static_cast<packet_kind>(kind))) unfiltered[kind].push_back(place);
    }
  }
  put_first_filters(windows, header, into);
  for (std::size_t kind = 0; kind < window_kinds; ++kind)
    header.windows[kind] = put_windows(std::move(windows[kind]), into);
  for (std::size_t kind = 0; kind < packet_kinds; ++kind) header.unfiltered[kind] = into.put(unfiltered[kind]);
  for (std::size_t kind = 0; kind < 2; ++kind) header.unfiltered_http[kind] = into.put(unfiltered_http[kind]);
  auto const alone = put_alone(compiled, header, into);
  put_groups(group_rules(rules, order, compiled, std::move(grouped)), alone, header, into);
}

// Automata for the rules that a packet alone may match: others are for executors with PCRE2.
void put_automata(rule_set const& rules, parts& made, ruleset_header& header, image& into) {
  automaton_image automata;
  for (auto& one : made.rules) {
    if (matches_alone(one) && !automata.add(one, made.checks))
      one.late = static_cast<std::uint8_t>(late_use_of(rules.rules[one.number]));
  }
  header.automata = into.put(automata.words());
  header.automaton_places = into.put(automata.places(made.checks.regexes().size()));
}

}  // namespace

ruleset compile_rules(rule_set const& rules) {
  auto const order = order_of(rules);
  parts made;
  for (auto const number : order) made.rules.push_back(compile_rule(rules, number, made));
  ruleset_header header{};
  image whole;
  put_automata(rules, made, header, whole);
  header.rules = whole.put(made.rules);
  header.checks = whole.put(made.checks.checks());
  header.buffers = whole.put(made.checks.buffers());
  header.patterns = whole.put(made.checks.patterns());
  header.tests = whole.put(made.tests);
  header.bit_uses = whole.put(made.bit_uses);
  header.bit_numbers = whole.put(made.bit_numbers);
  header.rates = whole.put(made.rates);
  for (auto const& rate : made.rates) header.longest_rate = std::max(header.longest_rate, rate.seconds);
  put_groups(rules, header, whole);
  put_search(rules, order, made, header, whole);
  auto const named = static_cast<std::uint32_t>(made.bits.size());
  header.flowbits = named + (made.have_marks ? flow_marks : 0);
  header.flow_marks = made.have_marks ? named : no_flow_marks;
  header.regexes = static_cast<std::uint32_t>(made.checks.regexes().size());
  return {whole.finish(header), made.checks.regexes()};
}

}  // namespace packetwarp::inspect
