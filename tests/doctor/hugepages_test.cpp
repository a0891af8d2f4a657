// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/hugepages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t mib = 1 << 20, gib = 1 << 30;
constexpr auto node0 = "/sys/devices/system/node/node0/hugepages/";
constexpr auto node1 = "/sys/devices/system/node/node1/hugepages/";

class hugepages : public machine_tree {
 protected:
  void write_pool(std::string const& node, std::string const& size, int total, int free) const {
    write(node + "hugepages-" + size + "/nr_hugepages", std::to_string(total) + "\n");
    write(node + "hugepages-" + size + "/free_hugepages", std::to_string(free) + "\n");
  }
};

TEST_F(hugepages, are_read_by_node_and_size) {
  auto const pools = read_hugepages(files());
  ASSERT_EQ(pools.size(), 4u);
  EXPECT_EQ(pools[0].node, "node0");
  EXPECT_EQ(pools[0].page_bytes, 2 * mib);
  EXPECT_EQ(pools[1].page_bytes, gib);
  EXPECT_EQ(pools[1].total, 8u);
  EXPECT_EQ(pools[1].free, 7u);
  EXPECT_EQ(pools[3].node, "node1");
}

TEST_F(hugepages, are_read_of_the_machine_where_nodes_are_not_told_apart) {
  remove("/sys/devices/system/node");
  write_pool("/sys/kernel/mm/hugepages/", "2048kB", 3, 2);
  auto const pools = read_hugepages(files());
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].node, "");
  EXPECT_EQ(pools[0].total, 3u);
}

TEST_F(hugepages, of_a_node_without_memory_are_none) {
  write("/sys/devices/system/node/node1/meminfo", "Node 1 MemTotal: 0 kB\n");
  EXPECT_EQ(read_hugepages(files()).size(), 2u);
}

TEST_F(hugepages, nothing_is_planned_where_there_are_enough) {
  EXPECT_THAT(plan_hugepages(files(), 7 * gib), IsEmpty());
  EXPECT_EQ(plan_hugepages(files(), 7 * gib + 1).size(), 2u);
}

TEST_F(hugepages, a_plan_adds_what_is_missing_in_pages_of_2_mib) {
  write_pool(node0, "1048576kB", 1, 0);
  write_pool(node0, "2048kB", 10, 4);
  auto const steps = plan_hugepages(files(), gib);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].path, std::string{node0} + "hugepages-2048kB/nr_hugepages");
  EXPECT_EQ(steps[0].before, 10u);
  EXPECT_EQ(steps[0].asked, 10u + 512 - 4);
  EXPECT_EQ(steps[0].refused, "");
}

TEST_F(hugepages, a_part_of_a_page_is_a_page) {
  hugepage_pool const pool{.page_bytes = 2 * mib, .total = 5};
  EXPECT_EQ(grown(pool, 1), 6u);
  EXPECT_EQ(grown(pool, 2 * mib), 6u);
  EXPECT_EQ(grown(pool, 2 * mib + 1), 7u);
}

TEST_F(hugepages, a_tenth_of_a_node_s_memory_stays_free) {
  write_pool(node0, "1048576kB", 0, 0);
  // 16 GiB are free of 32, so up to 12.8 GiB may go.
  EXPECT_EQ(plan_hugepages(files(), 12 * gib).at(0).refused, "");
  auto const step = plan_hugepages(files(), 13 * gib).at(0);
  EXPECT_THAT(step.refused, HasSubstr("13.0 GiB"));
  auto const result = apply(files(), step);
  EXPECT_EQ(result.problem, step.refused);
  EXPECT_EQ(files().number(step.path), 0u) << "it is left alone";
}

TEST_F(hugepages, the_cache_of_files_counts_as_free_memory) {
  write_pool(node0, "1048576kB", 0, 0);
  // A gibibyte is free of 32, and eight hold files: up to 5.8 GiB may go.
  write("/sys/devices/system/node/node0/meminfo",
        "Node 0 MemTotal: 33554432 kB\nNode 0 MemFree: 1048576 kB\n"
        "Node 0 Active(file): 6291456 kB\nNode 0 Inactive(file): 2097152 kB\n");
  EXPECT_EQ(plan_hugepages(files(), 5 * gib).at(0).refused, "");
  EXPECT_THAT(plan_hugepages(files(), 6 * gib).at(0).refused, HasSubstr("of 9.00 GiB free"));
}

TEST_F(hugepages, a_step_is_written_and_read_again) {
  write_pool(node1, "1048576kB", 0, 0);
  auto const steps = plan_hugepages(files(), gib);
  ASSERT_EQ(steps.size(), 1u);
  auto const result = apply(files(), steps[0]);
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.got, 512u);
  EXPECT_EQ(files().line(std::string{node1} + "hugepages-2048kB/nr_hugepages"), "512");
}

TEST_F(hugepages, a_step_that_cannot_be_written_says_so) {
  auto const result = apply(files(), {.path = "/nowhere/nr_hugepages", .before = 3, .asked = 5});
  EXPECT_THAT(result.problem, HasSubstr("/nowhere/nr_hugepages cannot be written"));
  EXPECT_EQ(result.got, 3u);
}

TEST_F(hugepages, a_number_that_cannot_be_read_again_says_so) {
  link("/gone", "/dev/null");
  EXPECT_THAT(apply(files(), {.path = "/gone", .before = 0, .asked = 5}).problem, HasSubstr("no number"));
}

TEST_F(hugepages, a_kernel_that_gives_fewer_is_told) {
  EXPECT_EQ(result_of({.path = "/p", .asked = 5}, 5).problem, "");
  EXPECT_EQ(result_of({.path = "/p", .asked = 5}, 6).problem, "");
  EXPECT_THAT(result_of({.path = "/p", .asked = 5}, 4).problem, HasSubstr("gave 4 of 5 pages"));
}

TEST_F(hugepages, numbers_that_are_none_are_failures) {
  write(std::string{node0} + "hugepages-2048kB/free_hugepages", "some\n");
  EXPECT_THROW((void)read_hugepages(files()), failure);
  EXPECT_THROW((void)plan_hugepages(files(), gib), failure);
}

}  // namespace
}  // namespace packetwarp::doctor
