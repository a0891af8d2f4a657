// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class pci : public machine_tree {
 protected:
  std::string const nic_{nic};
  std::string const gpu_{gpu};
};

TEST_F(pci, devices_have_a_line_each) {
  for (auto const* id : {"iommu", "pcie-link"}) {
    auto const all = all_of(id);
    ASSERT_EQ(all.size(), 2u) << id;
    EXPECT_THAT(all, Each(has_status(status::ok))) << id;
    EXPECT_EQ(all[0].of, "0000:b5:00.0");
    EXPECT_EQ(all[1].of, "0000:b6:00.0");
  }
}

TEST_F(pci, checks_are_skipped_where_no_device_is_theirs) {
  remove("/sys/bus");
  for (auto const* id : {"iommu", "pcie-link", "max-read-request", "nic-node"}) {
    EXPECT_THAT(one_of(id), has_status(status::skip)) << id;
  }
}

TEST_F(pci, other_devices_are_left_alone) {
  add_device("pci0000:00", "0000:00:02.0");
  write("/sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");  // a display controller, and not NVIDIA's
  write("/sys/bus/pci/devices/0000:00:02.0/vendor", "0x1002\n");
  EXPECT_THAT(all_of("pcie-link"), SizeIs(2));
}

TEST_F(pci, a_class_that_is_none_is_unknown) {
  write(nic_ + "/class", "network\n");
  EXPECT_THAT(one_of("nic-driver"), reads(status::unknown, "'network'"));
  make_unreadable(nic_ + "/class");
  EXPECT_THAT(one_of("iommu"), has_status(status::unknown));
}

TEST_F(pci, an_iommu_that_translates_costs) {
  write(nic_ + "/iommu_group/type", "DMA-FQ\n");
  auto const all = all_of("iommu");
  EXPECT_THAT(all, ElementsAre(reads(status::warn, "translates (DMA-FQ)"), has_status(status::ok)));
  EXPECT_THAT(all[0].boot.text, HasSubstr("iommu=pt"));
  link(nic_ + "/driver", "/sys/bus/pci/drivers/vfio-pci");
  EXPECT_THAT(all_of("iommu")[0], reads(status::ok, "vfio-pci"));
}

TEST_F(pci, vfio_needs_an_iommu) {
  remove(nic_ + "/iommu_group");
  EXPECT_THAT(all_of("iommu")[0], reads(status::ok, "off"));
  link(nic_ + "/driver", "/sys/bus/pci/drivers/vfio-pci");
  EXPECT_THAT(all_of("iommu")[0], reads(status::fail, "vfio-pci"));
  write("/sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y\n");
  EXPECT_THAT(all_of("iommu")[0], reads(status::warn, "write anywhere"));
}

TEST_F(pci, an_iommu_that_says_nothing_known_is_unknown) {
  write(nic_ + "/iommu_group/type", "magic\n");
  EXPECT_THAT(all_of("iommu")[0], has_status(status::unknown));
  make_unreadable(nic_ + "/iommu_group/type");
  EXPECT_THAT(all_of("iommu"), ElementsAre(reads(status::unknown, "cannot be read"), has_status(status::ok)));
}

TEST_F(pci, a_link_has_all_lanes_at_full_speed) {
  EXPECT_THAT(all_of("pcie-link")[0], reads(status::ok, "16.0 GT/s x16 of 16.0 GT/s x16"));
  write(nic_ + "/current_link_width", "8\n");
  EXPECT_THAT(all_of("pcie-link")[0], reads(status::warn, "16.0 GT/s x8 of"));
  EXPECT_EQ(all_of("pcie-link")[0].command, "lspci -vv -s 0000:b5:00.0 | grep -E 'LnkCap|LnkSta'");
  write(nic_ + "/current_link_width", "16\n");
  write(nic_ + "/current_link_speed", "8.0 GT/s PCIe\n");
  EXPECT_THAT(all_of("pcie-link")[0], reads(status::warn, "8.0 GT/s x16 of"));
}

TEST_F(pci, an_idle_gpu_may_be_slow_but_not_narrow) {
  write(gpu_ + "/current_link_speed", "2.5 GT/s PCIe\n");
  EXPECT_THAT(all_of("pcie-link")[1], reads(status::ok, "idle GPU"));
  write(gpu_ + "/current_link_width", "4\n");
  EXPECT_THAT(all_of("pcie-link")[1], has_status(status::warn));
}

TEST_F(pci, a_link_that_is_not_told_is_unknown) {
  write(nic_ + "/current_link_speed", "Unknown\n");
  EXPECT_THAT(all_of("pcie-link")[0], has_status(status::unknown));
  write(nic_ + "/current_link_speed", "16.0 GB/s\n");
  EXPECT_THAT(all_of("pcie-link")[0], has_status(status::unknown));
  write(nic_ + "/current_link_speed", "16.0 GT/s PCIe\n");
  write(nic_ + "/current_link_width", "0\n");
  EXPECT_THAT(all_of("pcie-link")[0], has_status(status::unknown));
  make_unreadable(nic_ + "/current_link_width");
  EXPECT_THAT(all_of("pcie-link"), ElementsAre(reads(status::unknown, "cannot be read"), has_status(status::ok)));
  remove(nic_ + "/current_link_speed");
  EXPECT_THAT(all_of("pcie-link")[0], reads(status::skip, "not PCI Express"));
}

TEST_F(pci, the_nic_reads_4096_bytes_at_once) {
  EXPECT_THAT(one_of("max-read-request"), reads(status::ok, "MaxReadReq 4096 bytes, MaxPayload 256 bytes"));
  write(nic_ + "/config", config_space(0x2930));
  EXPECT_THAT(one_of("max-read-request"), reads(status::warn, "MaxReadReq 512 bytes"));
  EXPECT_EQ(one_of("max-read-request").command, "setpci -s 0000:b5:00.0 68.w=5930") << "as the readme has it";
}

TEST_F(pci, a_register_that_is_not_to_be_had_is_unknown) {
  write(nic_ + "/config", config_space(0x2930).substr(0, 64));
  EXPECT_THAT(one_of("max-read-request"), reads(status::unknown, "gives 64 bytes; root"));
  write(nic_ + "/config", config_space(0x7930));
  EXPECT_THAT(one_of("max-read-request"), reads(status::unknown, "0x7930"));
  make_unreadable(nic_ + "/config");
  EXPECT_THAT(one_of("max-read-request"), reads(status::unknown, "cannot be read"));
  write(nic_ + "/physfn/class", "0x020000\n");
  EXPECT_THAT(one_of("max-read-request"), reads(status::skip, "virtual function"));
  EXPECT_THAT(all_of("pcie-link")[0], reads(status::skip, "virtual function"));
}

TEST_F(pci, a_device_of_conventional_pci_has_no_such_register) {
  write(nic_ + "/config", std::string(256, '\0'));
  EXPECT_THAT(one_of("max-read-request"), reads(status::skip, "not PCI Express"));
}

TEST_F(pci, a_nic_s_node_has_isolated_cpus) {
  EXPECT_THAT(one_of("nic-node"), reads(status::ok, "node 0, CPUs 0-3"));
  write(std::string{cpus} + "/isolated", "5-7\n");
  EXPECT_THAT(one_of("nic-node"), reads(status::warn, "none of them isolated"));
  EXPECT_THAT(one_of("nic-node").boot.text, HasSubstr("isolcpus=1-3 nohz_full=1-3"));
  write(std::string{cpus} + "/isolated", "\n");
  EXPECT_THAT(one_of("nic-node"), has_status(status::ok));
}

TEST_F(pci, a_node_that_is_not_told_is_unknown_where_there_are_several) {
  write(nic_ + "/numa_node", "-1\n");
  EXPECT_THAT(one_of("nic-node"), reads(status::unknown, "says -1"));
  write(nic_ + "/numa_node", "left\n");
  EXPECT_THAT(one_of("nic-node"), reads(status::unknown, "no number"));
  make_unreadable(nic_ + "/numa_node");
  EXPECT_THAT(one_of("nic-node"), has_status(status::unknown));
  remove(nic_ + "/numa_node");
  write(nic_ + "/numa_node", "-1\n");
  remove("/sys/devices/system/node/node1");
  EXPECT_THAT(one_of("nic-node"), reads(status::ok, "one NUMA node"));
}

}  // namespace
}  // namespace packetwarp::doctor
