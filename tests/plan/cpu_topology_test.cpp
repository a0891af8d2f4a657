// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/cpu_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Files below a folder of its own.
class cpu_topology_test : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "cpu_topology_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(std::string const& path, std::string const& text) {
    auto const file = root_ / "sys/devices/system/cpu" / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream{file} << text;
  }
  std::filesystem::path root_;
};

TEST_F(cpu_topology_test, has_the_cores_that_are_shared_and_the_cpus_that_are_isolated) {
  write("online", "0-3,5\n");
  write("isolated", "1,3\n");
  for (auto const* cpu : {"0", "2"}) write(std::string{"cpu"} + cpu + "/topology/thread_siblings_list", "0,2\n");
  for (auto const* cpu : {"1", "3"}) write(std::string{"cpu"} + cpu + "/topology/thread_siblings_list", "1,3\n");
  write("cpu5/topology/thread_siblings_list", "5\n");
  auto const found = read_cpu_topology(root_);
  EXPECT_THAT(found.shared_cores, ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  EXPECT_THAT(found.isolated, ElementsAre(1, 3));
  EXPECT_THAT(found.core_of(3), ElementsAre(1, 3));
  EXPECT_THAT(found.core_of(5), ElementsAre(5));
  EXPECT_THAT(found.core_of(4), ElementsAre(4));
}

TEST_F(cpu_topology_test, is_empty_where_the_kernel_tells_nothing) {
  EXPECT_THAT(read_cpu_topology(root_).shared_cores, IsEmpty());
  write("online", "0-1\n");
  write("isolated", "many\n");
  auto const found = read_cpu_topology(root_);
  EXPECT_THAT(found.shared_cores, IsEmpty());
  EXPECT_THAT(found.isolated, IsEmpty());
}

}  // namespace
}  // namespace packetwarp
