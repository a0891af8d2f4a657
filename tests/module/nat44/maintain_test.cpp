// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "module/nat44/nat44_module.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t sessions = 1000;
constexpr std::uint32_t records = 4096;  // of the table
// A third of them ages.
constexpr maintain_budget small{.entries = 96};
constexpr std::uint32_t aged_at_once = 32;
constexpr std::uint32_t saved_at_once = 64;

// The module with sessions that a file brings.
class nat44_maintenance : public testing::Test {
 protected:
  nat44_maintenance() {
    nat::session_file_writer file{state_};
    for (std::uint32_t n = 0; n < sessions; ++n) {
      auto const port = static_cast<std::uint16_t>(2000 + n);
      file.add({nat::key_of(nat::transport::udp, {{0x0a00'0002}, port}),
                nat::key_of(nat::transport::udp, {{0xcb00'7101}, port}), 0, 0});
    }
    file.finish();
    nat44_section section;
    section.config.pool = {{{0xcb00'7101}, {0xcb00'7101}}};
    section.config.sessions = records;
    section.config.per_host = 0;
    section.config.per_prefix = 0;
    section.config.interfaces = {nat::side::inside, nat::side::outside};
    section.state = state_;
    section.state_period = 0;
    module_.emplace(section, table_places{});
  }
  ~nat44_maintenance() override {
    std::filesystem::remove(state_);
    std::filesystem::remove(saved_);
  }
  [[nodiscard]] std::uint64_t live() { return module_->table().part(0).counts().live; }

  std::string const state_ = testing::TempDir() + "nat44_maintenance_" + std::to_string(::getpid());
  std::string const saved_ = state_ + "_saved";
  std::optional<nat44_module> module_;
};

TEST_F(nat44_maintenance, ages_no_more_sessions_at_once_than_its_budget_has) {
  ASSERT_EQ(live(), sessions);
  constexpr std::chrono::hours later{1};
  auto before = live();
  for (std::uint32_t call = 0; call <= records / aged_at_once + 1; ++call) {
    module_->maintain(later, small);
    EXPECT_LE(before - live(), aged_at_once);
    before = live();
  }
  EXPECT_EQ(live(), 0u) << "and comes to all of them in time";
}

TEST_F(nat44_maintenance, saves_to_no_file_of_the_runs_own) {
  for (auto const& own : {saved_, saved_ + ".new"}) {
    std::ofstream{own} << "as it was";
    auto const save = module_->begin_save(saved_, {own});
    ASSERT_NE(save, nullptr);
    while (!save->is_over()) {
      module_->maintain(std::chrono::seconds{0}, small);
      std::this_thread::yield();
    }
    EXPECT_TRUE(save->is_refused()) << own;
    EXPECT_NE(save->error().find(own + ": the running packetwarp"), std::string::npos) << save->error();
    std::string kept;
    std::getline(std::ifstream{own}, kept);
    EXPECT_EQ(kept, "as it was");
    std::filesystem::remove(own);
  }
}

TEST_F(nat44_maintenance, saves_no_more_records_at_once_than_its_budget_has) {
  auto const save = module_->begin_save(saved_);
  ASSERT_NE(save, nullptr);
  while (!save->is_over()) {
    auto const before = save->records_seen();
    module_->maintain(std::chrono::seconds{0}, small);
    ASSERT_LE(save->records_seen() - before, saved_at_once);
    std::this_thread::yield();
  }
  EXPECT_GE(save->records_seen(), records);
  EXPECT_EQ(save->error(), "");
  EXPECT_EQ(save->sessions(), sessions);
}

TEST_F(nat44_maintenance, does_all_at_once_where_the_budget_allows_it) {
  module_->maintain(std::chrono::hours{1}, {.entries = 3 * records});
  EXPECT_EQ(live(), 0u);
}

}  // namespace
}  // namespace packetwarp
