// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/replay/written_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace packetwarp {
namespace {

class written_capture : public testing::Test {
 protected:
  written_capture() {
    std::ofstream{a_} << std::string(24 + 2 * (16 + 60), 'x');
    std::ofstream{b_} << std::string(24, 'x');
  }
  ~written_capture() override {
    std::filesystem::remove(a_);
    std::filesystem::remove(b_);
  }
  [[nodiscard]] static std::string loss(std::string const& arguments, std::uint64_t packets, std::uint64_t bytes) {
    auto const devices = requested_devices(std::vector<std::string>{"--vdev=net_pcap0," + arguments});
    return loss_of_captures(devices.front(), packets, bytes).value_or("none");
  }

  std::string const a_{testing::TempDir() + "written_a_" + std::to_string(::getpid())};
  std::string const b_{testing::TempDir() + "written_b_" + std::to_string(::getpid())};
};

TEST_F(written_capture, has_all_packets_that_were_counted) {
  EXPECT_EQ(loss("tx_pcap=" + a_, 2, 120), "none");
  EXPECT_EQ(loss("tx_pcap=" + a_ + ",tx_pcap=" + b_, 2, 120), "none") << "a file for each queue";
  EXPECT_EQ(loss("rx_pcap=" + b_, 2, 120), "none") << "nothing is written";
  std::filesystem::resize_file(b_, 0);
  EXPECT_EQ(loss("tx_pcap=" + b_, 0, 0), "none") << "the driver writes a file's header with its first packet";
}

TEST_F(written_capture, with_less_than_the_packets_need_is_told) {
  EXPECT_EQ(loss("tx_pcap=" + a_, 3, 180), "--vdev=net_pcap0,tx_pcap=" + a_ +
                                               ": 176 of the 252 bytes of its 3 packets were written to " + a_ +
                                               ": the rest is lost; give a file on a disk with room");
  EXPECT_THAT(loss("tx_pcap=" + a_ + ",tx_pcap=" + b_, 2, 145), testing::HasSubstr("200 of the 201 bytes"));
}

TEST_F(written_capture, that_cannot_be_seen_is_not_judged) {
  for (auto const* file : {"/dev/null", "/no/such/file", "/"}) {
    EXPECT_EQ(loss("tx_pcap=" + a_ + ",tx_pcap=" + file, 100, 10000), "none") << file;
  }
}

}  // namespace
}  // namespace packetwarp
