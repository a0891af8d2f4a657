// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto gib_pages_of_0 = "/sys/devices/system/node/node0/hugepages/hugepages-1048576kB/";
constexpr auto gib_pages_of_1 = "/sys/devices/system/node/node1/hugepages/hugepages-1048576kB/";

TEST_F(machine_tree, hugepages_of_every_node) {
  auto all = all_of("hugepages");
  EXPECT_THAT(all, ElementsAre(reads(status::ok, "7 of 8 x 1.00 GiB free"), has_status(status::ok)));
  EXPECT_EQ(all[1].of, "node1");
}

TEST_F(machine_tree, a_node_without_hugepages_is_a_warning_and_none_at_all_a_failure) {
  write(std::string{gib_pages_of_1} + "free_hugepages", "0\n");
  auto all = all_of("hugepages");
  EXPECT_THAT(all, ElementsAre(has_status(status::ok), reads(status::warn, "0 of 8")));
  EXPECT_EQ(all[1].command, "echo 512 > /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages");
  write(std::string{gib_pages_of_0} + "free_hugepages", "0\n");
  EXPECT_THAT(all_of("hugepages"), ElementsAre(has_status(status::fail), has_status(status::fail)));
}

TEST_F(machine_tree, a_pod_hears_of_the_limit_for_hugepages_and_of_a_volume) {
  where_ = surroundings::pod;
  write(std::string{gib_pages_of_1} + "free_hugepages", "0\n");
  write("/proc/mounts", "proc /proc proc rw 0 0\n");
  EXPECT_EQ(all_of("hugepages")[1].command, "");
  EXPECT_THAT(all_of("hugepages")[1].manifest, HasSubstr("resources.limits.hugepages-2Mi: 1024Mi"));
  EXPECT_THAT(one_of("hugetlbfs").manifest, HasSubstr("emptyDir: {medium: HugePages}"));
}

TEST_F(machine_tree, fewer_hugepages_than_wanted_are_a_warning) {
  hugepage_bytes_ = std::uint64_t{8} << 30;
  EXPECT_THAT(all_of("hugepages"), ElementsAre(reads(status::warn, "8.00 GiB should be"), has_status(status::warn)));
}

TEST_F(machine_tree, a_kernel_without_hugepages_fails) {
  remove("/sys/devices/system/node");
  EXPECT_THAT(one_of("hugepages"), reads(status::unknown, "sysfs"));
  write("/sys/kernel/mm/ksm/run", "0\n");
  EXPECT_THAT(one_of("hugepages"), reads(status::fail, "CONFIG_HUGETLBFS"));
}

TEST_F(machine_tree, numbers_of_hugepages_that_are_none_are_unknown) {
  write(std::string{gib_pages_of_0} + "nr_hugepages", "lots\n");
  for (auto const* id : {"hugepages", "hugepage-size", "hugetlb-limit"}) {
    EXPECT_THAT(one_of(id), reads(status::unknown, "'lots'")) << id;
  }
}

TEST_F(machine_tree, pages_of_1_gib) {
  EXPECT_THAT(one_of("hugepage-size"), reads(status::ok, "16 pages"));
  for (auto const* node : {gib_pages_of_0, gib_pages_of_1}) write(std::string{node} + "nr_hugepages", "0\n");
  EXPECT_THAT(one_of("hugepage-size"), has_status(status::warn));
  EXPECT_EQ(one_of("hugepage-size").boot.text, "default_hugepagesz=1G hugepagesz=1G hugepages=2");
  hugepage_bytes_ = std::uint64_t{8} << 30;
  EXPECT_EQ(one_of("hugepage-size").boot.text, "default_hugepagesz=1G hugepagesz=1G hugepages=16");
  for (auto const* node : {gib_pages_of_0, gib_pages_of_1}) remove(node);
  EXPECT_THAT(one_of("hugepage-size"), has_status(status::skip));
}

// Its kernel would find no memory for the rest, and would not boot.
TEST_F(machine_tree, a_small_machine_is_not_told_to_boot_with_pages_of_1_gib) {
  for (auto const* node : {gib_pages_of_0, gib_pages_of_1}) write(std::string{node} + "nr_hugepages", "0\n");
  hugepage_bytes_ = std::uint64_t{25} << 30;
  EXPECT_THAT(one_of("hugepage-size"),
              reads(status::skip, "25 of them would leave less than a quarter of the 32.0 GiB of node0"));
  EXPECT_EQ(one_of("hugepage-size").boot.text, "");
  write("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 1310720 kB\nNode 1 MemFree: 1310720 kB\n");
  hugepage_bytes_ = std::uint64_t{1} << 30;
  EXPECT_THAT(one_of("hugepage-size"), reads(status::skip, "of the 1.25 GiB of node1"));
  write("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 1572864 kB\nNode 1 MemFree: 1572864 kB\n");
  EXPECT_THAT(one_of("hugepage-size"), has_status(status::warn));
}

TEST_F(machine_tree, hugetlbfs_is_a_mount) {
  EXPECT_THAT(one_of("hugetlbfs"), reads(status::ok, "/dev/hugepages"));
  write("/proc/mounts", "proc /proc proc rw 0 0\nodd\n");
  EXPECT_THAT(one_of("hugetlbfs"), reads(status::warn, "--in-memory"));
  make_unreadable("/proc/mounts");
  EXPECT_THAT(one_of("hugetlbfs"), reads(status::unknown, "/proc/mounts cannot be read"));
}

TEST_F(machine_tree, zone_reclaim_is_off) {
  EXPECT_THAT(one_of("zone-reclaim"), has_status(status::ok));
  write("/proc/sys/vm/zone_reclaim_mode", "1\n");
  EXPECT_THAT(one_of("zone-reclaim"), has_status(status::warn));
  EXPECT_EQ(one_of("zone-reclaim").command, "sysctl -w vm.zone_reclaim_mode=0");
  write("/proc/sys/vm/zone_reclaim_mode", "off\n");
  EXPECT_THAT(one_of("zone-reclaim"), reads(status::unknown, "'off'"));
  make_unreadable("/proc/sys/vm/zone_reclaim_mode");
  EXPECT_THAT(one_of("zone-reclaim"), has_status(status::unknown));
}

TEST_F(machine_tree, swappiness_matters_where_there_is_swap) {
  EXPECT_THAT(one_of("swappiness"), has_status(status::ok));
  write("/proc/sys/vm/swappiness", "60\n");
  EXPECT_THAT(one_of("swappiness"), reads(status::warn, "60"));
  write("/proc/swaps", "Filename Type Size Used Priority\n");
  EXPECT_THAT(one_of("swappiness"), reads(status::ok, "no swap"));
  for (auto const* odd : {"", "\n"}) {
    write("/proc/swaps", odd);
    EXPECT_THAT(one_of("swappiness"), has_status(status::warn)) << "a list without its heading says nothing";
  }
  make_unreadable("/proc/swaps");
  EXPECT_THAT(one_of("swappiness"), has_status(status::unknown));
}

}  // namespace
}  // namespace packetwarp::doctor
