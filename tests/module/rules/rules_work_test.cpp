// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/error.h"
#include "fixtures/eal_environment.h"
#include "module/rules/rules_of_nics.h"

namespace packetwarp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

[[maybe_unused]] auto* const eal =
    testing::AddGlobalTestEnvironment(new test::eal_environment{1, {"--vdev=net_null0", "--vdev=net_null1"}});

constexpr auto nics = flow::rule_site::nic;
constexpr auto cpus = flow::rule_site::cpu;

TEST_F(rules_of_nics, are_destroyed_before_the_tables_change_and_created_behind_that) {
  auto const last = drop(9, "");
  start(rules_on::automatic, last);
  change_to(last + drop_source(1, 1));
  EXPECT_THAT(told_, ElementsAre("old validate 1", "old destroy 9", "new create 1", "new create 9"));
  EXPECT_THAT(sites(), ElementsAre(nics, nics));
}

TEST_F(rules_of_nics, that_are_all_theirs_are_created_before_others_are_destroyed) {
  start(rules_on::nic, drop_source(1, 1) + drop_source(2, 2));
  change_to(drop_source(1, 1) + drop_source(3, 3) + drop_source(4, 4));
  EXPECT_THAT(told_, ElementsAre("old validate 3", "old validate 4", "old create 3", "old create 4", "new destroy 2"));
  EXPECT_THAT(sites(), ElementsAre(nics, nics, nics));
}

TEST_F(rules_of_nics, that_one_refuses_in_the_end_leave_all_as_it_was) {
  start(rules_on::nic,
        drop_source(1, 1) + "flow create 0 priority 2 ingress pattern eth / ipv4 / end actions count / drop / end\n");
  auto const had = nic().rules(0);
  nic().room = 3;
  nic().hits = 5;
  try {
    change_to(drop_source(1, 1) + drop_source(3, 3) + drop_source(4, 4));
    FAIL() << "it has no room";
  } catch (usage_error const& error) {
    EXPECT_THAT(error.what(), HasSubstr("port 0 (net_null0) refuses the rule: No space left on device"));
  }
  EXPECT_THAT(told_, ElementsAre("old validate 3", "old validate 4", "old create 3", "old create 4", "old full 4",
                                 "old destroy 3"));
  EXPECT_EQ(nic().rules(0), had);
  ASSERT_TRUE(tables_->status()[1].seen.has_value()) << "it is still known which rule is which";
  told_.clear();
  change_to("");
  EXPECT_THAT(told_, ElementsAre("new destroy 2", "new destroy 1"));
}

TEST_F(rules_of_nics, change_a_few_at_a_time) {
  start(rules_on::automatic, drop(9, ""));
  std::string many;
  for (unsigned n = 0; n < 200; ++n) many += drop_source(1, n);
  change_to(many + drop(9, ""));
  EXPECT_EQ(nic().size(), 201u);
  change_to("");
  EXPECT_EQ(nic().size(), 0u);
  EXPECT_THAT(told_, SizeIs(201 + 1 + 201 + 201));
  EXPECT_THAT(most_at_once_, Le(64u));
}

TEST_F(rules_of_nics, that_they_have_no_room_for_stay_in_the_table_until_there_is) {
  start(rules_on::automatic, drop_source(1, 1));
  nic().room = 2;
  auto const four = drop_source(1, 1) + drop_source(2, 2) + drop_source(3, 3) + drop_source(4, 4);
  change_to(four);
  EXPECT_THAT(sites(), ElementsAre(nics, nics, cpus, cpus));
  nic().room = 9;
  change_to(four + drop_source(5, 5));
  EXPECT_THAT(sites(), ElementsAre(nics, nics, nics, nics, nics)) << "rules that it had no room for are offered again";
}

TEST_F(rules_of_nics, that_they_have_no_room_for_at_the_start_get_there_by_the_next_change) {
  nic().room = 1;
  auto const two = drop_source(1, 1) + drop_source(2, 2);
  start(rules_on::automatic, two);
  EXPECT_THAT(sites(), ElementsAre(nics, cpus));
  nic().room = 9;
  change_to(two);
  EXPECT_THAT(told_, ElementsAre("old validate 2", "old create 2"));
  EXPECT_THAT(sites(), ElementsAre(nics, nics));
  told_.clear();
  change_to(two);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(rules_of_nics, whose_port_is_being_started_again_get_there_later) {
  start(rules_on::automatic, drop_source(1, 1));
  auto const two = drop_source(1, 1) + drop_source(2, 2);
  flows().pause();
  change_to(two);
  EXPECT_THAT(sites(), ElementsAre(nics, cpus));
  EXPECT_THAT(tables_->status()[1].why, HasSubstr("the port is being started again"));
  flows().resume();
  change_to(two);
  EXPECT_THAT(sites(), ElementsAre(nics, nics));
}

TEST_F(rules_of_nics, that_a_port_refused_when_it_was_asked_are_not_asked_about_again) {
  nic().refused_items = {RTE_FLOW_ITEM_TYPE_IPV4};
  start(rules_on::automatic, drop_source(1, 1));
  change_to(drop_source(1, 1));
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_THAT(sites(), ElementsAre(cpus));
}

TEST_F(rules_of_nics, that_they_do_not_let_go_of_keep_the_old_rules_in_force) {
  auto const last = drop(9, "");
  start(rules_on::automatic, last);
  nic().destroys = false;
  try {
    change_to(last + drop_source(1, 1));
    FAIL() << "the NIC would go on to hide the new rule";
  } catch (failure const& error) {
    EXPECT_STREQ(
        error.what(),
        "port 0 (net_null0) does not let go of rule 0: rule in use (Device or resource busy); the old rules stay "
        "in force: try again, or start again");
  }
  EXPECT_THAT(told_, ElementsAre("old validate 1", "old keep 9"));
  EXPECT_THAT(sites(), ElementsAre(nics));
  nic().destroys = true;
  change_to(drop_source(1, 1));
  EXPECT_THAT(nic().rules(0), SizeIs(1));
}

// The group's second rule finds no room, so the NIC gets no jump to the group, and should lose the first rule too.
TEST_F(rules_of_nics, that_they_do_not_let_go_of_when_tables_have_changed_stay_theirs) {
  start(rules_on::automatic, "");
  nic().room = 1;
  nic().destroys = false;
  auto const grouped = [](std::string const& rule) { return "flow create 0 group 1 " + rule.substr(14); };
  auto const all = "flow isolate 0 1\nflow create 0 priority 5 ingress pattern eth / end actions jump group 1 / end\n" +
                   grouped(drop_source(1, 1)) + grouped(drop_source(2, 2));
  change_to(all);
  EXPECT_THAT(sites(), ElementsAre(cpus, nics, cpus));
  EXPECT_EQ(tables_->status()[1].why, "its NIC does not let go of rule 1");
  nic().room = 9;
  nic().destroys = true;
  change_to(all);
  EXPECT_THAT(sites(), ElementsAre(nics, nics, nics));
  EXPECT_THAT(nic().rules(0), SizeIs(3));
}

TEST_F(rules_of_nics, that_are_all_theirs_go_by_the_next_change_if_they_are_not_let_go) {
  start(rules_on::nic, drop_source(1, 1) + drop_source(2, 2));
  nic().destroys = false;
  change_to(drop_source(1, 1) + drop_source(3, 3));
  EXPECT_THAT(told_, ElementsAre("old validate 3", "old create 3", "new keep 2"));
  nic().destroys = true;
  told_.clear();
  change_to(drop_source(1, 1) + drop_source(3, 3) + drop_source(4, 4));
  EXPECT_THAT(told_, ElementsAre("new validate 4", "new destroy 2", "new create 4"));
  EXPECT_THAT(nic().rules(0), SizeIs(3));
}

TEST_F(rules_of_nics, that_a_file_validates_are_checked_and_left_out) {
  std::string const good = "flow validate 0 ingress pattern eth / ipv4 / end actions count / drop / end\n";
  start(rules_on::automatic, good + drop_source(1, 1));
  EXPECT_THAT(sites(), ElementsAre(nics));
  EXPECT_THAT(tables_->book().validated(), IsEmpty());
  auto const refusal = [&](rules_on on, std::string const& text) -> std::string {
    try {
      start(on, text);
    } catch (usage_error const& error) {
      return error.what();
    }
    return "";
  };
  auto const wrong = drop_source(1, 1) + "flow validate 0 ingress pattern eth / end actions dec_ttl / drop / end\n";
  EXPECT_THAT(refusal(rules_on::cpu, wrong),
              HasSubstr(".txt:2:1: flow validate: action dec_ttl needs ipv4 or ipv6 in the pattern"));
  auto const away = "flow validate 0 ingress pattern eth / end actions port_id id 9 / end\n";
  EXPECT_THAT(refusal(rules_on::cpu, away), HasSubstr(".txt:1:1: flow validate: port 9: none of the network's"));
  nic().refused_items = {RTE_FLOW_ITEM_TYPE_IPV4};
  EXPECT_THAT(refusal(rules_on::nic, good), HasSubstr(".txt:1:39: port 0 (net_null0) refuses the rule"));
}

TEST_F(rules_of_nics, that_a_changed_file_validates_are_checked_too) {
  auto const last = drop(9, "");
  auto const wrong = last + "flow validate 0 ingress pattern eth / end actions dec_ttl / drop / end\n";
  start(rules_on::automatic, last);
  EXPECT_THROW(change_to(wrong), usage_error);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(rules_of_nics, whose_change_is_given_up_on_the_way_are_right_and_made_up_for) {
  auto const last = drop(9, "");
  start(rules_on::automatic, last);
  {
    rules_work work{
        *tables_,
        [](flow::rule_book book) {
          (void)book.apply(flow::parse_command("flow create 0 ingress pattern eth / ipv4 / end actions drop / end"));
          return book;
        },
        "new"};
    while (!work.plan()) std::this_thread::sleep_for(std::chrono::microseconds{100});
    work.prepare();
    while (!work.make_way()) {
    }
  }
  EXPECT_THAT(sites(), ElementsAre(cpus)) << "its NIC has it no more";
  EXPECT_THAT(nic().rules(0), IsEmpty());
  change_to(last);
  EXPECT_THAT(sites(), ElementsAre(nics));
  EXPECT_THAT(nic().rules(0), SizeIs(1));
}

}  // namespace
}  // namespace packetwarp
