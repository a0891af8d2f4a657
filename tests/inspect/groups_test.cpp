// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The ways by which few rules are tried for a packet lose none that matches it.
#include "inspect/match/groups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/compiled/compile.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/made_rules.h"
#include "inspect/packet/window_search.h"

namespace packetwarp::inspect {
namespace {

// A rule of names is in the groups of packets that may ask for one.
[[nodiscard]] bool may_match_name(compiled_rule const& rule, inspected_packet const& packet) {
  return rule.name_checks.count + rule.dotted_checks.count == 0 || packet.may_ask_name;
}

class random_headers {
 public:
  explicit random_headers(unsigned seed) : random_{seed} {}

  // A rule without a literal, of the sid. more: options.
  [[nodiscard]] std::string rule(unsigned sid, std::string const& more = "") {
    auto const protocol = one_of({"ip", "tcp", "udp", "icmp", "dns", "tls"});
    std::string text = "alert " + protocol + " " + address() + " " + port() + one_of({" -> ", " -> ", " <> "}) +
                       address() + " " + port() + " (";
    text +=
        one_of({"", "flow:to_server;", "flow:to_client,established;", "flow:established;", "flow:not_established;"});
    text += one_of({"", "dsize:>0;", "ttl:>9;"});
    if (protocol == "dns") text += "dns.query; content:\"q\";";
    if (protocol == "tls") text += "tls.sni; content:\"s\";";
    return text + more + " sid:" + std::to_string(sid) + ";)\n";
  }
  [[nodiscard]] inspected_packet packet() {
    inspected_packet made;
    made.ip_version = below(5) == 0 ? 6 : 4;
    made.kind = static_cast<packet_kind>(below(packet_kinds));
    made.source.low = number();
    made.destination.low = number();
    made.source_port = static_cast<std::uint16_t>(below(12));
    made.destination_port = static_cast<std::uint16_t>(below(12));
    made.has_transport = below(6) != 0;
    made.has_flow = below(4) != 0;
    made.is_to_server = below(2) == 0;
    made.is_established = below(2) == 0;
    made.begins_direction = below(3) == 0;
    made.ttl = static_cast<std::uint8_t>(below(20));
    made.payload_length = below(2);
    made.is_dns = made.kind == packet_kind::udp && below(2) == 0;
    made.may_ask_name = below(2) == 0;
    return made;
  }

 private:
  [[nodiscard]] unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  [[nodiscard]] std::string one_of(std::vector<std::string> const& from) {
    return from[below(static_cast<unsigned>(from.size()))];
  }
  [[nodiscard]] std::uint32_t number() { return (10U << 24) + below(16); }
  [[nodiscard]] std::string address() {
    if (below(3) == 0) return "any";
    auto const last = std::to_string(below(16));
    return one_of({"10.0.0." + last, "!10.0.0." + last, "[10.0.0.0/29,!10.0.0." + std::to_string(below(8)) + "]",
                   "10.0.0.8/30", "::a00:0/125", "[10.0.0.0/29,::a00:4/126]"});
  }
  [[nodiscard]] std::string port() {
    if (below(2) == 0) return "any";
    return one_of({std::to_string(below(12)), "!" + std::to_string(below(12)), "[1:3,7]", "5:"});
  }

  std::mt19937 random_;
};

TEST(groups, have_every_rule_that_matches_a_header_and_leave_most_others_out) {
  random_headers random{5};
  std::string text;
  constexpr unsigned count = 300;
  for (unsigned sid = 1; sid <= count; ++sid) text += random.rule(sid);
  auto const set = rules_of(text);
  ASSERT_TRUE(set.problems.empty()) << set.problems.front();
  auto const compiled = compile_rules(set);
  auto const rules = compiled.ref();
  std::uint64_t in_groups = 0;
  std::uint64_t matching = 0;
  constexpr unsigned packets = 3000;
  for (unsigned i = 0; i < packets; ++i) {
    auto const packet = random.packet();
    std::vector<std::uint32_t> group;
    auto const rows = rows_of(rules, packet);
    for_each_in_group(rules, rows, [&](std::uint32_t place) { group.push_back(place); });
    ASSERT_TRUE(std::is_sorted(group.begin(), group.end()));
    for (std::uint32_t place = 0; place < rules.header().rules.count; ++place) {
      bool const has_header = matches_header(rules, rules.rule(place), packet);
      bool const is_in_group = std::binary_search(group.begin(), group.end(), place);
      if (is_in_group) {
        ASSERT_EQ(matches_header(rules, rules.rule(place), packet, rows), has_header) << text << place;
      }
      if (!has_header) continue;
      ++matching;
      ASSERT_EQ(is_in_group, may_match_name(rules.rule(place), packet)) << text << place;
    }
    in_groups += group.size();
  }
  EXPECT_GT(matching, packets);
  EXPECT_LT(in_groups, std::uint64_t{packets} * count / 4);
}

// The search in a rule's own sets is the oracle.
TEST(groups, have_the_addresses_and_ports_of_rules_with_literals) {
  random_headers random{6};
  auto text = random.rule(1);
  constexpr unsigned count = 300;
  for (unsigned sid = 2; sid <= count; ++sid) text += random.rule(sid, "content:\"literal\";");
  auto const set = rules_of(text);
  ASSERT_TRUE(set.problems.empty()) << set.problems.front();
  auto const compiled = compile_rules(set);
  auto const rules = compiled.ref();
  ASSERT_EQ(rules.header().groups.places.count, 1U);
  std::uint64_t matching = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    auto const packet = random.packet();
    auto const rows = rows_of(rules, packet);
    for (std::uint32_t place = 0; place < rules.header().rules.count; ++place) {
      if (rules.rule(place).number == 0) continue;  // it has no literal
      bool const has_header = matches_header(rules, rules.rule(place), packet);
      ASSERT_EQ(matches_header(rules, rules.rule(place), packet, rows), has_header) << text << place;
      matching += has_header ? 1 : 0;
    }
  }
  EXPECT_GT(matching, 3000U);
}

// So many that a summary has two words.
TEST(groups, of_many_rules_have_each_rule_that_matches) {
  random_headers random{7};
  std::string text;
  constexpr unsigned count = 4500;
  for (unsigned sid = 1; sid <= count; ++sid) text += random.rule(sid);
  auto const compiled = compile_rules(rules_of(text));
  auto const rules = compiled.ref();
  ASSERT_GT(rules.header().groups.words, 64U);
  std::uint32_t last_found = 0;
  for (unsigned i = 0; i < 100; ++i) {
    auto const packet = random.packet();
    auto const rows = rows_of(rules, packet);
    std::vector<std::uint32_t> found;
    for_each_in_group(rules, rows, [&](std::uint32_t place) {
      if (matches_header(rules, rules.rule(place), packet, rows)) found.push_back(place);
    });
    std::vector<std::uint32_t> matching;
    for (std::uint32_t place = 0; place < rules.header().rules.count; ++place) {
      auto const& rule = rules.rule(place);
      if (matches_header(rules, rule, packet) && may_match_name(rule, packet)) matching.push_back(place);
    }
    ASSERT_EQ(found, matching);
    if (!found.empty()) last_found = std::max(last_found, found.back());
  }
  EXPECT_GE(last_found, 64U * 64U);
}

TEST(groups, are_empty_without_rules) {
  auto const compiled = compile_rules(rules_of(""));
  unsigned found = 0;
  for_each_in_group(compiled.ref(), rows_of(compiled.ref(), inspected_packet{}), [&](std::uint32_t) { ++found; });
  EXPECT_EQ(found, 0U);
}

TEST(window_search, finds_the_rules_that_a_search_at_each_position_finds) {
  std::mt19937 random{8};
  auto const letters = [&](unsigned most) {
    std::string made;
    for (unsigned n = 0, size = 1 + static_cast<unsigned>(random() % most); n < size; ++n)
      made += "aaaaAbB."[random() % 8];
    return made;
  };
  std::string text;
  for (std::size_t sid = 1; sid <= 200; ++sid) text += rule_with("content:\"" + letters(12) + "\";", "tcp", sid);
  auto const compiled = compile_rules(rules_of(text));
  auto const rules = compiled.ref();
  window_search search{rules};
  std::uint64_t found = 0;
  for (int i = 0; i < 3000; ++i) {
    auto const payload = letters(i % 10 == 0 ? 1400 : 40);
    text_view const view{reinterpret_cast<std::byte const*>(payload.data()),
                         static_cast<std::uint32_t>(payload.size())};
    auto const from = static_cast<std::uint32_t>(random() % payload.size());
    std::set<std::uint32_t> at_each;
    for (auto at = from; at < view.size; ++at)
      search_windows(rules, view.bytes, view.size, at, [&](std::uint32_t place) { at_each.insert(place); });
    std::set<std::uint32_t> seen;
    search.search(view, from, every_class, [&](std::uint32_t place, std::uint32_t) { seen.insert(place); });
    ASSERT_EQ(seen, at_each) << payload << " from " << from;
    found += seen.size();
  }
  EXPECT_GT(found, 3000U);
}

TEST(window_search, finds_for_each_class_of_packets_what_a_search_at_each_position_finds) {
  std::mt19937 random{9};
  std::string text;
  for (int i = 0; i < 400; ++i) {
    std::string literal;
    for (unsigned n = 0, size = 3 + static_cast<unsigned>(random() % 6); n < size; ++n)
      literal += "aAbB."[random() % 5];
    constexpr std::string_view protocols[] = {"ip", "tcp", "udp", "icmp", "http"};
    constexpr std::string_view ways[] = {"", "flow:to_server; ", "flow:to_client; "};
    auto const protocol = protocols[random() % std::size(protocols)];
    auto const way = protocol == "icmp" || protocol == "ip" ? ways[0] : ways[random() % std::size(ways)];
    text += fmt::format("alert {} any any -> any any ({}content:\"{}\"; sid:{};)\n", protocol, way, literal, i + 1);
  }
  auto const compiled = compile_rules(rules_of(text));
  auto const rules = compiled.ref();
  window_search search{rules};
  std::set<std::set<std::uint32_t>> different;
  for (int i = 0; i < 300; ++i) {
    std::string payload(60, ' ');
    for (auto& c : payload) c = "aAbB."[random() % 5];
    text_view const view{reinterpret_cast<std::byte const*>(payload.data()),
                         static_cast<std::uint32_t>(payload.size())};
    for (std::uint32_t number = 0; number < packet_classes; ++number) {
      auto const classes = std::uint32_t{1} << number;
      std::set<std::uint32_t> at_each;  // without a first filter
      for (std::uint32_t at = 0; at < view.size; ++at) {
        find_window(rules, load_window(view.bytes + at, view.size - at), view.size - at, classes,
                    [&](std::uint32_t place) { at_each.insert(place); });
      }
      std::set<std::uint32_t> seen;
      search.search(view, 0, classes, [&](std::uint32_t place, std::uint32_t) { seen.insert(place); });
      ASSERT_EQ(seen, at_each) << payload << " class " << number;
      different.insert(seen);
    }
  }
  EXPECT_GT(different.size(), 300U);
}

// A stream's rules are kept as long as their literal is among the carried bytes: a run counts to its end.
TEST(window_search, tells_where_a_run_begins_and_ends) {
  auto const compiled = compile_rules(rules_of(rule_with("content:\"aaaaaaaa\";")));
  window_search search{compiled.ref()};
  std::string const payload = "b" + std::string(100, 'a') + "b";
  std::vector<std::uint32_t> positions;
  search.search({reinterpret_cast<std::byte const*>(payload.data()), static_cast<std::uint32_t>(payload.size())}, 0,
                every_class, [&](std::uint32_t, std::uint32_t position) { positions.push_back(position); });
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{1, 93}));
}

TEST(window_search, leaves_out_rules_for_other_packets) {
  auto const compiled =
      compile_rules(rules_of("alert udp any any -> any any (content:\"literal\"; sid:1;)\n"
                             "alert tcp any any -> any any (flow:to_client; content:\"literal\"; sid:2;)\n"
                             "alert http any any -> any any (http.uri; content:\"literal\"; sid:3;)\n"));
  window_search search{compiled.ref()};
  std::string const payload = "a literal";
  auto const found = [&](packet_kind kind, packet_way way, http_chance chance) {
    std::set<std::uint32_t> sids;
    search.search({reinterpret_cast<std::byte const*>(payload.data()), static_cast<std::uint32_t>(payload.size())}, 0,
                  packet_class(kind, way, chance),
                  [&](std::uint32_t place, std::uint32_t) { sids.insert(compiled.ref().rule(place).number + 1); });
    return sids;
  };
  using set = std::set<std::uint32_t>;
  EXPECT_EQ(found(packet_kind::udp, packet_way::none, http_chance::none), (set{1}));
  EXPECT_EQ(found(packet_kind::tcp, packet_way::to_client, http_chance::none), (set{2}));
  EXPECT_EQ(found(packet_kind::tcp, packet_way::to_server, http_chance::none), (set{}));
  EXPECT_EQ(found(packet_kind::tcp, packet_way::to_client, http_chance::some), (set{2, 3}));
}

}  // namespace
}  // namespace packetwarp::inspect
