// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace packetwarp {
namespace {

using read_words = std::vector<std::string>;

// "-l=0-1" for an option with a value, "?-w" for an unknown one, "!x" for a stray word.
read_words read_as_text(read_words const& given) {
  read_words read;
  for (auto const& word : read_eal_words(given)) {
    read.push_back((word.is == eal_word::kind::unknown ? "?"
                    : word.is == eal_word::kind::stray ? "!"
                                                       : "") +
                   word.name + (word.value ? "=" + *word.value : ""));
  }
  return read;
}

using testing::ElementsAre;

TEST(eal_words, are_read_as_getopt_reads_them) {
  EXPECT_THAT(read_as_text({"-l", "0-1", "--vdev=net_null0", "--vdev", "net_null1", "--no-pci", "-a0000:b5:00.0"}),
              ElementsAre("-l=0-1", "--vdev=net_null0", "--vdev=net_null1", "--no-pci", "-a=0000:b5:00.0"));
  EXPECT_THAT(read_as_text({"-vl0"}), ElementsAre("-v", "-l=0")) << "letters without a value stand in front";
  EXPECT_THAT(read_as_text({"--huge-unlink", "--huge-unlink=never"}),
              ElementsAre("--huge-unlink", "--huge-unlink=never"));
  EXPECT_THAT(read_as_text({"--file-pre", "x"}), ElementsAre("--file-prefix=x")) << "a beginning that only one has";
  EXPECT_THAT(read_as_text({"--trace", "x", "--trace-dir=/tmp"}), ElementsAre("--trace=x", "--trace-dir=/tmp"));
  EXPECT_THAT(read_as_text({"-l"}), ElementsAre("-l")) << "no value is left";
  EXPECT_THAT(read_as_text({"-n", "--vdev=net_null0"}), ElementsAre("-n=--vdev=net_null0"));
}

TEST(eal_words, end_at_the_first_option_that_the_eal_does_not_have) {
  EXPECT_THAT(read_as_text({"-l", "0", "-w", "cpu", "-q"}), ElementsAre("-l=0", "?-w"));
  EXPECT_THAT(read_as_text({"-wcpu"}), ElementsAre("?-w"));
  EXPECT_THAT(read_as_text({"--json=x"}), ElementsAre("?--json"));
  EXPECT_THAT(read_as_text({"--no"}), ElementsAre("?--no")) << "many begin so";
}

std::string refusal(read_words const& given) {
  try {
    require_option_values(given);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(eal_words, without_their_values_or_with_wrong_ones_are_refused) {
  EXPECT_EQ(refusal({"-l", "0", "-m", "64", "-n4", "-vr2", "--vdev=net_null0", "--no-pci", "--huge-unlink", "-d",
                     "x.so", "--huge-unlink=never", "--trace", "x", "--fly", "-m", "x"}),
            "accepted")
      << "the words behind an unknown option are not read";
  EXPECT_EQ(refusal({"-l", "0", "--vdev"}), "--vdev: needs a value; 'dpdk-testpmd -h' says which");
  EXPECT_EQ(refusal({"--iova-mode="}), "--iova-mode: needs a value; 'dpdk-testpmd -h' says which");
  EXPECT_EQ(refusal({"-s"}), "-s: needs a value; 'dpdk-testpmd -h' says which");
  EXPECT_EQ(refusal({"--in-memory=3"}), "--in-memory=3: --in-memory takes no value; leave it out");
  EXPECT_EQ(refusal({"-m", "abc"}), "-m: 'abc' is no number; give MiB of memory, as -m 1024");
  EXPECT_EQ(refusal({"-n-4"}), "-n: '-4' is no number; give memory channels, as -n 4");
  EXPECT_EQ(refusal({"-r", "2x"}), "-r: '2x' is no number; give memory ranks, as -r 2");
  EXPECT_EQ(refusal({"--file-prefix", "../x"}),
            "--file-prefix: '../x' is part of a file's name; give a word without '/'");
}

TEST(eal_words, make_a_primary_process) {
  EXPECT_EQ(refusal({"--proc-type=primary"}), "accepted");
  EXPECT_EQ(refusal({"--proc-type=secondary"}),
            "--proc-type: 'secondary' is not for packetwarp, which has ports and memory of its own; give primary, or "
            "leave the option out");
  for (auto const* other : {"auto", "zz", "Primary"}) EXPECT_NE(refusal({"--proc-type", other}), "accepted") << other;
  EXPECT_NE(refusal({"--proc", "secondary"}), "accepted") << "a beginning that only one has";
}

TEST(eal_words, of_log_levels_have_a_level) {
  for (auto const* level : {"8", "0", "debug", "warn", "lib.eal:info", "lib.eal:8", "pmd.*,debug", "a:b,3", "help"}) {
    EXPECT_EQ(refusal({"--log-level", level}), "accepted") << level;
  }
  EXPECT_EQ(refusal({"--log-level", "zz"}),
            "--log-level: 'zz' is no level; give 0 to 8, or emergency, alert, critical, error, warning, notice, info, "
            "debug");
  for (auto const* level : {"9", "lib.eal:99", "lib.eal:", "pmd.*,loud", "debugs"}) {
    EXPECT_NE(refusal({std::string{"--log-level="} + level}), "accepted") << level;
  }
}

TEST(eal_words, that_belong_to_nothing_are_stray) {
  EXPECT_THAT(read_as_text({"net_null0", "-v", "100", "-", ""}), ElementsAre("!net_null0", "-v", "!100", "!-", "!"));
}

TEST(eal_words, are_known_by_name) {
  for (auto const* name : {"-l", "-a", "-h", "--vdev", "--huge-worker-stack"}) EXPECT_TRUE(is_eal_option(name));
  for (auto const* name : {"-w", "-", "", "--", "--vde", "-lx", "--json"}) EXPECT_FALSE(is_eal_option(name));
  for (auto const* mask : {"0x1f", "1F", "0"}) EXPECT_TRUE(is_coremask(mask));
  for (auto const* mask : {"", "0x", "net.yaml", "cap"}) EXPECT_FALSE(is_coremask(mask));
}

}  // namespace
}  // namespace packetwarp
