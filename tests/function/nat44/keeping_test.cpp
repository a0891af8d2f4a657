// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "function/nat44/nat44_bed.h"
#include "function/nat44/session/session_log.h"
#include "function/nat44/session_checks.h"

namespace packetwarp::test::nat44_keeping_tests {
namespace {

// Sessions over a restart, and the messages about them.
class nat44_keeping : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  static void make(nat44_bed& bed, unsigned first_port, unsigned count) {
    for (unsigned port = first_port; port < first_port + count; ++port) {
      auto packet = coming(inside, port % 2 == 0 ? "10.0.0.2" : "10.0.0.3", "192.0.2.9").udp(port, 53).build();
      ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
    }
  }
  static std::string refusal(nat44_bed& bed, std::string const& path) {
    try {
      (void)bed.nat().restore(path);
    } catch (failure const& error) {
      return error.what();
    }
    return "restored";
  }
  std::string path_ = testing::TempDir() + "nat44_keeping_" + std::to_string(::getpid());
};

TEST_F(nat44_keeping, sessions_are_the_same_after_a_restart_and_age_as_if_there_had_been_none) {
  nat44_bed before;
  make(before, 4000, 20);
  before.nat().tick(250);
  make(before, 4010, 30);
  before.nat().save(path_);
  nat44_bed after;
  EXPECT_EQ(after.nat().restore(path_), 40u);
  EXPECT_EQ(after.sessions(), before.sessions());
  auto const tables = after.nat().cpu();
  EXPECT_EQ(check_tables(tables, tables.bucket_mask + 1).live, 40u);
  expect_translation(after, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4001).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").udp(53, 4001).build());
  after.nat().tick(51);
  after.nat().maintain();
  EXPECT_EQ(after.sessions().size(), 30u) << "ten had been idle for 250 of 300 s";
}

TEST_F(nat44_keeping, what_no_longer_fits_is_left_out) {
  nat44_bed before;
  make(before, 4000, 20);
  before.nat().save(path_);
  auto config = small_nat();
  config.first_port = 4010;
  config.port_forwards = {{nat::transport::udp, at("10.0.0.4", 1), at("203.0.113.1", 4015)}};
  nat44_bed after{config};
  EXPECT_EQ(after.nat().restore(path_), 9u);
  config.pool = {{ipv4("203.0.113.77"), ipv4("203.0.113.77")}};
  config.port_forwards.clear();
  nat44_bed elsewhere{config};
  EXPECT_EQ(elsewhere.nat().restore(path_), 0u);
}

TEST_F(nat44_keeping, a_file_that_is_missing_cut_or_something_else_is_refused_with_a_reason) {
  nat44_bed bed;
  EXPECT_NE(refusal(bed, path_).find("No such file"), std::string::npos);
  std::ofstream{path_} << "something else, and long enough";
  EXPECT_NE(refusal(bed, path_).find("no file of saved sessions"), std::string::npos);
  make(bed, 4000, 10);
  bed.nat().save(path_);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 30);
  nat44_bed after;
  EXPECT_NE(refusal(after, path_).find("ends after 9 of 10 sessions"), std::string::npos);
  EXPECT_TRUE(after.sessions().empty()) << "nothing of a file that is not whole";
}

TEST_F(nat44_keeping, a_bit_that_has_changed_on_the_disk_is_noticed_before_anything_is_restored) {
  nat44_bed before;
  make(before, 4000, 10);
  before.nat().save(path_);
  auto const size = std::filesystem::file_size(path_);
  for (auto const where : {std::uint64_t{16}, size / 2, size - 9, size - 1}) {
    before.nat().save(path_);
    std::fstream file{path_, std::ios::in | std::ios::out | std::ios::binary};
    file.seekg(static_cast<std::streamoff>(where));
    auto const byte = file.get();
    file.seekp(static_cast<std::streamoff>(where));
    file.put(static_cast<char>(byte ^ 0x10));
    file.close();
    nat44_bed after;
    EXPECT_NE(refusal(after, path_).find("checksum"), std::string::npos) << where;
    EXPECT_TRUE(after.sessions().empty());
  }
}

TEST_F(nat44_keeping, a_file_of_an_earlier_version_without_a_checksum_is_restored) {
  nat44_bed before;
  make(before, 4000, 10);
  before.nat().save(path_);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 8);
  std::fstream file{path_, std::ios::in | std::ios::out | std::ios::binary};
  file.seekp(7);
  file.put('1');
  file.close();
  nat44_bed after;
  EXPECT_EQ(after.nat().restore(path_), 10u);
}

TEST_F(nat44_keeping, sessions_that_do_not_go_on_are_told) {
  nat44_bed before;
  make(before, 4000, 10);
  before.nat().save(path_);
  nat44_bed after;
  make(after, 4004, 1);
  std::vector<nat::endpoint> told;
  auto const restored =
      after.nat().restore(path_, [&](nat::saved_session const& one) { told.push_back(nat::endpoint_of(one.outside)); });
  EXPECT_EQ(restored, 9U);
  ASSERT_EQ(told.size(), 1U) << "its outside port is in use";
  EXPECT_EQ(told.front().port, 4004);
}

TEST_F(nat44_keeping, saved_sessions_are_for_this_user_alone) {
  nat44_bed bed;
  bed.nat().save(path_);
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(nat44_keeping, the_log_has_a_line_for_each_session_made_and_ended) {
  nat44_bed bed;
  std::ostringstream all;
  std::ostringstream some;
  auto const to = [](std::ostringstream& stream) {
    return [&stream](std::string_view line) { stream << line << '\n'; };
  };
  // Began a minute before the end of 2023.
  auto const clock = [](std::uint32_t seconds) { return std::time_t{1'704'067'140} + seconds; };
  nat::session_log log{to(all), 1, clock};
  nat::session_log sampled{to(some), 8, clock};
  nat::session_log off{to(all), 0, clock};
  bed.nat().observe_with([&](nat::journal_entry const& entry) {
    log(entry);
    sampled(entry);
    off(entry);
  });
  bed.nat().tick(7);
  make(bed, 4000, 400);
  bed.nat().maintain();
  bed.nat().tick(400);
  bed.nat().maintain();
  std::istringstream lines{all.str()};
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, R"({"time":"2023-12-31T23:59:07Z","event":"made","protocol":"udp",)"
                  R"("inside":"10.0.0.2:4000","outside":"203.0.113.1:4000"})")
      << "RFC 3339, in UTC: RFC 6888, REQ-4 wants to know who had an address when";
  EXPECT_NE(all.str().find(R"({"time":"2024-01-01T00:05:40Z","event":"ended",)"), std::string::npos);
  EXPECT_EQ(std::ranges::count(all.str(), '\n'), 800);
  auto const text = some.str();
  auto const count = std::ranges::count(text, '\n');
  EXPECT_GT(count, 0);
  EXPECT_LT(count, 400);
  std::size_t made = 0;
  for (auto at = text.find("made"); at != std::string::npos; at = text.find("made", at + 1)) ++made;
  EXPECT_EQ(made * 2, static_cast<std::size_t>(count)) << "a session has both lines, or none";
}

TEST_F(nat44_keeping, a_long_journal_is_read_a_slice_a_call) {
  auto config = small_nat();
  config.sessions = 4000;
  nat44_bed bed{config};
  make(bed, 4000, 3000);
  for (std::uint64_t told : {1024u, 2048u, 3000u, 3000u}) {
    bed.nat().maintain(256);
    EXPECT_EQ(bed.nat().counts_but_live().made, told);
  }
  EXPECT_EQ(bed.nat().counts_but_live().unlogged, 0u);
}

TEST_F(nat44_keeping, a_journal_that_is_full_counts_what_it_lost_and_goes_on) {
  auto config = small_nat();
  config.journal = 16;
  nat44_bed bed{config};
  make(bed, 4000, 40);
  bed.nat().maintain();
  EXPECT_EQ(bed.nat().counts().made, 16u);
  EXPECT_EQ(bed.nat().counts().unlogged, 24u);
  EXPECT_EQ(bed.nat().counts().live, 40u);
  for (unsigned round = 0; round < 1000; ++round) {
    make(bed, 5000 + round * 10 % 500, 10);
    bed.nat().maintain();
  }
  EXPECT_EQ(bed.nat().counts().unlogged, 24u);
  EXPECT_EQ(bed.nat().counts().made, 16u + 500u);
}

}  // namespace
}  // namespace packetwarp::test::nat44_keeping_tests
