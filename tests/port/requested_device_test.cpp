// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/device/requested_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace packetwarp {
namespace {

using words = std::vector<std::string>;

TEST(requested_device, is_found_however_its_option_is_written) {
  auto const devices =
      requested_devices(words{"-l", "0-1", "--vdev=net_null0", "--vdev", "net_ring0,size=4", "--no-pci"});
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "net_null0");
  EXPECT_EQ(devices[0].text, "net_null0");
  EXPECT_EQ(devices[1].name, "net_ring0");
  EXPECT_EQ(devices[1].text, "net_ring0,size=4");
}

TEST(requested_device, has_a_value_for_each_time_a_key_is_given) {
  auto const devices = requested_devices(words{"--vdev=net_pcap0,rx_pcap=a.pcap,tx_pcap=b=c.pcap,rx_pcap=d.pcap,flag"});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_THAT(devices[0].values_of("rx_pcap"), testing::ElementsAre("a.pcap", "d.pcap"));
  EXPECT_THAT(devices[0].values_of("tx_pcap"), testing::ElementsAre("b=c.pcap"));
  EXPECT_THAT(devices[0].values_of("flag"), testing::ElementsAre(""));
  EXPECT_THAT(devices[0].values_of("rx"), testing::IsEmpty());
}

TEST(requested_device, is_not_made_of_other_words) {
  EXPECT_THAT(requested_devices(words{}), testing::IsEmpty());
  EXPECT_THAT(requested_devices(words{"--vdev"}), testing::IsEmpty());
  EXPECT_THAT(requested_devices(words{"-a", "0000:b5:00.0", "--vdevs=net_null0"}), testing::IsEmpty());
  EXPECT_EQ(requested_devices(words{"--vdev="})[0].name, "");
  EXPECT_EQ(requested_devices(words{"--vdev=net_null0,"})[0].name, "net_null0");
}

}  // namespace
}  // namespace packetwarp
