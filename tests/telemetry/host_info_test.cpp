// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/host_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace packetwarp::telemetry {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A root directory of its own, with the files that a test writes.
class host_info_of_tree : public testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (fs::temp_directory_path() / "host_info_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(fs::path const& path, std::string_view text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream{root_ / path} << text;
  }
  [[nodiscard]] host_info read() const { return read_host_info({}, root_); }

  fs::path root_;
};

TEST_F(host_info_of_tree, reads_what_linux_tells) {
  write("proc/cpuinfo",
        "processor\t: 0\nmodel\t\t: 17\nmodel name\t: A Processor 9: special\n\n"
        "processor\t: 1\nmodel name\t: Another\n");
  write("sys/devices/system/cpu/online", "0-3,8,10-11\n");
  write("sys/devices/system/node/online", "0-1\n");
  write("proc/meminfo", "MemTotal:       24684084 kB\nMemFree:        1 kB\n");
  write("sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "4\n");
  write("sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", "3\n");
  write("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
  write("sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "0\n");
  write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  write("etc/os-release", "NAME=\"A Distribution\"\nPRETTY_NAME=\"A Distribution 12 (name)\"\n");

  auto const host = read_host_info({.dpdk = "DPDK 22.11.7", .tsc_hz = 2.6e9}, root_);
  EXPECT_EQ(host.cpu_model, "A Processor 9: special");
  EXPECT_EQ(host.cpus, 7u);
  EXPECT_EQ(host.numa_nodes, 2u);
  EXPECT_EQ(host.memory_bytes, 24'684'084u * std::uint64_t{1024});
  ASSERT_EQ(host.hugepages.size(), 2u);
  EXPECT_EQ(host.hugepages[0].size_bytes, 2u << 20);
  EXPECT_EQ(host.hugepages[0].total, 512u);
  EXPECT_EQ(host.hugepages[0].free, 0u);
  EXPECT_EQ(host.hugepages[1].size_bytes, 1u << 30);
  EXPECT_EQ(host.hugepages[1].total, 4u);
  EXPECT_EQ(host.hugepages[1].free, 3u);
  EXPECT_EQ(host.kernel, "6.1.0-18-amd64");
  EXPECT_EQ(host.distribution, "A Distribution 12 (name)");
  EXPECT_EQ(host.dpdk, "DPDK 22.11.7");
  EXPECT_EQ(host.tsc_hz, 2.6e9);
}

TEST_F(host_info_of_tree, leaves_empty_what_is_missing) {
  auto const host = read();
  EXPECT_EQ(host.cpu_model, "");
  EXPECT_FALSE(host.cpus);
  EXPECT_FALSE(host.numa_nodes);
  EXPECT_FALSE(host.memory_bytes);
  EXPECT_TRUE(host.hugepages.empty());
  EXPECT_EQ(host.kernel, "");
  EXPECT_EQ(host.distribution, "");
  EXPECT_EQ(host.dpdk, "");
  EXPECT_FALSE(host.tsc_hz);
  EXPECT_EQ(describe(host), host.compiler) << "the compiler is always known";
}

TEST_F(host_info_of_tree, leaves_empty_what_makes_no_sense) {
  for (auto const* list : {"", "x", "0-", "3-1", "-1", "0,,1", "99999999999999999999999"}) {
    write("sys/devices/system/cpu/online", list);
    EXPECT_FALSE(read().cpus) << list;
  }
  write("proc/meminfo", "MemTotal: lots\n");
  write("sys/kernel/mm/hugepages/hugepages-bigkB/nr_hugepages", "1\n");
  write("sys/kernel/mm/hugepages/hugepages-64kB/nr_hugepages", "none\n");
  auto const host = read();
  EXPECT_FALSE(host.memory_bytes);
  ASSERT_EQ(host.hugepages.size(), 1u);
  EXPECT_FALSE(host.hugepages[0].total);
  EXPECT_FALSE(host.hugepages[0].free);
}

TEST_F(host_info_of_tree, takes_the_distribution_quoted_or_not) {
  for (auto const* line : {"PRETTY_NAME=Plain\n", "PRETTY_NAME='Plain'\n", "PRETTY_NAME=\"Plain\"\n"}) {
    write("etc/os-release", line);
    EXPECT_EQ(read().distribution, "Plain") << line;
  }
}

TEST(host_info, is_described_on_one_line) {
  host_info const host{
      .cpu_model = "A Processor",
      .cpus = 2,
      .numa_nodes = 1,
      .memory_bytes = std::uint64_t{16} << 30,
      .hugepages = {{.size_bytes = 2 << 20, .total = 512, .free = 500}, {.size_bytes = 1 << 30, .total = 0, .free = 0}},
      .kernel = "6.1.0",
      .compiler = "gcc 12.2.0"};
  EXPECT_EQ(describe(host),
            "A Processor, 2 CPUs, 1 NUMA node, 16.0 GiB, 512 x 2.00 MiB hugepages, kernel 6.1.0, gcc 12.2.0");
  EXPECT_EQ(describe({}), "unknown");
}

TEST(host_info, of_the_machine_it_runs_on_names_a_kernel_and_memory) {
  auto const host = read_host_info({});
  EXPECT_FALSE(host.kernel.empty());
  EXPECT_GT(host.memory_bytes.value_or(0), 0u);
}

}  // namespace
}  // namespace packetwarp::telemetry
