// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;

constexpr auto own_group = "/sys/fs/cgroup/a.slice/b.service/";
constexpr auto group_above = "/sys/fs/cgroup/a.slice/";

class limits : public machine_tree {
 protected:
  void write_status(std::string const& capabilities, std::string const& cpus_allowed) const {
    write("/proc/self/status", "CapEff:\t" + capabilities + "\nCpus_allowed_list:\t" + cpus_allowed + "\n");
  }
  void write_locked_memory(std::string const& soft) const {
    write("/proc/self/limits", "Limit  Soft Limit  Hard Limit  Units\nMax locked memory         " + soft +
                                   "              8388608              bytes     \n");
  }
  // Control groups of version 1, as older hosts have them.
  void use_version_1(std::string const& controller) const {
    write("/proc/mounts", "cgroup /sys/fs/cgroup/" + controller + " cgroup rw," + controller + " 0 0\n");
    write("/proc/self/cgroup", "4:" + controller + ":/a/b\n1:name=systemd:/\n0::/\n");
  }
};

TEST_F(limits, capabilities_are_named) {
  EXPECT_THAT(one_of("capabilities"), has_status(status::ok));
  write_status("0000000000023000", "0-7");  // without IPC_LOCK
  EXPECT_THAT(one_of("capabilities"), reads(status::warn, "CAP_IPC_LOCK missing"));
  EXPECT_EQ(one_of("capabilities").command,
            "setcap CAP_NET_ADMIN,CAP_NET_RAW,CAP_IPC_LOCK,CAP_SYS_RAWIO=ep \"$(command -v packetwarp)\"")
      << "the file keeps the rights that it has";
  write_status("0000000000000000", "0-7");
  EXPECT_THAT(one_of("capabilities"), reads(status::warn, "CAP_NET_ADMIN, CAP_NET_RAW, CAP_IPC_LOCK, CAP_SYS_RAWIO"));
  where_ = surroundings::container;
  EXPECT_THAT(one_of("capabilities").command, HasSubstr("docker run --cap-add NET_ADMIN --cap-add NET_RAW"));
}

TEST_F(limits, capabilities_that_are_none_are_unknown) {
  write_status("all", "0-7");
  EXPECT_THAT(one_of("capabilities"), has_status(status::unknown));
  write("/proc/self/status", "Name:\tx\n");
  EXPECT_THAT(one_of("capabilities"), reads(status::unknown, "CapEff"));
  make_unreadable("/proc/self/status");
  EXPECT_THAT(one_of("capabilities"), reads(status::unknown, "cannot be read"));
}

TEST_F(limits, locked_memory_has_none_or_a_capability_lifts_it) {
  EXPECT_THAT(one_of("locked-memory"), reads(status::ok, "unlimited"));
  write_locked_memory("8388608");
  EXPECT_THAT(one_of("locked-memory"), reads(status::ok, "8.00 MiB, which CAP_IPC_LOCK lifts"));
  write_status("0000000000000000", "0-7");
  EXPECT_THAT(one_of("locked-memory"), reads(status::fail, "no CAP_IPC_LOCK")) << "mlx5 is there, and locks";
  remove("/sys/bus");
  EXPECT_THAT(one_of("locked-memory"), has_status(status::warn)) << "virtual ports do without";
  EXPECT_EQ(one_of("locked-memory").command, "ulimit -l unlimited");
}

TEST_F(limits, locked_memory_that_is_not_told_is_unknown) {
  write_locked_memory("much");
  EXPECT_THAT(one_of("locked-memory"), has_status(status::unknown));
  for (auto const* odd : {"", "Max locked memory", "Max locked memory \n"}) {
    write("/proc/self/limits", odd);
    EXPECT_THAT(one_of("locked-memory"), has_status(status::unknown)) << odd;
  }
  make_unreadable("/proc/self/limits");
  EXPECT_THAT(one_of("locked-memory"), has_status(status::unknown));
}

TEST_F(limits, one_cpu_is_few) {
  EXPECT_THAT(one_of("cpus-allowed"), reads(status::ok, "8 of 8 CPUs: 0-7"));
  write_status("0", "3");
  EXPECT_THAT(one_of("cpus-allowed"), reads(status::warn, "1 of 8 CPUs: 3"));
  EXPECT_EQ(one_of("cpus-allowed").command, "taskset -c 0-7 packetwarp ...");
  for (auto const* odd : {"", "all", "7-3"}) {
    write_status("0", odd);
    EXPECT_THAT(one_of("cpus-allowed"), has_status(status::unknown)) << odd;
  }
  make_unreadable("/proc/self/status");
  EXPECT_THAT(one_of("cpus-allowed"), has_status(status::unknown));
}

TEST_F(limits, a_cpu_quota_stops_workers) {
  EXPECT_THAT(one_of("cpu-quota"), reads(status::ok, "none"));
  write(std::string{own_group} + "cpu.max", "400000 100000\n");
  EXPECT_THAT(one_of("cpu-quota"), reads(status::warn, "4.00 CPUs"));
  EXPECT_EQ(one_of("cpu-quota").command, std::string{"echo max > "} + own_group + "cpu.max");
  write(std::string{group_above} + "cpu.max", "150000 100000\n");
  EXPECT_THAT(one_of("cpu-quota"), reads(status::warn, "1.50 CPUs")) << "the group above has less";
}

TEST_F(limits, a_cpu_quota_that_is_none_is_unknown) {
  auto const quota = std::string{own_group} + "cpu.max";
  for (auto const* odd : {"", "max", "4 0", "some 100000", "1 2 3"}) {
    write(quota, odd);
    EXPECT_THAT(one_of("cpu-quota"), reads(status::unknown, "cpu.max holds no quota")) << odd;
  }
  make_unreadable("/proc/mounts");
  EXPECT_THAT(one_of("cpu-quota"), has_status(status::unknown));
}

TEST_F(limits, a_cpu_quota_of_version_1) {
  use_version_1("cpu");
  write("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_THAT(one_of("cpu-quota"), reads(status::ok, "none"));
  write("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "50000\n");
  EXPECT_THAT(one_of("cpu-quota"), reads(status::warn, "0.50 CPUs"));
  EXPECT_EQ(one_of("cpu-quota").command, "echo -1 > /sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us");
}

TEST_F(limits, memory_has_room_for_a_pool) {
  EXPECT_THAT(one_of("memory-limit"), reads(status::ok, "none"));
  write(std::string{group_above} + "memory.max", "8589934592\n");
  EXPECT_THAT(one_of("memory-limit"), reads(status::ok, "8.00 GiB"));
  write(std::string{own_group} + "memory.max", "536870912\n");
  EXPECT_THAT(one_of("memory-limit"), reads(status::warn, "512 MiB"));
  EXPECT_EQ(one_of("memory-limit").command, std::string{"echo max > "} + own_group + "memory.max");
  write(std::string{own_group} + "memory.max", "little\n");
  EXPECT_THAT(one_of("memory-limit"), reads(status::unknown, "'little'"));
  make_unreadable(std::string{own_group} + "memory.max");
  EXPECT_THAT(one_of("memory-limit"), has_status(status::unknown));
}

TEST_F(limits, memory_of_version_1_has_a_number_for_none) {
  use_version_1("memory");
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_THAT(one_of("memory-limit"), reads(status::ok, "none"));
  write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n");
  EXPECT_THAT(one_of("memory-limit"), reads(status::warn, "1.00 MiB"));
}

TEST_F(limits, a_machine_without_control_groups_has_no_limits) {
  write("/proc/mounts", "proc /proc proc rw 0 0\n");
  for (auto const* id : {"cpu-quota", "memory-limit"})
    EXPECT_THAT(one_of(id), reads(status::ok, "no control group")) << id;
  EXPECT_THAT(one_of("hugetlb-limit"), has_status(status::ok));
}

TEST_F(limits, hugepages_of_one_size_are_enough) {
  EXPECT_THAT(one_of("hugetlb-limit"), has_status(status::ok));
  write(std::string{own_group} + "hugetlb.2MB.max", "0\n");
  EXPECT_THAT(one_of("hugetlb-limit"), reads(status::ok, "none for pages of 1GB"));
  write(std::string{own_group} + "hugetlb.1GB.max", "2147483648\n");
  EXPECT_THAT(one_of("hugetlb-limit"), reads(status::ok, "2.00 GiB in pages of 1GB"));
}

TEST_F(limits, a_quota_of_all_cpus_stops_no_worker) {
  write_status("0", "2-3");
  write(std::string{own_group} + "cpu.max", "200000 100000\n");
  EXPECT_THAT(one_of("cpu-quota"), reads(status::ok, "2.00 CPUs' worth of time, and 2 CPUs to use it on"));
  write(std::string{own_group} + "cpu.max", "199000 100000\n");
  EXPECT_THAT(one_of("cpu-quota"), has_status(status::warn));
}

TEST_F(limits, a_pod_hears_of_its_manifest_and_of_no_command) {
  where_ = surroundings::pod;
  write_status("0000000000000000", "3");
  write_locked_memory("8388608");
  write(std::string{own_group} + "cpu.max", "50000 100000\n");
  write(std::string{own_group} + "memory.max", "536870912\n");
  write(std::string{own_group} + "hugetlb.2MB.max", "0\n");
  write(std::string{own_group} + "hugetlb.1GB.max", "0\n");
  for (auto const& [check, field] : std::initializer_list<std::pair<char const*, char const*>>{
           {"capabilities", "securityContext.capabilities.add: [NET_ADMIN, NET_RAW, IPC_LOCK, SYS_RAWIO]"},
           {"locked-memory", "securityContext.capabilities.add: [IPC_LOCK]"},
           {"cpus-allowed", "resources.requests.cpu and resources.limits.cpu: 2 or more, whole and equal"},
           {"cpu-quota", "cpuManagerPolicy: static"},
           {"memory-limit", "resources.limits.memory: 1024Mi or more"},
           {"hugetlb-limit", "resources.limits.hugepages-2Mi: 1024Mi"}}) {
    EXPECT_THAT(one_of(check).manifest, HasSubstr(field)) << check;
    EXPECT_EQ(one_of(check).command, "") << check;
  }
}

TEST_F(limits, few_hugepages_warn_and_none_fail) {
  write(std::string{own_group} + "hugetlb.1GB.max", "0\n");
  write(std::string{own_group} + "hugetlb.2MB.max", "4194304\n");
  EXPECT_THAT(one_of("hugetlb-limit"), reads(status::warn, "4.00 MiB in pages of 2MB"));
  write(std::string{group_above} + "hugetlb.2MB.max", "0\n");
  EXPECT_THAT(one_of("hugetlb-limit"), has_status(status::fail));
  EXPECT_EQ(one_of("hugetlb-limit").command, std::string{"echo 1073741824 > "} + group_above + "hugetlb.2MB.max")
      << "the limit that holds";
  write(std::string{own_group} + "hugetlb.2MB.max", "?\n");
  EXPECT_THAT(one_of("hugetlb-limit"), has_status(status::unknown));
}

}  // namespace
}  // namespace packetwarp::doctor
