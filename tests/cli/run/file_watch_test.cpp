// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file_watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace packetwarp {
namespace {

namespace fs = std::filesystem;
using std::chrono_literals::operator""ms;

// Files as the kubelet has those of a ConfigMap: links through "..data", which is replaced.
class config_map {
 public:
  config_map() : path_{fs::path{testing::TempDir()} / "packetwarp_config_map"} {
    fs::remove_all(path_);
    fs::create_directories(path_);
    publish("first");
    fs::create_symlink("..data/network.yaml", file());
  }
  ~config_map() { fs::remove_all(path_); }
  config_map(config_map const&) = delete;
  config_map& operator=(config_map const&) = delete;
  void publish(std::string const& text) const {
    auto const folder = ".." + text;
    fs::create_directories(path_ / folder);
    std::ofstream{path_ / folder / "network.yaml"} << text;
    fs::remove(path_ / "..data_tmp");
    fs::create_symlink(folder, path_ / "..data_tmp");
    fs::rename(path_ / "..data_tmp", path_ / "..data");
  }
  [[nodiscard]] fs::path file() const { return path_ / "network.yaml"; }

 private:
  fs::path path_;
};

[[nodiscard]] bool changes(file_watch& watch) {
  for (int n = 0; n < 6000; ++n) {
    if (watch.take_change()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(file_watch, sees_a_config_map_that_is_replaced) {
  config_map const map;
  file_watch watch{map.file(), mark_of(map.file()), 1ms};
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(watch.take_change()) << "nothing has changed";
  map.publish("second");
  EXPECT_TRUE(changes(watch));
  map.publish("third");
  EXPECT_TRUE(changes(watch));
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(watch.take_change()) << "a change is told once";
}

TEST(file_watch, sees_a_change_from_before_it_began) {
  config_map const map;
  auto const read = mark_of(map.file());
  map.publish("second");
  file_watch watch{map.file(), read, 1ms};
  EXPECT_TRUE(changes(watch));
}

TEST(file_watch, sees_a_file_that_is_written_and_not_that_it_is_gone) {
  config_map const map;
  auto const plain = map.file().parent_path() / "plain";
  std::ofstream{plain} << "one";
  file_watch watch{plain, mark_of(plain), 1ms};
  fs::remove(plain);
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(watch.take_change());
  std::ofstream{plain} << "four";
  EXPECT_TRUE(changes(watch));
}

}  // namespace
}  // namespace packetwarp
