// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr auto interface = "enp181s0f0";
constexpr auto ask_compression = "mlxconfig -d 0000:b5:00.0 -e query CQE_COMPRESSION";
constexpr auto ask_link_type = "mlxconfig -d 0000:b5:00.0 -e query LINK_TYPE_P1";

class nics : public machine_tree {
 protected:
  std::string const nic_{nic};

  // The line of a setting among the others, as the firmware tools print it.
  void print_setting(std::string const& words, std::string const& line) {
    programs_.prints(
        words, fmt::format("Device #1:\n----------\nConfigurations:   Default   Current   Next Boot\n{}\n", line));
  }
};

TEST_F(nics, checks_are_skipped_without_one) {
  remove("/sys/bus");
  for (auto const* id : {"nic-driver", "cqe-compression", "link-type", "pause-frames"}) {
    EXPECT_THAT(one_of(id), has_status(status::skip)) << id;
  }
}

TEST_F(nics, dpdk_drives_them_beside_mlx5_or_by_vfio) {
  EXPECT_THAT(one_of("nic-driver"), reads(status::ok, "mlx5_core"));
  link(nic_ + "/driver", "/sys/bus/pci/drivers/vfio-pci");
  EXPECT_THAT(one_of("nic-driver"), reads(status::ok, "vfio-pci"));
  link(nic_ + "/driver", "/sys/bus/pci/drivers/ice");
  write(std::string{"/sys/class/net/"} + interface + "/flags", "0x1002\n");
  EXPECT_THAT(one_of("nic-driver"), reads(status::warn, "ice: the kernel has it, and its interface is down"));
  EXPECT_EQ(one_of("nic-driver").command, "dpdk-devbind.py --bind=vfio-pci 0000:b5:00.0");
  where_ = surroundings::pod;
  EXPECT_EQ(one_of("nic-driver").command, "");
  EXPECT_THAT(one_of("nic-driver").manifest, testing::HasSubstr("SriovNetworkNodePolicy: spec.deviceType: vfio-pci"));
  remove(nic_ + "/driver");
  EXPECT_THAT(one_of("nic-driver"), reads(status::warn, "none"));
}

TEST_F(nics, are_bound_to_vfio_only_where_it_takes_them) {
  remove(nic_ + "/iommu_group");
  for (auto const* driver : {"", "ice"}) {
    remove(nic_ + "/driver");
    if (*driver != '\0') link(nic_ + "/driver", std::string{"/sys/bus/pci/drivers/"} + driver);
    write(std::string{"/sys/class/net/"} + interface + "/flags", "0x1002\n");
    EXPECT_THAT(one_of("nic-driver"), reads(status::warn, "vfio-pci takes no device while the IOMMU is off")) << driver;
    EXPECT_EQ(one_of("nic-driver").command, "") << driver;
    EXPECT_NE(one_of("nic-driver").boot.text, "") << driver;
  }
  write("/sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y\n");
  EXPECT_EQ(one_of("nic-driver").command, "dpdk-devbind.py --bind=vfio-pci 0000:b5:00.0");
}

TEST_F(nics, are_not_taken_from_what_uses_them) {
  link(nic_ + "/driver", "/sys/bus/pci/drivers/ice");
  auto const flags = std::string{"/sys/class/net/"} + interface + "/flags";
  write(flags, "0x1003\n");
  EXPECT_THAT(one_of("nic-driver"), reads(status::warn, std::string{interface} + " is up"));
  EXPECT_EQ(one_of("nic-driver").command, "");
  write(flags, "0x1002\n");
  write("/sys/class/net/bond0/flags", "0x1003\n");
  link(std::string{"/sys/class/net/"} + interface + "/master", "/sys/class/net/bond0");
  EXPECT_THAT(one_of("nic-driver"), reads(status::warn, "part of another"));
  EXPECT_EQ(one_of("nic-driver").command, "");
  remove(std::string{"/sys/class/net/"} + interface + "/master");
  remove(nic_ + "/net");
  EXPECT_THAT(one_of("nic-driver"), reads(status::warn, "another network namespace"));
  EXPECT_EQ(one_of("nic-driver").command, "");
}

TEST_F(nics, that_carry_the_default_route_get_no_command_at_all) {
  constexpr auto ipv4 =
      "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
      "{}\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
      "{}\t{}\t0102A8C0\t0003\t0\t0\t0\t{}\t0\t0\t0\n";
  link(nic_ + "/driver", "/sys/bus/pci/drivers/ice");
  write(std::string{"/sys/class/net/"} + interface + "/flags", "0x1002\n");
  write("/proc/net/route", fmt::format(ipv4, interface, "other", "00000000", "00000000"));
  EXPECT_NE(one_of("nic-driver").command, "") << "another one carries it";
  write("/proc/net/route", fmt::format(ipv4, interface, interface, "00000000", "00000000"));
  EXPECT_THAT(one_of("nic-driver"), reads(status::skip, std::string{interface} + " carries the default route"));
  EXPECT_EQ(one_of("nic-driver").command, "");
  print_setting(ask_compression, "         CQE_COMPRESSION    BALANCED(0)   BALANCED(0)   BALANCED(0)");
  EXPECT_THAT(one_of("cqe-compression"), reads(status::warn, "a reset would cut off the default route"));
  EXPECT_EQ(one_of("cqe-compression").command, "");
  remove("/proc/net/route");
  std::string const none(32, '0');
  write("/proc/net/ipv6_route",
        fmt::format("{0} 00 {0} 00 fe800000000000000000000000000001 00000400 1 0 00000003 {1}\n", none, interface));
  EXPECT_THAT(one_of("nic-driver"), reads(status::skip, std::string{interface} + " carries the default route"));
}

TEST_F(nics, of_virtio_have_their_interface_a_device_further_down) {
  link(nic_ + "/driver", "/sys/bus/pci/drivers/virtio-pci");
  remove(nic_ + "/net");
  write(nic_ + "/virtio2/net/eth7/flags", "");
  write("/sys/class/net/eth7/flags", "0x1003\n");
  EXPECT_THAT(one_of("nic-driver"), reads(status::warn, "eth7 is up"));
  EXPECT_EQ(one_of("nic-driver").command, "");
}

TEST_F(nics, completions_are_compressed) {
  EXPECT_THAT(one_of("cqe-compression"), reads(status::ok, "CQE_COMPRESSION is AGGRESSIVE(1)"));
  print_setting(ask_compression, "         CQE_COMPRESSION    BALANCED(0)   BALANCED(0)   BALANCED(0)");
  EXPECT_THAT(one_of("cqe-compression"), reads(status::warn, "BALANCED(0)"));
  EXPECT_EQ(one_of("cqe-compression").command,
            "mlxconfig -d 0000:b5:00.0 -y set CQE_COMPRESSION=1 && mlxfwreset -d 0000:b5:00.0 -y reset");
  print_setting(ask_compression, "*        CQE_COMPRESSION    BALANCED(0)   BALANCED(0)   AGGRESSIVE(1)");
  EXPECT_THAT(one_of("cqe-compression"), reads(status::warn, "BALANCED(0), AGGRESSIVE(1) after a reset"));
  EXPECT_EQ(one_of("cqe-compression").command, "mlxfwreset -d 0000:b5:00.0 -y reset");
  print_setting(ask_compression, "         CQE_COMPRESSION    BALANCED(0)   AGGRESSIVE(1) BALANCED(0)");
  EXPECT_THAT(one_of("cqe-compression"), reads(status::warn, "AGGRESSIVE(1), BALANCED(0) after a reset"));
  EXPECT_EQ(one_of("cqe-compression").command, "mlxconfig -d 0000:b5:00.0 -y set CQE_COMPRESSION=1");
}

TEST_F(nics, the_firmware_tools_of_debian_serve) {
  programs_.remove("mlxconfig");
  EXPECT_THAT(one_of("cqe-compression"), reads(status::unknown, "mlxconfig is not installed"));
  EXPECT_EQ(one_of("cqe-compression").command, "apt-get install mstflint");
  programs_.prints("mstconfig -d 0000:b5:00.0 -e query CQE_COMPRESSION",
                   "CQE_COMPRESSION BALANCED(0) BALANCED(0) BALANCED(0)");
  EXPECT_EQ(one_of("cqe-compression").command,
            "mstconfig -d 0000:b5:00.0 -y set CQE_COMPRESSION=1 && mstfwreset -d 0000:b5:00.0 -y reset");
}

TEST_F(nics, a_setting_that_is_printed_otherwise_is_unknown) {
  for (auto const* odd : {"", "CQE_COMPRESSION", "CQE_COMPRESSION AGGRESSIVE(1)", "XCQE_COMPRESSION 1(1) 1(1) 1(1)"}) {
    print_setting(ask_compression, odd);
    EXPECT_THAT(one_of("cqe-compression"), reads(status::unknown, "does not print")) << odd;
  }
  programs_.fails(ask_compression, "exit status 1: -E- Failed to open the device");
  EXPECT_THAT(one_of("cqe-compression"), reads(status::unknown, "Failed to open"));
}

TEST_F(nics, the_port_speaks_ethernet) {
  EXPECT_THAT(one_of("link-type"), reads(status::skip, "Ethernet is all"));
  print_setting(ask_link_type, "LINK_TYPE_P1  IB(1)  ETH(2)  ETH(2)");
  EXPECT_THAT(one_of("link-type"), reads(status::ok, "ETH(2)"));
  print_setting(ask_link_type, "LINK_TYPE_P1  IB(1)  IB(1)  IB(1)");
  EXPECT_THAT(one_of("link-type"), reads(status::warn, "IB(1)"));
  programs_.fails(ask_link_type, "exit status 1: -E- Failed to open the device");
  EXPECT_THAT(one_of("link-type"), has_status(status::unknown));
  print_setting(ask_link_type, "\xff\x01");
  EXPECT_THAT(one_of("link-type"), has_status(status::unknown));
}

TEST_F(nics, other_vendors_and_virtual_functions_have_no_firmware_settings) {
  write(nic_ + "/physfn/class", "0x020000\n");
  EXPECT_THAT(one_of("cqe-compression"), has_status(status::skip));
  remove(nic_ + "/physfn");
  write(nic_ + "/vendor", "0x8086\n");
  EXPECT_THAT(one_of("cqe-compression"), has_status(status::skip));
}

TEST_F(nics, pause_frames_are_off) {
  EXPECT_THAT(one_of("pause-frames"), reads(status::ok, "enp181s0f0: RX off, TX off"));
  programs_.prints("ethtool -a enp181s0f0", "Pause parameters for enp181s0f0:\nRX:\ton\nTX:\toff\nRX negotiated: on\n");
  EXPECT_THAT(one_of("pause-frames"), reads(status::warn, "RX on, TX off"));
  EXPECT_EQ(one_of("pause-frames").command, "ethtool -A enp181s0f0 rx off tx off");
}

TEST_F(nics, pause_frames_that_are_not_told_are_unknown) {
  for (auto const* odd : {"", "RX: off\n", "TX: off\n", "RX: maybe\nTX: maybe\n", "\xff"}) {
    programs_.prints("ethtool -a enp181s0f0", odd);
    EXPECT_THAT(one_of("pause-frames"), reads(status::unknown, "does not say")) << odd;
  }
  programs_.fails("ethtool -a enp181s0f0", "exit status 76: netlink error: Operation not supported");
  EXPECT_THAT(one_of("pause-frames"), reads(status::unknown, "not supported"));
  programs_.remove("ethtool");
  EXPECT_THAT(one_of("pause-frames"), reads(status::unknown, "not installed"));
  EXPECT_EQ(one_of("pause-frames").command, "apt-get install ethtool");
  remove(nic_ + "/net");
  EXPECT_THAT(one_of("pause-frames"), has_status(status::skip));
}

TEST_F(nics, a_check_that_cannot_read_one_reads_the_others) {
  add_device("pci0000:00/0000:00:01.0", "0000:01:00.0");
  std::string const other = "/sys/bus/pci/devices/0000:01:00.0";
  write(other + "/class", "0x020000\n");
  write(other + "/vendor", "0x15b3\n");
  write(other + "/net/eth1/mtu", "1500\n");
  auto const all = all_of("pause-frames");
  EXPECT_THAT(all, ElementsAre(has_status(status::unknown), has_status(status::ok)));
  EXPECT_EQ(all[0].of, "0000:01:00.0");
  EXPECT_THAT(all_of("max-read-request"), SizeIs(2));
}

TEST_F(nics, rdma_devices_are_their_namespace_s_own) {
  std::string const mode = "/sys/module/ib_core/parameters/netns_mode";
  EXPECT_THAT(one_of("rdma-netns"), reads(status::ok, "exclusive"));
  write(mode, "Y\n");
  EXPECT_THAT(one_of("rdma-netns"), reads(status::warn, "shared"));
  EXPECT_THAT(one_of("rdma-netns").command, testing::HasSubstr("rdma system set netns exclusive"));
  write(mode, "1\n");
  EXPECT_THAT(one_of("rdma-netns"), reads(status::unknown, "neither Y nor N"));
  make_unreadable(mode);
  EXPECT_THAT(one_of("rdma-netns"), reads(status::unknown, "cannot be read"));
  remove("/sys/module/ib_core");
  EXPECT_THAT(one_of("rdma-netns"), has_status(status::skip));
}

}  // namespace
}  // namespace packetwarp::doctor
