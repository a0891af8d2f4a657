// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/tables_change.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "master/forwarding_fixture.h"

namespace packetwarp::test {
namespace {

using ::testing::ElementsAre;

// The steps that a test's changes have been asked for, as "a plan".
using steps_taken = std::vector<std::string>;

// Takes two calls for each step that may take several, and throws in one step if told to.
class noted_change final : public module_change {
 public:
  noted_change(std::string name, steps_taken& to, std::string refuses = "")
      : name_{std::move(name)}, to_{to}, refuses_{std::move(refuses)} {}
  bool plan() override { return twice("plan"); }
  void prepare() override { note("prepare"); }
  bool apply() override { return twice("apply"); }
  bool undo() override { return twice("undo"); }
  bool make_way() override { return twice("make way"); }
  void publish() override { note("publish"); }
  bool finish() override { return twice("finish"); }

 private:
  void note(std::string const& step) {
    if (step == refuses_) throw usage_error(name_ + " refuses");
    to_.push_back(name_ + " " + step);
  }
  bool twice(std::string const& step) {
    if (begun_ != step) {
      begun_ = step;
      return false;
    }
    begun_.clear();
    note(step);
    return true;
  }

  std::string name_;
  steps_taken& to_;
  std::string refuses_;
  std::string begun_;
};

class marked_module final : public stage_module {
 public:
  explicit marked_module(steps_taken& to) : to_{to} {}
  [[nodiscard]] std::string_view name() const override { return "marked"; }
  void add_tables(function_tables&) const override {}
  [[nodiscard]] std::unique_ptr<module_change> change_to(std::shared_ptr<network_config const>) override {
    return nullptr;
  }
  void mark() override { to_.emplace_back("mark"); }
  void reclaim() override { to_.emplace_back("reclaim"); }

 private:
  steps_taken& to_;
};

class tables_changed : public forwarding_fixture {
 protected:
  // Runs until all replaced parts are given up, or to the exception.
  void change(std::string const& first_refuses = "", std::string const& second_refuses = "") {
    module_list modules;
    modules.push_back(std::make_unique<marked_module>(taken_));
    std::optional<change_turns> turns;
    std::optional<tables_change> one;
    bool is_done = false;
    run([&](data_plane& plane, supervisor& inner) {
      if (!turns) {
        turns.emplace(plane, modules);
        std::vector<std::unique_ptr<module_change>> changes;
        changes.push_back(std::make_unique<noted_change>("a", taken_, first_refuses));
        changes.push_back(std::make_unique<noted_change>("b", taken_, second_refuses));
        one.emplace(*turns, nullptr, std::move(changes));
      }
      try {
        if (!is_done && one->step()) is_done = true;
      } catch (usage_error const& wrong) {
        refused_ = wrong.what();
        is_done = true;
        one.reset();
      }
      if (is_done) turns->poll(1);
      if (!taken_.empty() && taken_.back() == "reclaim") inner.finish();
    });
  }

  steps_taken taken_;
  std::string refused_;
};

TEST_F(tables_changed, goes_through_its_steps_side_by_side) {
  change();
  EXPECT_EQ(refused_, "");
  EXPECT_THAT(taken_, ElementsAre("a plan", "b plan", "a prepare", "b prepare", "a apply", "b apply", "a make way",
                                  "b make way", "a publish", "b publish", "a finish", "b finish", "mark", "reclaim"));
}

TEST_F(tables_changed, does_nothing_where_one_is_wrong) {
  change("", "plan");
  EXPECT_EQ(refused_, "b refuses");
  EXPECT_THAT(taken_, ElementsAre("a plan", "mark", "reclaim"));
}

TEST_F(tables_changed, has_no_entry_changed_where_there_is_no_room) {
  change("", "prepare");
  EXPECT_EQ(refused_, "b refuses");
  EXPECT_THAT(taken_, ElementsAre("a plan", "b plan", "a prepare", "mark", "reclaim"));
}

TEST_F(tables_changed, is_undone_by_all_where_entries_find_no_room) {
  change("", "apply");
  EXPECT_EQ(refused_, "b refuses");
  EXPECT_THAT(taken_, ElementsAre("a plan", "b plan", "a prepare", "b prepare", "a apply", "a undo", "b undo", "mark",
                                  "reclaim"));
}

TEST_F(tables_changed, is_undone_by_all_where_the_last_step_is_refused) {
  change("make way");
  EXPECT_EQ(refused_, "a refuses");
  EXPECT_THAT(taken_, ElementsAre("a plan", "b plan", "a prepare", "b prepare", "a apply", "b apply", "a undo",
                                  "b undo", "mark", "reclaim"));
}

TEST_F(tables_changed, waits_for_the_turn_of_another) {
  module_list modules;
  std::optional<change_turns> turns;
  std::shared_ptr<void> of_another;
  std::optional<tables_change> one;
  unsigned looks = 0;
  run([&](data_plane& plane, supervisor& inner) {
    if (!turns) {
      turns.emplace(plane, modules);
      of_another = turns->begin();
      std::vector<std::unique_ptr<module_change>> changes;
      changes.push_back(std::make_unique<noted_change>("a", taken_));
      one.emplace(*turns, nullptr, std::move(changes));
    }
    if (looks++ < 10) {
      EXPECT_EQ(turns->begin(), nullptr);
      EXPECT_FALSE(one->step());
      EXPECT_TRUE(taken_.empty());
      return;
    }
    of_another.reset();
    turns->poll(1);
    if (one->step()) inner.finish();
  });
  EXPECT_EQ(taken_.back(), "a finish");
}

}  // namespace
}  // namespace packetwarp::test
