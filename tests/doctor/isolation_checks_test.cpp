// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;

class isolation : public machine_tree {
 protected:
  std::string const isolated_{std::string{cpus} + "/isolated"};
  std::string const nohz_full_{std::string{cpus} + "/nohz_full"};
};

TEST_F(isolation, some_cpus_are_isolated) {
  EXPECT_THAT(one_of("isolcpus"), reads(status::ok, "CPUs 2-7"));
  write(isolated_, "\n");
  EXPECT_THAT(one_of("isolcpus"), has_status(status::warn));
  EXPECT_THAT(one_of("isolcpus").boot.text,
              HasSubstr("isolcpus=1-7 nohz_full=1-7 rcu_nocbs=1-7 rcu_nocb_poll nowatchdog nmi_watchdog=0"));
}

TEST_F(isolation, a_kernel_that_cannot_stop_the_tick_is_not_asked_to) {
  write(isolated_, "\n");
  remove(nohz_full_);
  EXPECT_THAT(one_of("isolcpus").boot.text,
              HasSubstr("isolcpus=1-7 rcu_nocbs=1-7 rcu_nocb_poll nowatchdog nmi_watchdog=0"));
}

TEST_F(isolation, cpu_0_should_not_be_among_them) {
  write(isolated_, "0-3\n");
  EXPECT_THAT(one_of("isolcpus"), reads(status::warn, "CPU 0"));
}

TEST_F(isolation, a_machine_of_one_core_has_no_command) {
  write(isolated_, "\n");
  write(std::string{cpus} + "/online", "0\n");
  EXPECT_THAT(one_of("isolcpus"), has_status(status::warn));
  EXPECT_EQ(one_of("isolcpus").boot.text, "");
}

TEST_F(isolation, lists_that_are_none_are_unknown) {
  for (auto const* text : {"many", "3-1", "1-"}) {
    write(isolated_, text);
    for (auto const* id : {"isolcpus", "nohz-full", "rcu-nocbs", "c-states"}) {
      EXPECT_THAT(one_of(id), reads(status::unknown, "no list of CPUs")) << id << " of " << text;
    }
  }
  make_unreadable(isolated_);
  EXPECT_THAT(one_of("isolcpus"), reads(status::unknown, "cannot be read"));
}

TEST_F(isolation, the_tick_stops_on_all_isolated_cpus) {
  EXPECT_THAT(one_of("nohz-full"), reads(status::ok, "2-7"));
  write(nohz_full_, "2-5\n");
  EXPECT_THAT(one_of("nohz-full"), reads(status::warn, "not the isolated 6-7"));
  write(nohz_full_, "(null)\n");
  EXPECT_THAT(one_of("nohz-full"), reads(status::warn, "no CPU"));
  remove(nohz_full_);
  EXPECT_THAT(one_of("nohz-full"), reads(status::warn, "CONFIG_NO_HZ_FULL"));
  remove(cpus);
  EXPECT_THAT(one_of("nohz-full"), has_status(status::unknown)) << "without any file, nothing is known";
}

TEST_F(isolation, callbacks_leave_all_isolated_cpus) {
  EXPECT_THAT(one_of("rcu-nocbs"), reads(status::ok, "2-7"));
  write("/proc/cmdline", "quiet\n");
  EXPECT_THAT(one_of("rcu-nocbs"), has_status(status::ok)) << "nohz_full brings it";
  remove(nohz_full_);
  EXPECT_THAT(one_of("rcu-nocbs"), reads(status::warn, "no CPU"));
  write("/proc/cmdline", "rcu_nocbs\n");
  EXPECT_THAT(one_of("rcu-nocbs"), reads(status::warn, "no CPU")) << "without a list, none does at boot";
  write("/proc/cmdline", "rcu_nocbs=2-3\n");
  EXPECT_THAT(one_of("rcu-nocbs"), reads(status::warn, "not the isolated 4-7"));
  write("/proc/cmdline", "rcu_nocbs=all\n");
  EXPECT_THAT(one_of("rcu-nocbs"), reads(status::ok, "0-7"));
  write("/proc/cmdline", "rcu_nocbs=most\n");
  EXPECT_THAT(one_of("rcu-nocbs"), has_status(status::unknown));
  make_unreadable("/proc/cmdline");
  EXPECT_THAT(one_of("rcu-nocbs"), has_status(status::unknown));
}

TEST_F(isolation, watchdogs_are_off) {
  EXPECT_THAT(one_of("watchdogs"), has_status(status::ok));
  write("/proc/sys/kernel/soft_watchdog", "1\n");
  EXPECT_THAT(one_of("watchdogs"), reads(status::warn, "NMI watchdog off, soft lockup watchdog on"));
  write("/proc/sys/kernel/nmi_watchdog", "on\n");
  EXPECT_THAT(one_of("watchdogs"), reads(status::unknown, "'on'"));
  make_unreadable("/proc/sys/kernel/nmi_watchdog");
  EXPECT_THAT(one_of("watchdogs"), has_status(status::unknown));
}

TEST_F(isolation, workers_share_no_core) {
  EXPECT_THAT(one_of("hyperthreads"), has_status(status::ok));
  write(std::string{cpus} + "/smt/active", "1\n");
  EXPECT_THAT(one_of("hyperthreads"), reads(status::ok, "one at most")) << "each has a core of its own";
  for (auto const* cpu : {"/cpu3", "/cpu7"}) write(std::string{cpus} + cpu + "/topology/thread_siblings_list", "3,7\n");
  EXPECT_THAT(one_of("hyperthreads"), reads(status::warn, "3,7 share cores"));
  write(isolated_, "\n");
  EXPECT_THAT(one_of("hyperthreads"), reads(status::warn, "several CPUs a core"));
  write(std::string{cpus} + "/smt/active", "maybe\n");
  EXPECT_THAT(one_of("hyperthreads"), reads(status::unknown, "'maybe'"));
  make_unreadable(std::string{cpus} + "/smt/active");
  EXPECT_THAT(one_of("hyperthreads"), has_status(status::unknown));
}

}  // namespace
}  // namespace packetwarp::doctor
