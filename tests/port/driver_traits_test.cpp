// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/driver/driver_traits.h"

#include <gtest/gtest.h>
#include <link.h>
#include <rte_devargs.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace packetwarp {
namespace {

// The folder that this process has loaded DPDK's drivers from.
std::filesystem::path folder_of_drivers() {
  std::filesystem::path folder;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        std::string_view const path{info->dlpi_name};
        if (path.find("/librte_net_") == path.npos) return 0;
        *static_cast<std::filesystem::path*>(into) = std::filesystem::path{path}.parent_path();
        return 1;
      },
      &folder);
  return folder;
}

// The files there of drivers of NICs and of their common parts, as they are; the EAL may have loaded a part of them.
std::vector<std::string> const& driver_files() {
  static auto const all = [] {
    std::vector<std::string> made;
    for (auto const& one : std::filesystem::directory_iterator{folder_of_drivers()}) {
      auto const name = one.path().filename().string();
      if (!name.starts_with("librte_net_") && !name.starts_with("librte_common_")) continue;
      std::stringstream bytes;
      bytes << std::ifstream{one.path(), std::ios::binary}.rdbuf();
      made.push_back(std::move(bytes).str());
    }
    return made;
  }();
  return all;
}

// Whether a driver has the name as one of its texts, neither shorter nor longer.
bool is_text_of_a_driver(std::string_view name) {
  using namespace std::string_literals;
  auto const text = "\0"s.append(name).append("\0"s);
  return std::ranges::any_of(driver_files(), [&](auto const& bytes) {
    return ::memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
  });
}

// Whether a bus has a driver for a virtual device of this name.
bool has_driver_for(std::string_view device) {
  rte_devargs parsed{};
  bool const has = rte_devargs_parse(&parsed, std::string{device}.c_str()) == 0;
  std::free(parsed.data);  // as rte_devargs_reset() does, which is experimental in DPDK 22.11
  return has;
}

// The EAL's drivers take each device whose name begins with theirs.
bool is_virtual_driver(std::string_view name) {
  return has_driver_for(name) && !has_driver_for(name.substr(0, name.size() - 1));
}

TEST(driver_traits, are_of_drivers_that_dpdk_has) {
  ASSERT_GT(driver_files().size(), 20U);
  ASSERT_FALSE(is_text_of_a_driver("net_nul"));
  ASSERT_FALSE(is_text_of_a_driver("net_nulls"));
  for (auto const& row : special_drivers()) EXPECT_TRUE(is_text_of_a_driver(row.name)) << row.name;
}

TEST(driver_traits, say_which_drivers_make_virtual_devices) {
  for (auto const* const wrong : {"net_nul", "net_nulls", "net_af_packets", "net_virtio"})
    ASSERT_FALSE(is_virtual_driver(wrong)) << wrong;
  for (auto const& row : special_drivers()) {
    EXPECT_EQ(is_virtual_driver(row.name), row.is_virtual) << row.name;
    EXPECT_TRUE(row.alias.empty() || is_virtual_driver(row.alias)) << row.alias;
  }
}

TEST(driver_traits, are_told_by_the_whole_name_of_a_driver) {
  for (auto const& row : special_drivers()) EXPECT_EQ(&traits_of(row.name), &row) << row.name;
  auto const& plain = traits_of("net_ice");
  EXPECT_TRUE(plain.name.empty());
  EXPECT_EQ(plain.rights, rights_of_hardware);
  for (auto const* const other : {"", "net_null0", "net_tun", "eth_null"})
    EXPECT_EQ(&traits_of(other), &plain) << other;
}

TEST(driver_traits, are_told_by_the_beginning_of_a_device_s_name) {
  for (auto const& row : special_drivers()) {
    for (auto const name : {row.name, row.alias}) {
      if (!row.is_virtual || name.empty()) continue;
      auto const found = driver_of_device(std::string{name} + "0");
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(&found->traits, &row) << name;
      EXPECT_EQ(found->called, name);
    }
  }
  auto const other = driver_of_device("eth_bond0");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->called, "eth_bond");
  EXPECT_EQ(&other->traits, &traits_of("net_bonding"));
  for (auto const* const none : {"", "null0", "net_nul", "net_virtio0", "mlx5_pci", "0000:b5:00.0"})
    EXPECT_FALSE(driver_of_device(none)) << none;
}

}  // namespace
}  // namespace packetwarp
