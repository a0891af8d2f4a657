// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/requested_pci.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using words = std::vector<std::string>;

TEST(requested_pci, reads_addresses_as_the_kernel_writes_them) {
  EXPECT_EQ(pci_address("0000:b5:00.0"), "0000:b5:00.0");
  EXPECT_EQ(pci_address("B5:00.1"), "0000:b5:00.1");
  for (auto const* text : {"", "eth0", "b5:00", "b5:00.0x", "0000:b5:00.0,", "net_null0", "1:2:3:4.5"}) {
    EXPECT_EQ(pci_address(text), std::nullopt) << text;
  }
}

TEST(requested_pci, finds_what_is_named_however_it_is_written) {
  EXPECT_THAT(requested_pci(words{"-l", "0-1", "-a", "b5:00.0,txq_inline_max=0", "--allow=0000:b5:00.1", "-ab6:00.0"}),
              ElementsAre("0000:b5:00.0", "0000:b5:00.1", "0000:b6:00.0"));
  EXPECT_THAT(requested_pci(words{"-b", "0000:b5:00.0", "--vdev=net_null0"}), IsEmpty());
}

class devices_on_pci : public testing::Test {
 protected:
  devices_on_pci() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(nic_);
    std::ofstream{nic_ / "class"} << "0x020000\n";
  }
  ~devices_on_pci() override { std::filesystem::remove_all(folder_); }

  void is_translated() const { std::filesystem::create_directory(nic_ / "iommu_group"); }
  void is_bound_to(char const* driver) const {
    std::filesystem::create_symlink(std::filesystem::path{"../../../bus/pci/drivers"} / driver, nic_ / "driver");
  }
  // As that of a device behind an IOMMU: the name of the link's target is the group's.
  void is_in_group(char const* number) const {
    std::filesystem::create_symlink(std::filesystem::path{"../../../kernel/iommu_groups"} / number,
                                    nic_ / "iommu_group");
  }
  [[nodiscard]] std::string why(std::string const& address = "0000:01:00.0") const {
    return why_no_port(address, {.devices = folder_, .groups = folder_ / "vfio", .where = where_}).value_or("no NIC");
  }

  std::filesystem::path folder_{std::filesystem::path{testing::TempDir()} / "requested_pci_test"};
  std::filesystem::path nic_{folder_ / "0000:01:00.0"};
  surroundings where_{surroundings::machine};
};

TEST_F(devices_on_pci, are_there_or_are_listed_by_lspci) {
  EXPECT_EQ(why("0000:09:00.0"), "there is no such device on PCI; lspci -D lists those there are");
  where_ = surroundings::pod;
  EXPECT_THAT(why("0000:09:00.0"), HasSubstr("resources.limits.'NAME'"));
}

TEST_F(devices_on_pci, are_no_concern_where_they_are_no_nics) {
  std::ofstream{nic_ / "class"} << "0x030200\n";
  EXPECT_EQ(why(), "no NIC");
}

TEST_F(devices_on_pci, without_a_driver_are_to_be_bound) {
  is_translated();
  EXPECT_EQ(why(), "no driver has it; give it to DPDK: dpdk-devbind.py --bind=vfio-pci 0000:01:00.0");
}

TEST_F(devices_on_pci, of_the_kernel_are_to_be_bound_unless_they_are_in_use) {
  is_translated();
  is_bound_to("e1000e");
  EXPECT_THAT(why(), HasSubstr("the kernel's e1000e has it"));
  EXPECT_THAT(why(), HasSubstr("packetwarp doctor --only nic-driver"));
}

TEST_F(devices_on_pci, cannot_be_bound_without_an_iommu) {
  EXPECT_THAT(why(), HasSubstr("vfio-pci takes none while the IOMMU is off; boot with intel_iommu=on"));
  is_bound_to("e1000e");
  EXPECT_THAT(why(), HasSubstr("the kernel's e1000e has it, and vfio-pci takes none while the IOMMU is off"));
}

TEST_F(devices_on_pci, that_no_driver_of_dpdk_took_are_vfios) {
  is_bound_to("vfio-pci");
  EXPECT_THAT(why(), HasSubstr("no driver of DPDK took it"));
  is_in_group("7");
  std::filesystem::create_directory(folder_ / "vfio");
  std::ofstream{folder_ / "vfio/7"} << "";
  EXPECT_THAT(why(), HasSubstr("no driver of DPDK took it")) << "the group can be opened";
}

TEST_F(devices_on_pci, of_vfio_whose_group_is_not_there_are_not_this_containers) {
  is_bound_to("vfio-pci");
  is_in_group("7");
  auto const group = (folder_ / "vfio/7").string();
  EXPECT_EQ(why(), group + " is not there; bind the device to vfio-pci again");
  where_ = surroundings::container;
  EXPECT_THAT(why(), HasSubstr("--device " + group));
  where_ = surroundings::pod;
  EXPECT_THAT(why(), HasSubstr("resources.limits.'NAME' of the container"));
}

TEST_F(devices_on_pci, of_the_kernel_are_a_policys_in_a_pod) {
  where_ = surroundings::pod;
  for (auto const* driver : {"", "igbvf"}) {
    if (*driver != '\0') is_bound_to(driver);
    EXPECT_THAT(why(), HasSubstr("spec.deviceType: vfio-pci of the SriovNetworkNodePolicy")) << driver;
    EXPECT_THAT(why(), Not(HasSubstr("dpdk-devbind"))) << driver;
  }
}

}  // namespace
}  // namespace packetwarp
