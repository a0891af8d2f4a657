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

std::string refusal_of_device(std::string device, drivers known = drivers::of_dpdk) {
  auto const devices = requested_devices(std::vector<std::string>{"--vdev", std::move(device)});
  try {
    require_known_drivers(devices, known);
    require_interfaces(devices);
  } catch (usage_error const& wrong) {
    return wrong.what();
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

TEST(device_check, wants_an_interface_where_the_driver_does_and_one_that_is_there) {
  EXPECT_EQ(refusal_of_device("net_af_packet0,iface=lo"), "accepted");
  EXPECT_EQ(refusal_of_device("net_af_packet0"),
            "--vdev=net_af_packet0: net_af_packet needs an interface; give it as iface=eth1");
  EXPECT_EQ(refusal_of_device("net_af_xdp0,start_queue=0"),
            "--vdev=net_af_xdp0,start_queue=0: net_af_xdp needs an interface; give it as iface=eth1");
  EXPECT_EQ(
      refusal_of_device("net_af_packet0,iface=nowhere0"),
      "--vdev=net_af_packet0,iface=nowhere0: iface=nowhere0: there is no such interface here; 'ip -br link' lists "
      "them");
  EXPECT_THAT(refusal_of_device("net_pcap0,rx_iface=nowhere0,tx_iface=lo"),
              HasSubstr("rx_iface=nowhere0: there is no such"));
  EXPECT_EQ(refusal_of_device("net_pcap0,rx_pcap=a.pcap"), "accepted");
}

}  // namespace
}  // namespace packetwarp
