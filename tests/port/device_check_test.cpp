// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/device_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace packetwarp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string refusal_of_device(std::string device, drivers known = drivers::of_dpdk) {
  auto const devices = requested_devices(std::vector<std::string>{"--vdev", std::move(device)});
  try {
    require_known_drivers(devices, known);
    require_known_arguments(devices, known);
    require_interfaces(devices, surroundings::machine);
  } catch (usage_error const& wrong) {
    return wrong.what();
  } catch (failure const& missing) {
    return std::string{"failed: "} + missing.what();
  }
  return "accepted";
}

TEST(device_check, knows_the_drivers_of_dpdk) {
  for (auto const* name :
       {"net_null0", "net_null_in,copy=0", "net_ring0", "eth_pcap1,rx_pcap=x", "net_tap0,iface=new0", "virtio_user0",
        "net_virtio_user3", "net_memif", "crypto_aesni_mb0", "net_vhost0,iface=/x"}) {
    EXPECT_EQ(refusal_of_device(name), "accepted");
  }
  for (auto const* name : {"net_fly0", "null0", "", "net_nul0", "af_packet,iface=lo", "0000:b5:00.0"}) {
    EXPECT_THAT(refusal_of_device(name), AllOf(HasSubstr("--vdev=" + std::string{name} + ": no driver of DPDK"),
                                               HasSubstr("net_af_packet"), HasSubstr("-d LIB.so")));
    EXPECT_EQ(refusal_of_device(name, drivers::and_others), "accepted") << "its driver may be in the library of -d";
  }
}

TEST(device_check, refuses_a_name_that_two_devices_have) {
  auto const refusal = [](std::vector<std::string> const& words) -> std::string {
    try {
      require_distinct_names(requested_devices(words));
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal({"--vdev=net_null0", "--vdev", "net_null1", "--vdev=net_ring0"}), "accepted");
  EXPECT_EQ(refusal({"--vdev=net_null0", "--vdev", "net_null0,size=64"}),
            "--vdev=net_null0,size=64: another --vdev has the name 'net_null0'; give each device a number of its own");
}

TEST(device_check, refuses_values_that_are_not_the_numbers_that_they_have_to_be) {
  for (auto const* name : {"net_null0,size=0x40", "net_pcap0,rx_pcap=a,infinite_rx=1,phy_mac=0",
                           "net_memif0,id=0,rsize=10", "net_vhost0,iface=/x,queues=x"}) {
    EXPECT_EQ(refusal_of_device(name), "accepted");
  }
  EXPECT_EQ(refusal_of_device("net_null0,size=abc"),
            "--vdev=net_null0,size=abc: size=abc: 'abc' is no number of 1 to 65535");
  for (auto const* name :
       {"net_null0,size=0", "net_null0,size=64k", "net_null0,copy=yes", "eth_null0,size=-1",
        "net_pcap0,rx_pcap=a,infinite_rx=true", "net_af_packet0,iface=lo,framesz=", "net_memif0,id=x"}) {
    EXPECT_THAT(refusal_of_device(name), HasSubstr("is no number of ")) << name;
  }
  EXPECT_EQ(refusal_of_device("net_null0,size=65535"), "accepted");
  EXPECT_EQ(refusal_of_device("net_null0,size=65536"),
            "--vdev=net_null0,size=65536: size=65536: '65536' is no number of 1 to 65535");
  EXPECT_THAT(refusal_of_device("net_memif0,bsize=65536"), HasSubstr("'65536' is no number of 1 to 65535"));
}

// The driver takes entry n to lie n entries after the first one; the kernel begins a block with a new entry.
TEST(device_check, refuses_ring_entries_that_do_not_divide_their_blocks) {
  for (auto const* given : {"", ",framesz=1024", ",framesz=4096", ",framesz=2080,blocksz=266240", ",blocksz=8192"}) {
    EXPECT_EQ(refusal_of_device(std::string{"net_af_packet0,iface=lo"} + given), "accepted") << given;
  }
  EXPECT_EQ(
      refusal_of_device("net_af_packet0,iface=lo,framesz=2080"),
      "--vdev=net_af_packet0,iface=lo,framesz=2080: a block of 4096 bytes (blocksz) is not a multiple of an entry "
      "of 2080 (framesz): packets would be lost; give framesz=2080,blocksz=266240");
  EXPECT_THAT(refusal_of_device("net_af_packet0,iface=lo,framesz=8192"), HasSubstr("give framesz=8192,blocksz=8192"));
}

TEST(device_check, knows_the_arguments_of_common_drivers) {
  for (auto const* name : {"net_null0,size=64,copy=1,no-rx=1", "net_pcap0,rx_pcap=a,rx_pcap=b,tx_pcap=c,infinite_rx=1",
                           "net_tap0,iface=new0,mac=fixed", "net_memif0,role=server,socket-abstract=no",
                           "net_vhost0,anything=1", "net_bonding0,mode=1", "net_null_in", "crypto_null0,fly=1"}) {
    EXPECT_EQ(refusal_of_device(name), "accepted");
  }
  EXPECT_EQ(refusal_of_device("net_null0,bad=1"),
            "--vdev=net_null0,bad=1: net_null has no argument 'bad'; there are size, copy, no-rx");
  EXPECT_EQ(refusal_of_device("eth_ring1,copy"),
            "--vdev=eth_ring1,copy: eth_ring has no argument 'copy'; there are nodeaction, internal");
  EXPECT_THAT(refusal_of_device("net_tap0,iface=a,size=1"), HasSubstr("net_tap has no argument 'size'; there are"));
  EXPECT_THAT(refusal_of_device("net_null0,"), HasSubstr("accepted"));
  EXPECT_THAT(refusal_of_device("net_null0,,size=64"), HasSubstr("has no argument ''"));
  EXPECT_EQ(refusal_of_device("net_null0,bad=1", drivers::and_others), "accepted");
}

TEST(device_check, wants_an_interface_where_the_driver_does_and_one_that_is_there) {
  EXPECT_EQ(refusal_of_device("net_af_packet0,iface=lo"), "accepted");
  EXPECT_EQ(refusal_of_device("net_af_packet0"),
            "--vdev=net_af_packet0: net_af_packet needs an interface; give it as iface=eth1");
  EXPECT_EQ(refusal_of_device("net_af_xdp0,start_queue=0"),
            "--vdev=net_af_xdp0,start_queue=0: net_af_xdp needs an interface; give it as iface=eth1");
  EXPECT_EQ(
      refusal_of_device("net_af_packet0,iface=nowhere0"),
      "failed: --vdev=net_af_packet0,iface=nowhere0: iface=nowhere0: there is no such interface here; 'ip -br link' "
      "lists them");
  EXPECT_THAT(refusal_of_device("net_pcap0,rx_iface=nowhere0,tx_iface=lo"),
              AllOf(StartsWith("failed: "), HasSubstr("rx_iface=nowhere0: there is no such")));
  EXPECT_EQ(refusal_of_device("net_pcap0,rx_pcap=a.pcap"), "accepted");
}

template <class Require>
std::string refusal_of(Require require) {
  try {
    require();
  } catch (std::runtime_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(device_check, tells_a_pod_of_the_annotation_that_gives_an_interface) {
  auto const devices = requested_devices(std::vector<std::string>{"--vdev=net_af_packet0,iface=nowhere0"});
  EXPECT_THAT(refusal_of([&] { require_interfaces(devices, surroundings::pod); }),
              AllOf(HasSubstr("k8s.v1.cni.cncf.io/networks"), Not(HasSubstr("ip -br"))));
}

TEST(device_check, wants_the_right_without_which_the_kernel_refuses_the_driver) {
  auto const refusal = [](std::string device, capability_set own, surroundings where) {
    auto const devices = requested_devices(std::vector<std::string>{"--vdev", std::move(device)});
    return refusal_of([&] { require_rights(devices, own, where); });
  };
  using enum surroundings;
  EXPECT_EQ(refusal("net_af_packet0,iface=lo", {capability::net_raw, capability::net_admin}, pod), "accepted");
  EXPECT_EQ(refusal("net_tap0", {capability::net_admin}, pod), "accepted");
  EXPECT_EQ(refusal("net_null0", {}, pod), "accepted");
  EXPECT_EQ(
      refusal("net_af_packet0,iface=lo", {capability::net_admin}, pod),
      "--vdev=net_af_packet0,iface=lo: its driver needs CAP_NET_RAW, which this process does not have; add NET_RAW "
      "to securityContext.capabilities.add of the container");
  EXPECT_THAT(refusal("eth_af_packet0,iface=lo", {}, pod),
              AllOf(HasSubstr("needs CAP_NET_ADMIN and CAP_NET_RAW"), HasSubstr("add NET_ADMIN, NET_RAW to")));
  EXPECT_THAT(refusal("net_tap0", {capability::net_raw}, pod), HasSubstr("add NET_ADMIN to securityContext"));
  EXPECT_THAT(refusal("net_tap0", {}, container), HasSubstr("--cap-add NET_ADMIN"));
  EXPECT_THAT(refusal("net_tap0", {}, machine),
              HasSubstr("setcap CAP_NET_ADMIN,CAP_NET_RAW,CAP_IPC_LOCK,CAP_SYS_RAWIO=ep"));
}

}  // namespace
}  // namespace packetwarp
