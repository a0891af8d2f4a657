// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;

class clocks : public machine_tree {
 protected:
  std::string const clocksource_{"/sys/devices/system/clocksource/clocksource0/current_clocksource"};
  std::string const available_{"/sys/devices/system/clocksource/clocksource0/available_clocksource"};
  std::string const cpu5_{std::string{cpus} + "/cpu5"};
};

TEST_F(clocks, the_kernel_s_clock_is_the_tsc) {
  EXPECT_THAT(one_of("clocksource"), reads(status::ok, "tsc"));
  write(clocksource_, "hpet\n");
  EXPECT_THAT(one_of("clocksource"), reads(status::warn, "hpet"));
  EXPECT_EQ(one_of("clocksource").command, "echo tsc > " + clocksource_);
  write(available_, "hpet acpi_pm\n");
  EXPECT_THAT(one_of("clocksource").boot.text, HasSubstr("tsc=reliable clocksource=tsc"));
  write(clocksource_, "\n");
  EXPECT_THAT(one_of("clocksource"), has_status(status::unknown));
  make_unreadable(clocksource_);
  EXPECT_THAT(one_of("clocksource"), has_status(status::unknown));
}

TEST_F(clocks, the_tsc_runs_at_one_rate) {
  EXPECT_THAT(one_of("tsc"), has_status(status::ok));
  write("/proc/cpuinfo", "flags : fpu constant_tsc\n");
  EXPECT_THAT(one_of("tsc"), reads(status::warn, "nonstop_tsc"));
  write("/proc/cpuinfo", "flags : fpu tsc nonconstant_tsc\n");
  EXPECT_THAT(one_of("tsc"), has_status(status::fail));
  write("/proc/cpuinfo", "Features : fp asimd\n");
  EXPECT_THAT(one_of("tsc"), reads(status::unknown, "flags"));
  make_unreadable("/proc/cpuinfo");
  EXPECT_THAT(one_of("tsc"), has_status(status::unknown));
}

TEST_F(clocks, no_isolated_cpu_sleeps_deeply) {
  EXPECT_THAT(one_of("c-states"), reads(status::ok, "C1, 2 us"));
  write(std::string{cpus} + "/cpu1/cpuidle/state2/disable", "0\n");
  EXPECT_THAT(one_of("c-states"), has_status(status::ok)) << "CPU 1 is none of the workers'";
  write(cpu5_ + "/cpuidle/state2/disable", "0\n");
  EXPECT_THAT(one_of("c-states"), reads(status::warn, "C6, 133 us to leave, on CPUs 5"));
  EXPECT_EQ(one_of("c-states").command, "cpupower idle-set -D 11");
  write(std::string{cpus} + "/isolated", "\n");
  EXPECT_THAT(one_of("c-states"), reads(status::warn, "on CPUs 1,5"));
}

TEST_F(clocks, c1e_is_not_deep_and_a_microsecond_more_is) {
  write(cpu5_ + "/cpuidle/state1/latency", "10\n");
  EXPECT_THAT(one_of("c-states"), has_status(status::ok));
  write(cpu5_ + "/cpuidle/state1/latency", "11\n");
  EXPECT_THAT(one_of("c-states"), has_status(status::warn));
}

TEST_F(clocks, c_states_that_are_not_told_are_unknown) {
  write(cpu5_ + "/cpuidle/state1/latency", "short\n");
  EXPECT_THAT(one_of("c-states"), reads(status::unknown, "'short'"));
  remove(cpu5_ + "/cpuidle");
  EXPECT_THAT(one_of("c-states"), reads(status::unknown, "cpu5/cpuidle is not there"));
  write(std::string{cpus} + "/cpuidle/current_driver", "none\n");
  EXPECT_THAT(one_of("c-states"), reads(status::ok, "uses none"));
  make_unreadable(std::string{cpus} + "/cpuidle/current_driver");
  EXPECT_THAT(one_of("c-states"), has_status(status::unknown));
}

TEST_F(clocks, every_cpu_s_governor_is_performance) {
  EXPECT_THAT(one_of("governor"), has_status(status::ok));
  write(cpu5_ + "/cpufreq/scaling_governor", "powersave\n");
  EXPECT_THAT(one_of("governor"), reads(status::warn, "powersave on CPUs 5"));
  EXPECT_EQ(one_of("governor").command, "cpupower frequency-set -g performance");
  make_unreadable(cpu5_ + "/cpufreq/scaling_governor");
  EXPECT_THAT(one_of("governor"), has_status(status::unknown));
  for (int cpu = 0; cpu < 8; ++cpu) remove(std::string{cpus} + "/cpu" + std::to_string(cpu) + "/cpufreq");
  EXPECT_THAT(one_of("governor"), has_status(status::skip));
  write(std::string{cpus} + "/online", "all\n");
  EXPECT_THAT(one_of("governor"), has_status(status::unknown));
}

TEST_F(clocks, turbo_is_on) {
  std::string const no_turbo = std::string{cpus} + "/intel_pstate/no_turbo",
                    boost = std::string{cpus} + "/cpufreq/boost";
  EXPECT_THAT(one_of("turbo"), has_status(status::ok));
  write(no_turbo, "1\n");
  EXPECT_THAT(one_of("turbo"), has_status(status::warn));
  EXPECT_EQ(one_of("turbo").command, "echo 0 > " + no_turbo);
  write(no_turbo, "?\n");
  EXPECT_THAT(one_of("turbo"), has_status(status::unknown));
  make_unreadable(no_turbo);
  EXPECT_THAT(one_of("turbo"), has_status(status::unknown));
  remove(no_turbo);
  EXPECT_THAT(one_of("turbo"), has_status(status::skip));
  write(boost, "0\n");
  EXPECT_EQ(one_of("turbo").command, "echo 1 > " + boost);
  write(boost, "1\n");
  EXPECT_THAT(one_of("turbo"), has_status(status::ok));
}

}  // namespace
}  // namespace packetwarp::doctor
