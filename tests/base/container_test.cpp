// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/container.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace packetwarp {
namespace {

namespace fs = std::filesystem;

// A file system with some files.
class root_folder {
 public:
  root_folder() : path_{fs::path{testing::TempDir()} / "packetwarp_root"} { fs::remove_all(path_); }
  ~root_folder() { fs::remove_all(path_); }
  root_folder(root_folder const&) = delete;
  root_folder& operator=(root_folder const&) = delete;
  void write(std::string const& file, std::string const& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream{path_ / file} << text;
  }
  [[nodiscard]] fs::path const& path() const { return path_; }
  [[nodiscard]] std::optional<std::uint64_t> memory() const {
    return control_group_limit("memory", "memory.max", "memory.limit_in_bytes", path_);
  }

 private:
  fs::path path_;
};

TEST(container, has_the_smallest_limit_of_its_groups_in_version_2) {
  root_folder root;
  root.write("proc/self/cgroup", "0::/kubepods/pod1/nat\n");
  EXPECT_EQ(root.memory(), std::nullopt);
  root.write("sys/fs/cgroup/kubepods/pod1/nat/memory.max", "max\n");
  EXPECT_EQ(root.memory(), std::nullopt);
  root.write("sys/fs/cgroup/kubepods/memory.max", "4000\n");
  root.write("sys/fs/cgroup/kubepods/pod1/memory.max", "9000\n");
  EXPECT_EQ(root.memory(), 4000);
  root.write("sys/fs/cgroup/kubepods/pod1/nat/memory.max", "3000\n");
  EXPECT_EQ(root.memory(), 3000);
}

TEST(container, sees_its_own_group_as_the_root) {
  root_folder root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(root.memory(), 536870912);
}

TEST(container, has_limits_of_version_1) {
  root_folder root;
  root.write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/docker/abc\n3:memory_other:/\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(root.memory(), std::nullopt);
  root.write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "268435456\n");
  EXPECT_EQ(root.memory(), 268435456);
}

TEST(container, has_the_memory_that_the_tightest_of_its_groups_leaves) {
  root_folder root;
  root.write("proc/self/cgroup", "0::/kubepods/nat\n");
  EXPECT_EQ(memory_left(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/kubepods/nat/memory.max", "9000\n");
  EXPECT_EQ(memory_left(root.path()), 9000) << "a group that does not say what it uses";
  root.write("sys/fs/cgroup/kubepods/nat/memory.current", "5000\n");
  root.write("sys/fs/cgroup/kubepods/nat/memory.stat",
             "anon 3000\nfile 2000\nshmem 500\ninactive_file 900\nactive_file 600\nslab_reclaimable 200\n"
             "slab_unreclaimable 70\ntotal_active_file 100\n");
  EXPECT_EQ(memory_left(root.path()), 9000 - (5000 - 1700)) << "caches are given up";
  root.write("sys/fs/cgroup/kubepods/memory.max", "10000\n");
  root.write("sys/fs/cgroup/kubepods/memory.current", "12000\n");
  EXPECT_EQ(memory_left(root.path()), 0) << "a limit that was lowered";
  root.write("proc/self/cgroup", "4:memory:/docker/abc\n");
  root.write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "8000\n");
  root.write("sys/fs/cgroup/memory/docker/abc/memory.usage_in_bytes", "6000\n");
  root.write("sys/fs/cgroup/memory/docker/abc/memory.stat", "inactive_file 100\ntotal_inactive_file 1000\n");
  EXPECT_EQ(memory_left(root.path()), 3000);
}

TEST(container, is_known_by_its_engines_file_and_a_pod_by_its_environment) {
  ::unsetenv("KUBERNETES_SERVICE_HOST");
  root_folder root;
  EXPECT_EQ(find_surroundings(root.path()), surroundings::machine);
  root.write("run/.containerenv", "");
  EXPECT_EQ(find_surroundings(root.path()), surroundings::container);
  ::setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
  EXPECT_EQ(find_surroundings(root.path()), surroundings::pod);
  ::unsetenv("KUBERNETES_SERVICE_HOST");
}

}  // namespace
}  // namespace packetwarp
