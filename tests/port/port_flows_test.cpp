// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/flow/port_flows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "fixtures/recording_nic.h"

namespace packetwarp {
namespace {

using test::recording_nic;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Drops packets of a UDP source port, and may count them.
class udp_rule {
 public:
  explicit udp_rule(std::uint16_t source, rte_flow_action_type second = RTE_FLOW_ACTION_TYPE_VOID)
      : udp_{.hdr = {.src_port = source, .dst_port = 0, .dgram_len = 0, .dgram_cksum = 0}},
        items_{{{RTE_FLOW_ITEM_TYPE_ETH, nullptr, nullptr, nullptr},
                {RTE_FLOW_ITEM_TYPE_UDP, &udp_, nullptr, &udp_},
                {RTE_FLOW_ITEM_TYPE_END, nullptr, nullptr, nullptr}}},
        actions_{{{RTE_FLOW_ACTION_TYPE_DROP, nullptr}, {second, nullptr}, {RTE_FLOW_ACTION_TYPE_END, nullptr}}} {
    attr_.ingress = 1;
  }
  udp_rule(udp_rule const&) = delete;
  udp_rule& operator=(udp_rule const&) = delete;
  [[nodiscard]] flow_arrays arrays() const { return {attr_, items_.data(), actions_.data()}; }

 private:
  rte_flow_attr attr_{};
  rte_flow_item_udp udp_;
  std::array<rte_flow_item, 3> items_;
  std::array<rte_flow_action, 3> actions_;
};

class port_flows_on_nic : public testing::Test {
 protected:
  port_flows_on_nic() { nic() = {}; }
  [[nodiscard]] static recording_nic& nic() { return recording_nic::instance(); }
};

TEST_F(port_flows_on_nic, runs_rules_until_it_goes_out_of_scope) {
  udp_rule const first{1}, second{2};
  {
    port_flows flows{port_id{3}};
    EXPECT_FALSE(flows.create(0, first.arrays()).has_value());
    EXPECT_FALSE(flows.create(7, second.arrays()).has_value());
    EXPECT_EQ(flows.size(), 2u);
    EXPECT_THAT(nic().rules(3), SizeIs(2));
    EXPECT_THAT(nic().rules(0), IsEmpty());
  }
  EXPECT_THAT(nic().rules(3), IsEmpty());
  auto const created = nic().calls_of("create"), destroyed = nic().calls_of("destroy");
  ASSERT_THAT(created, SizeIs(2));
  // The latest first: it may lead to groups that the earlier ones made.
  EXPECT_THAT(destroyed, ElementsAre("destroy" + created[1].substr(6), "destroy" + created[0].substr(6)));
}

TEST_F(port_flows_on_nic, destroys_a_rule_by_its_number) {
  udp_rule const first{1}, second{2};
  port_flows flows{port_id{0}};
  ASSERT_FALSE(flows.create(4, first.arrays()).has_value());
  ASSERT_FALSE(flows.create(5, second.arrays()).has_value());
  auto const kept = nic().rules(0).back();
  EXPECT_FALSE(flows.destroy(4).has_value());
  EXPECT_FALSE(flows.destroy(4).has_value());
  EXPECT_THAT(nic().rules(0), ElementsAre(kept));
  EXPECT_THAT(nic().calls_of("destroy"), SizeIs(1));
}

TEST_F(port_flows_on_nic, keeps_a_rule_that_the_driver_does_not_destroy) {
  udp_rule const rule{1, RTE_FLOW_ACTION_TYPE_COUNT}, other{2};
  port_flows flows{port_id{0}};
  ASSERT_FALSE(flows.create(4, rule.arrays()).has_value());
  nic().destroys = false;
  EXPECT_EQ(flows.destroy(4).value().reason, "rule in use (Device or resource busy)");
  EXPECT_TRUE(flows.count(4).has_value()) << "it still has its number";
  nic().destroys = true;
  EXPECT_FALSE(flows.destroy(4).has_value());
  EXPECT_THAT(nic().rules(0), IsEmpty());
}

TEST_F(port_flows_on_nic, destroys_later_what_lost_its_number) {
  udp_rule const first{1}, second{2};
  port_flows flows{port_id{0}};
  ASSERT_FALSE(flows.create(4, first.arrays()).has_value());
  flows.set_aside(4);
  ASSERT_FALSE(flows.create(4, second.arrays()).has_value());
  nic().destroys = false;
  EXPECT_TRUE(flows.give_up_aside(4).has_value());
  EXPECT_TRUE(flows.give_up(4).has_value());
  EXPECT_FALSE(flows.create(4, first.arrays()).has_value()) << "the number is free";
  EXPECT_TRUE(flows.destroy_stuck().has_value());
  EXPECT_EQ(flows.size(), 3u);
  nic().destroys = true;
  EXPECT_FALSE(flows.destroy_stuck().has_value());
  EXPECT_EQ(flows.size(), 1u);
  EXPECT_THAT(nic().rules(0), SizeIs(1));
}

TEST_F(port_flows_on_nic, asks_a_driver_nothing_whose_device_was_taken_away) {
  udp_rule const rule{1, RTE_FLOW_ACTION_TYPE_COUNT};
  {
    port_flows flows{port_id{0}};
    ASSERT_FALSE(flows.create(4, rule.arrays()).has_value());
    ASSERT_FALSE(flows.create(5, rule.arrays()).has_value());
    flows.set_aside(5);
    nic().calls.clear();
    flows.forget();
    EXPECT_EQ(flows.size(), 0u);
    EXPECT_EQ(flows.validate(rule.arrays()).value().reason, "its device has been taken away");
    EXPECT_EQ(flows.create(6, rule.arrays()).value().reason, "its device has been taken away");
    EXPECT_FALSE(flows.count(4).has_value());
    flows.take_back(5);
    EXPECT_FALSE(flows.destroy(4).has_value());
    flows.clear();
  }
  EXPECT_THAT(nic().calls, IsEmpty());
}

TEST_F(port_flows_on_nic, moves_its_rules) {
  udp_rule const rule{1};
  port_flows flows{port_id{0}};
  ASSERT_FALSE(flows.create(0, rule.arrays()).has_value());
  {
    port_flows const moved{std::move(flows)};
    EXPECT_EQ(moved.size(), 1u);
  }
  EXPECT_EQ(nic().size(), 0u);
  EXPECT_THAT(nic().calls_of("destroy"), SizeIs(1));
}

TEST_F(port_flows_on_nic, tells_what_the_driver_says_and_of_which_part) {
  udp_rule const rule{1};
  port_flows flows{port_id{0}};
  nic().refused_items = {RTE_FLOW_ITEM_TYPE_UDP};
  auto const item = flows.validate(rule.arrays());
  ASSERT_TRUE(item.has_value());
  EXPECT_EQ(item->reason, "item not supported (Operation not supported)");
  EXPECT_EQ(item->item, 1u);
  EXPECT_EQ(item->action, std::nullopt);
  nic().refused_items.clear();
  nic().refused_actions = {RTE_FLOW_ACTION_TYPE_DROP};
  auto const action = flows.create(0, rule.arrays());
  ASSERT_TRUE(action.has_value());
  EXPECT_EQ(action->action, 0u);
  EXPECT_EQ(action->item, std::nullopt);
  EXPECT_EQ(flows.size(), 0u);
}

TEST_F(port_flows_on_nic, knows_what_is_meant_by_a_driver_without_words) {
  udp_rule const rule{1};
  port_flows flows{port_id{0}};
  nic().room = 0;
  EXPECT_FALSE(flows.validate(rule.arrays()).has_value());
  auto const full = flows.create(0, rule.arrays());
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->reason, "No space left on device");
}

TEST_F(port_flows_on_nic, asks_what_rules_that_count_have_seen) {
  udp_rule const counts{1, RTE_FLOW_ACTION_TYPE_COUNT}, does_not{2};
  port_flows flows{port_id{0}};
  ASSERT_FALSE(flows.create(0, counts.arrays()).has_value());
  ASSERT_FALSE(flows.create(1, does_not.arrays()).has_value());
  nic().hits = 12;
  auto const seen = flows.count(0);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->hits, 12u);
  EXPECT_EQ(seen->bytes, 12u * 64);
  EXPECT_FALSE(flows.count(1).has_value());
  EXPECT_FALSE(flows.count(2).has_value());
}

TEST_F(port_flows_on_nic, isolates_a_port_or_says_why_not) {
  EXPECT_EQ(isolate_port(port_id{2}), std::nullopt);
  EXPECT_THAT(nic().calls, ElementsAre("isolate 2 1"));
  nic().isolates = false;
  EXPECT_EQ(isolate_port(port_id{2}), "no isolated mode (Operation not supported)");
}

TEST_F(port_flows_on_nic, has_two_rules_of_one_number_while_one_is_set_aside) {
  udp_rule const first{1}, second{2};
  port_flows flows{port_id{3}};
  EXPECT_FALSE(flows.create(4, first.arrays()).has_value());
  flows.set_aside(4);
  EXPECT_FALSE(flows.create(4, second.arrays()).has_value());
  EXPECT_THAT(nic().rules(3), SizeIs(2));
  auto const both = nic().rules(3);
  EXPECT_FALSE(flows.destroy(4).has_value());
  flows.take_back(4);
  EXPECT_THAT(nic().rules(3), ElementsAre(both[0]));
  flows.set_aside(4);
  EXPECT_FALSE(flows.create(4, second.arrays()).has_value());
  EXPECT_FALSE(flows.give_up_aside(4).has_value());
  EXPECT_THAT(nic().rules(3), ElementsAre(both[1]));
  // Numbers that no rule has.
  flows.set_aside(5);
  flows.take_back(5);
  EXPECT_FALSE(flows.give_up_aside(5).has_value());
  EXPECT_THAT(nic().rules(3), ElementsAre(both[1]));
}

TEST_F(port_flows_on_nic, destroys_what_is_set_aside_with_the_rest) {
  udp_rule const first{1}, second{2};
  {
    port_flows flows{port_id{3}};
    EXPECT_FALSE(flows.create(0, first.arrays()).has_value());
    flows.set_aside(0);
    EXPECT_FALSE(flows.create(0, second.arrays()).has_value());
    port_flows const moved{std::move(flows)};
    EXPECT_THAT(nic().rules(3), SizeIs(2));
  }
  EXPECT_THAT(nic().rules(3), IsEmpty());
}

}  // namespace
}  // namespace packetwarp
