// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using cpu_words = std::vector<std::string>;

// "0@0 1@0-1": each lcore at its CPUs.
std::string lcores_of(cpu_words const& given) {
  std::string text;
  for (auto const& one : read_requested_lcores(given).lcores) {
    text += (text.empty() ? "" : " ") + std::to_string(one.id) + "@" + to_text(one.cpus);
  }
  return text;
}

std::string refusal_of_cpus(cpu_words const& given, cpu_list const& usable) {
  try {
    require_usable_cpus(read_requested_lcores(given), usable);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(eal_cpus, are_read_in_each_form_that_the_eal_takes) {
  EXPECT_EQ(lcores_of({"-l", "0-1,3"}), "0@0 1@1 3@3");
  EXPECT_EQ(lcores_of({"-l3,0"}), "0@0 3@3");
  EXPECT_EQ(lcores_of({"-c", "0x15"}), "0@0 2@2 4@4");
  EXPECT_EQ(lcores_of({"-c", "A"}), "1@1 3@3");
  EXPECT_EQ(lcores_of({"--lcores=0-1"}), "0@0 1@1");
  EXPECT_EQ(lcores_of({"--lcores", "(0-2)@0, 5@(1,3), 6@2"}), "0@0 1@0 2@0 5@1,3 6@2");
  EXPECT_EQ(lcores_of({"--lcores", "(0-1)"}), "0@0-1 1@0-1");
  EXPECT_EQ(lcores_of({"--vdev=net_null0"}), "");
}

TEST(eal_cpus, that_the_machine_lacks_are_refused_in_one_line) {
  EXPECT_EQ(refusal_of_cpus({"-l", "0-2"}, {0, 1}),
            "-l: CPU 2 is not one that this process may use; it may use 0-1, and --lcores '(0-2)@0' puts several "
            "lcores on one");
  EXPECT_EQ(refusal_of_cpus({"-l", "0,127"}, {0, 1, 2}),
            "-l: CPU 127 is not one that this process may use; it may use 0-2");
  EXPECT_THAT(refusal_of_cpus({"-c", "0x7"}, {0, 1}), HasSubstr("-c: CPU 2 is not"));
  EXPECT_THAT(refusal_of_cpus({"--lcores", "0@0,1@9"}, {0, 1}), HasSubstr("--lcores: CPU 9 is not"));
  EXPECT_EQ(refusal_of_cpus({"--lcores", "(0-7)@0"}, {0}), "accepted") << "lcores may share a CPU";
  EXPECT_EQ(refusal_of_cpus({"-l", "0-1"}, {0, 1}), "accepted");
  EXPECT_EQ(refusal_of_cpus({}, {0, 1}), "accepted");
}

TEST(eal_cpus, above_the_last_lcore_need_a_number_of_their_own) {
  EXPECT_THAT(refusal_of_cpus({"-l", "200"}, {0, 200}), HasSubstr("for CPU 200 say --lcores 0@200"));
}

TEST(eal_cpus, that_are_none_are_refused) {
  for (auto const* text : {"x", "", "1-", "3-1", "0,,1", "0-9999"}) {
    EXPECT_THAT(refusal_of_cpus({"-l", text}, {0}), HasSubstr("no list of CPUs such as 0-3,8")) << text;
  }
  for (auto const* text : {"x", "", "(0-1", "0@", "0@x", "0,,1", "(0)1"}) {
    EXPECT_THAT(refusal_of_cpus({"--lcores", text}, {0}), HasSubstr("no map of lcores")) << text;
  }
  EXPECT_THAT(refusal_of_cpus({"-c", "net.yaml"}, {0}), HasSubstr("no coremask"));
  EXPECT_THAT(refusal_of_cpus({"-c", "0"}, {0}), HasSubstr("names no CPU"));
  EXPECT_EQ(refusal_of_cpus({"-l"}, {0}), "-l: needs CPUs, as -l 0-3");
  EXPECT_EQ(refusal_of_cpus({"-l", "0", "-c", "1"}, {0}), "-c beside -l: lcores are said once");
}

TEST(eal_cpus, of_this_machine_are_there) { EXPECT_THAT(usable_cpus(), testing::Not(IsEmpty())); }

TEST(eal_cpus, are_taken_out_of_words) {
  EXPECT_THAT(
      without_lcores(cpu_words{"-l", "0-3", "--no-pci", "-c3", "--lcores=1", "--main-lcore", "2", "--log-level=8"}),
      ElementsAre("--no-pci", "--log-level=8"));
}

std::string refusal_of_allowed(cpu_words const& given, cpu_list const& allowed) {
  try {
    (void)with_allowed_lcores(given, allowed);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(eal_cpus, that_are_allowed_stand_in_place_of_the_word) {
  cpu_list const four{2, 5, 6, 7};
  EXPECT_THAT(with_allowed_lcores(cpu_words{"-l", "allowed", "--vdev=a"}, four),
              ElementsAre("-l", "2,5-7", "--vdev=a"));
  EXPECT_THAT(with_allowed_lcores(cpu_words{"-lallowed"}, four), ElementsAre("-l2,5-7"));
  EXPECT_THAT(with_allowed_lcores(cpu_words{"--lcores=allowed"}, four), ElementsAre("--lcores=2,5-7"));
  EXPECT_THAT(with_allowed_lcores(cpu_words{"--no-pci", "--lcores", "allowed"}, four),
              ElementsAre("--no-pci", "--lcores", "2,5-7"));
  EXPECT_THAT(with_allowed_lcores(cpu_words{"-l", "0-1", "--vdev", "allowed"}, four),
              ElementsAre("-l", "0-1", "--vdev", "allowed"));
}

TEST(eal_cpus, that_are_allowed_and_beyond_any_lcore_get_numbers_from_0) {
  cpu_list const high{3, 130, 131};
  EXPECT_THAT(with_allowed_lcores(cpu_words{"-l", "allowed"}, high), ElementsAre("--lcores", "0@3,1@130,2@131"));
  EXPECT_THAT(with_allowed_lcores(cpu_words{"-lallowed"}, high), ElementsAre("--lcores=0@3,1@130,2@131"));
  cpu_list many(300);
  for (unsigned i = 0; i < many.size(); ++i) many[i] = i;
  EXPECT_EQ(read_requested_lcores(with_allowed_lcores(cpu_words{"-l", "allowed"}, many)).lcores.size(), 128);
}

TEST(eal_cpus, that_are_allowed_are_two_at_least) {
  EXPECT_EQ(
      refusal_of_allowed({"-l", "allowed"}, {4}),
      "-l allowed: this process may use CPU 4 only, and the master and a worker need one each; give it two CPUs or "
      "more: in a pod resources.limits.cpu and resources.requests.cpu, 2 or more, whole and equal");
  EXPECT_EQ(refusal_of_allowed({"-l", "4"}, {4}), "accepted");
}

}  // namespace
}  // namespace packetwarp
