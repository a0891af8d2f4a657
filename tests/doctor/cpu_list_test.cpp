// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/cpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::Optional;

TEST_F(machine_tree, workers_get_all_but_the_first_core) {
  EXPECT_EQ(to_text(worker_cpus(files())), "1-7");
  write("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n");
  EXPECT_EQ(to_text(worker_cpus(files())), "1-3,5-7");
}

TEST_F(machine_tree, a_list_that_is_none_is_told_by_its_path) {
  write("/sys/devices/system/cpu/isolated", "many\n");
  EXPECT_THROW((void)isolated_cpus(files()), failure);
  write("/sys/devices/system/cpu/isolated", "(null)\n");
  EXPECT_TRUE(isolated_cpus(files()).empty());
}

TEST_F(machine_tree, the_last_of_a_boot_parameter_counts) {
  write("/proc/cmdline", "quiet isolcpus=1 rcu_nocbs isolcpus=2-3\n");
  EXPECT_THAT(boot_parameter(files(), "isolcpus"), Optional(std::string{"2-3"}));
  EXPECT_THAT(boot_parameter(files(), "rcu_nocbs"), Optional(std::string{}));
  EXPECT_FALSE(boot_parameter(files(), "isol"));
}

}  // namespace
}  // namespace packetwarp::doctor
