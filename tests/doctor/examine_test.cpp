// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/examine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;

std::set<std::string_view> ids_of(std::vector<check const*> const& chosen) {
  std::set<std::string_view> ids;
  for (auto const* one : chosen) ids.insert(one->id);
  return ids;
}

TEST(choose_checks, takes_all_some_or_a_subject) {
  EXPECT_EQ(choose_checks("").size(), all_checks().size());
  EXPECT_EQ(ids_of(choose_checks("tsc,iommu")), (std::set<std::string_view>{"tsc", "iommu"}));
  EXPECT_EQ(ids_of(choose_checks("gpu,gdrcopy")),
            (std::set<std::string_view>{"gpu-driver", "cuda", "gpudirect", "gdrcopy", "gpu-distance"}));
}

TEST(choose_checks, refuses_what_it_does_not_know) {
  try {
    (void)choose_checks("cpu,speed");
    FAIL();
  } catch (usage_error const& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("--only: no check is called 'speed'; allowed are memory, cpu, pci"));
  }
  for (auto const* const only : {"cpu,", ",cpu", "cpu,,pci", ","}) {
    EXPECT_THROW((void)choose_checks(only), usage_error) << only;
  }
}

TEST(all_checks, have_names_of_their_own_and_a_reason) {
  std::set<std::string_view> names;
  for (auto const& one : all_checks()) {
    EXPECT_TRUE(names.insert(one.id).second) << one.id;
    EXPECT_FALSE(one.why.empty()) << one.id;
    EXPECT_NE(one.read, nullptr) << one.id;
  }
  for (auto const& one : all_checks()) EXPECT_FALSE(names.contains(one.subject)) << one.subject << " is a subject";
}

TEST_F(machine_tree, a_machine_as_it_should_be_has_nothing_to_do) {
  for (auto const& one : all_checks()) {
    for (auto const& seen : all_of(std::string{one.id})) {
      auto const expected = one.id == "link-type" ? status::skip : status::ok;
      EXPECT_THAT(seen, has_status(expected)) << one.id;
      EXPECT_EQ(seen.command, "") << one.id;
    }
  }
}

// Without any file: no check may pass without having read something, except checks that say so.
TEST_F(machine_tree, an_empty_root_is_never_ok) {
  std::filesystem::remove_all(root_);
  std::filesystem::create_directories(root_);
  cuda_ = {.driver = {}, .runtime = {}, .problem = "no NVIDIA driver here"};
  for (auto const* program : {"mlxconfig", "ethtool"}) programs_.remove(program);
  for (auto const& one : all_checks()) {
    for (auto const& seen : all_of(std::string{one.id})) {
      EXPECT_NE(seen.is, status::ok) << one.id << ": " << seen.text;
      EXPECT_FALSE(seen.text.empty()) << one.id;
    }
  }
}

// Every file holds bytes that no kernel writes: each check gives a result, and none throws.
TEST_F(machine_tree, garbage_everywhere_is_survived) {
  std::vector<std::filesystem::path> all;
  for (auto const& entry : std::filesystem::recursive_directory_iterator{root_}) {
    if (entry.is_regular_file() && !entry.is_symlink()) all.push_back(entry.path());
  }
  for (auto const* garbage : {"", "\n", "\xff\xfe", "0", "-1", "99999999999999999999999", ":::", "a b c d e"}) {
    for (auto const& path : all) {
      auto const name = path.string().substr(root_.string().size());
      bool const makes_a_device = name.ends_with("/class") || name.ends_with("/vendor");
      if (!makes_a_device) write(name, garbage);
    }
    for (auto const& one : all_checks()) EXPECT_FALSE(all_of(std::string{one.id}).empty()) << one.id;
  }
}

TEST_F(machine_tree, only_a_failure_fails) {
  auto const with = [](status is) { return std::vector<finding>{{.seen = {.is = status::ok}}, {.seen = {.is = is}}}; };
  for (auto const is : {status::ok, status::warn, status::skip, status::unknown}) EXPECT_FALSE(any_fails(with(is)));
  EXPECT_TRUE(any_fails(with(status::fail)));
}

}  // namespace
}  // namespace packetwarp::doctor
