// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "memory/eal_session.h"

namespace packetwarp {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using words = std::vector<std::string>;

constexpr eal_machine well_set_up{.has_free_hugepages = true, .has_hugetlbfs_mount = true};
constexpr eal_machine without_a_mount{.has_free_hugepages = true, .has_hugetlbfs_mount = false};
constexpr eal_machine without_hugepages{.has_free_hugepages = false, .has_hugetlbfs_mount = true};
constexpr eal_machine bare{};

// "packetwarp" and these words, completed.
eal_arguments complete(words more, eal_machine const& machine) {
  more.insert(more.begin(), "packetwarp");
  return complete_eal_arguments(std::move(more), machine);
}

std::string refusal_of(words more, eal_machine const& machine) {
  try {
    (void)complete(std::move(more), machine);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(eal_arguments, on_a_machine_that_is_set_up_stay_as_given_but_for_a_quieter_log) {
  auto const made = complete({"-l", "0-3", "-a", "0000:b5:00.0"}, well_set_up);
  EXPECT_THAT(made.words,
              ElementsAre("packetwarp", "-l", "0-3", "-a", "0000:b5:00.0", "--log-level=lib.telemetry:error",
                          "--log-level=*:warning", "--log-level=lib.eal:error"));
  EXPECT_THAT(made.notices, IsEmpty());
}

TEST(eal_arguments, have_no_driver_look_at_a_nic_that_nobody_named) {
  for (auto const& none : {words{}, words{"-l", "0-3", "--vdev=net_null0"}, words{"--no-pci"}}) {
    EXPECT_THAT(complete(none, well_set_up).words, Contains("--no-pci").Times(1));
  }
  for (auto const& some : {words{"-a", "0000:b5:00.0"}, words{"-a0000:b5:00.0"}, words{"--allow=0000:b5:00.0"},
                           words{"-b", "0000:b5:00.0"}, words{"--block", "0000:b5:00.0"}}) {
    EXPECT_THAT(complete(some, well_set_up).words, Not(Contains("--no-pci")));
  }
}

TEST(eal_arguments, keep_the_log_level_that_was_asked_for) {
  for (auto const& asked : {words{"--log-level=8"}, words{"--log-level", "8"}, words{"--log-level=pmd.net.*:debug"}}) {
    EXPECT_THAT(complete(asked, well_set_up).words, Not(Contains("--log-level=*:warning")));
  }
}

TEST(eal_arguments, without_a_hugetlbfs_mount_keep_memory_in_the_process_and_say_so) {
  auto const made = complete({"-l", "0"}, without_a_mount);
  EXPECT_THAT(made.words,
              ElementsAre("packetwarp", "-l", "0", "--no-pci", "--in-memory", "--log-level=lib.telemetry:error",
                          "--log-level=*:warning", "--log-level=lib.eal:error"));
  EXPECT_THAT(made.notices, ElementsAre(HasSubstr("mount -t hugetlbfs none /dev/hugepages")));
}

TEST(eal_arguments, without_a_hugetlbfs_mount_change_nothing_where_the_user_settled_it) {
  for (auto const& settled :
       {words{"--in-memory"}, words{"--no-huge"}, words{"--huge-dir", "/mnt/huge"}, words{"--huge-dir=/mnt/huge"}}) {
    auto const made = complete(settled, without_a_mount);
    auto expected = settled;
    expected.insert(expected.begin(), "packetwarp");
    expected.emplace_back("--no-pci");
    for (auto const* level : {"--log-level=lib.telemetry:error", "--log-level=*:warning", "--log-level=lib.eal:error"})
      expected.emplace_back(level);
    EXPECT_EQ(made.words, expected);
    EXPECT_THAT(made.notices, IsEmpty());
  }
}

TEST(eal_arguments, without_hugepages_run_on_ordinary_pages_and_say_what_that_costs) {
  for (auto const& machine : {without_hugepages, bare}) {
    auto const made = complete({"--vdev=net_null0"}, machine);
    EXPECT_THAT(made.words,
                ElementsAre("packetwarp", "--vdev=net_null0", "--no-pci", "--no-huge", "-m", "2048", "--no-shconf",
                            "--log-level=lib.telemetry:error", "--log-level=*:warning", "--log-level=lib.eal:error"));
    EXPECT_THAT(made.notices, ElementsAre(HasSubstr("echo 512 > /proc/sys/vm/nr_hugepages")));
  }
}

TEST(eal_arguments, without_hugepages_keep_the_amount_of_memory_that_was_asked_for) {
  for (auto const& asked : {words{"-m", "512"}, words{"-m512"}}) {
    EXPECT_THAT(complete(asked, bare).words, Not(Contains("2048")));
  }
  EXPECT_THAT(complete({"--master-lcore=1", "--main-lcore=1"}, bare).words, Contains("2048")) << "no -m was given";
}

TEST(eal_arguments, without_hugepages_lose_in_memory_which_the_eal_would_refuse) {
  auto const made = complete({"--in-memory", "--no-shconf"}, bare);
  EXPECT_THAT(made.words,
              ElementsAre("packetwarp", "--no-shconf", "--no-pci", "--no-huge", "-m", "2048",
                          "--log-level=lib.telemetry:error", "--log-level=*:warning", "--log-level=lib.eal:error"));
}

TEST(eal_arguments, with_no_huge_given_are_the_user_s_own_business) {
  auto const made = complete({"--no-huge", "-a", "0000:b5:00.0"}, bare);
  EXPECT_THAT(made.words,
              ElementsAre("packetwarp", "--no-huge", "-a", "0000:b5:00.0", "--log-level=lib.telemetry:error",
                          "--log-level=*:warning", "--log-level=lib.eal:error"));
  EXPECT_THAT(made.notices, IsEmpty());
}

TEST(eal_arguments, refuse_a_physical_port_without_hugepages_and_say_how_to_have_them) {
  for (auto const& device : {words{"-a", "0000:b5:00.0"}, words{"-a0000:b5:00.0"}, words{"--allow", "0000:b5:00.0"},
                             words{"--allow=0000:b5:00.0"}}) {
    EXPECT_EQ(refusal_of(device, bare),
              "no free hugepages, which a physical port (-a) needs for DMA; run: echo 512 > /proc/sys/vm/nr_hugepages");
    EXPECT_EQ(refusal_of(device, well_set_up), "accepted");
    EXPECT_EQ(refusal_of(device, without_a_mount), "accepted");
  }
}

TEST(eal_arguments, refuse_options_about_hugepages_where_there_are_none) {
  for (std::string const option : {"--socket-mem=1024", "--socket-limit=1024", "--huge-dir=/mnt/huge", "--huge-unlink",
                                   "--single-file-segments"}) {
    EXPECT_EQ(refusal_of({option}, bare), "no free hugepages, which " + option +
                                              " is about; leave it out to run on ordinary pages, or run: echo 512 > "
                                              "/proc/sys/vm/nr_hugepages");
    EXPECT_EQ(refusal_of({option}, well_set_up), "accepted");
  }
}

TEST(eal_arguments, do_not_mistake_a_word_that_begins_like_an_option_for_it) {
  EXPECT_EQ(refusal_of({"--allowance=1"}, bare), "accepted");
  EXPECT_THAT(complete({"--in-memory-of=x"}, without_a_mount).words, Contains("--in-memory"));
}

TEST(eal_arguments, of_a_process_beside_others_keep_memory_in_it_unless_the_eal_would_refuse_that) {
  EXPECT_THAT(with_memory_of_its_own({"-l", "0"}), ElementsAre("-l", "0", "--in-memory"));
  for (auto const* word : {"--in-memory", "--no-huge", "--legacy-mem", "--huge-unlink=never"}) {
    EXPECT_THAT(with_memory_of_its_own({word, "-l", "0"}), ElementsAre(word, "-l", "0"));
  }
}

TEST(eal_sharing, takes_memory_and_configuration_in_files) {
  EXPECT_EQ(sharing_of({"packetwarp", "-l", "0-1", "--file-prefix", "x"}), eal_sharing::with_secondaries);
  for (auto const* word : {"--in-memory", "--no-shconf", "--no-huge"}) {
    EXPECT_EQ(sharing_of({"packetwarp", word, "-l", "0"}), eal_sharing::alone);
  }
}

TEST(eal_arguments, in_a_pod_come_with_advice_about_its_manifest) {
  eal_machine const pod{.has_free_hugepages = false, .has_hugetlbfs_mount = false, .where = surroundings::pod};
  EXPECT_THAT(complete({"-l", "0"}, pod).notices,
              ElementsAre(testing::AllOf(HasSubstr("resources.limits.hugepages-2Mi"), Not(HasSubstr("nr_hugepages")))));
  EXPECT_THAT(refusal_of({"-a", "0000:01:10.0"}, pod), HasSubstr("for DMA; set resources.limits.hugepages-2Mi"));
  eal_machine const without_volume{
      .has_free_hugepages = true, .has_hugetlbfs_mount = false, .where = surroundings::pod};
  EXPECT_THAT(complete({"-l", "0"}, without_volume).notices, ElementsAre(HasSubstr("emptyDir of medium HugePages")));
  eal_machine const container{.where = surroundings::container};
  EXPECT_THAT(complete({"-l", "0"}, container).notices,
              ElementsAre(HasSubstr("--volume /dev/hugepages:/dev/hugepages")));
}

TEST(eal_arguments, without_hugepages_stay_below_the_memory_limit) {
  auto const with_limit = [](std::uint64_t mib) {
    return eal_machine{.where = surroundings::pod, .memory_limit = mib << 20};
  };
  EXPECT_THAT(complete({}, with_limit(512)).words, testing::IsSupersetOf({"-m", "384"}));
  EXPECT_THAT(complete({}, with_limit(8192)).words, testing::IsSupersetOf({"-m", "2048"}));
  EXPECT_THAT(complete({"-m", "100"}, with_limit(512)).words, Not(Contains("384")));
  EXPECT_EQ(refusal_of({}, with_limit(200)),
            "the memory limit of 200 MiB is too small for packets without hugepages; give 256 MiB or more: "
            "resources.limits.memory of the container");
  EXPECT_EQ(refusal_of({}, {.has_free_hugepages = true, .has_hugetlbfs_mount = true, .where = {}, .memory_limit = 1}),
            "accepted");
}

}  // namespace
}  // namespace packetwarp
