// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/generate/options.h"
#include "traffic/usage_text.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using pair = std::pair<int, int>;  // from, to; -1 for nowhere

std::vector<port_id> ports(std::initializer_list<int> numbers) {
  std::vector<port_id> made;
  for (int const n : numbers) made.emplace_back(static_cast<std::uint16_t>(n));
  return made;
}

std::vector<pair> pairs_of(generate_options const& options, std::vector<port_id> const& of) {
  std::vector<pair> made;
  for (auto const& one : directions_of(options, of)) made.emplace_back(one.from.value(), one.to ? one.to->value() : -1);
  return made;
}
std::string refusal(generate_options const& options, std::vector<port_id> const& of) {
  return test::usage_text([&] { (void)directions_of(options, of); });
}

TEST(directions, pair_ports_up_in_order_and_an_odd_last_one_with_itself) {
  EXPECT_THAT(pairs_of({}, ports({0, 1})), ElementsAre(pair{0, 1}, pair{1, 0}));
  EXPECT_THAT(pairs_of({}, ports({0, 3, 4})), ElementsAre(pair{0, 3}, pair{3, 0}, pair{4, 4}));
}

TEST(directions, come_back_on_the_same_port_when_told_so) {
  generate_options options;
  options.returns = return_port::same;
  EXPECT_THAT(pairs_of(options, ports({0, 1})), ElementsAre(pair{0, 0}, pair{1, 1}));
}

TEST(directions, follow_the_map) {
  generate_options options;
  options.port_map = {{port_id{0}, port_id{2}}, {port_id{1}, port_id{1}}};
  EXPECT_THAT(pairs_of(options, ports({0, 1, 2})), ElementsAre(pair{0, 2}, pair{1, 1}, pair{2, 0}));
}

TEST(directions, are_those_of_the_ports_that_send_to_the_ports_that_receive) {
  generate_options options;
  options.tx_ports = ports({2, 0, 2});
  options.rx_ports = ports({1});
  options.queues = 4;
  EXPECT_THAT(pairs_of(options, ports({0, 1, 2, 3})), ElementsAre(pair{0, 1}, pair{2, -1}));
  EXPECT_EQ(directions_of(options, ports({0, 1, 2, 3}))[0].queues, 4);
  options.rx_ports = ports({});
  EXPECT_THAT(pairs_of(options, ports({0, 1, 2, 3})), ElementsAre(pair{0, -1}, pair{2, -1}));
}

TEST(directions, are_refused_where_a_named_receiver_awaits_nothing) {
  generate_options options;
  options.tx_ports = ports({0});
  options.rx_ports = ports({0});
  EXPECT_THAT(
      refusal(options, ports({0, 1})),
      HasSubstr("--rx-ports: port 0 awaits no packets: no port that sends is its peer, and its own come back on "
                "their peer unless --expect same-port is given"));
  options.returns = return_port::same;
  EXPECT_THAT(pairs_of(options, ports({0, 1})), ElementsAre(pair{0, 0}));
  options.rx_ports = ports({0, 1});
  EXPECT_THAT(refusal(options, ports({0, 1})), HasSubstr("port 1 awaits no packets: no port that sends is its peer;"));
}

TEST(directions, are_refused_for_ports_that_are_not_there) {
  generate_options options;
  EXPECT_THAT(refusal(options, {}), HasSubstr("--through"));
  options.tx_ports = ports({7});
  EXPECT_THAT(refusal(options, ports({0, 1})), HasSubstr("--tx-ports: port 7 does not exist; there are ports 0 to 1"));
  options.tx_ports = ports({});
  EXPECT_THAT(refusal(options, ports({0})), HasSubstr("none sends"));
}

TEST(directions, are_refused_where_the_map_is_not_one) {
  generate_options options;
  options.port_map = {{port_id{0}, port_id{1}}, {port_id{1}, port_id{2}}};
  EXPECT_THAT(refusal(options, ports({0, 1, 2})), HasSubstr("port 1 is in more than one pair"));
  options.port_map = {{port_id{0}, port_id{1}}};
  EXPECT_THAT(refusal(options, ports({0, 1, 2})), HasSubstr("port 2 sends and is in no pair"));
  options.port_map = {{port_id{0}, port_id{9}}};
  EXPECT_THAT(refusal(options, ports({0, 1})), HasSubstr("port 9 does not exist"));
}

}  // namespace
}  // namespace packetwarp
