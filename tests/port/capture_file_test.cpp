// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/replay/capture_file.h"

#include <gtest/gtest.h>

namespace packetwarp {
namespace {

TEST(without_outputs, writes_to_nothing_and_leaves_the_rest) {
  EXPECT_EQ(without_outputs("--vdev=net_pcap0,rx_pcap=a.pcap,tx_pcap=b.pcap"),
            "--vdev=net_pcap0,rx_pcap=a.pcap,tx_pcap=/dev/null");
  EXPECT_EQ(without_outputs("net_pcap0,tx_pcap=b,tx_pcap=c=d,infinite_rx=1"),
            "net_pcap0,tx_pcap=/dev/null,tx_pcap=/dev/null,infinite_rx=1");
  EXPECT_EQ(without_outputs("net_pcap0,tx_pcap="), "net_pcap0,tx_pcap=/dev/null");
}

TEST(without_outputs, changes_no_other_word) {
  for (auto const* word : {"", "-l", "0-1", "--vdev=net_null0", "--vdev=net_pcap0,rx_pcap=tx_pcap=a", "tx_pcap=a"}) {
    EXPECT_EQ(without_outputs(word), word);
  }
}

}  // namespace
}  // namespace packetwarp
