// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/burst.h"

#include <gtest/gtest.h>

#include <array>

namespace packetwarp {
namespace {

TEST(burst, spans_the_packets_it_holds_and_no_more) {
  std::array<rte_mbuf, 3> mbufs{};
  std::array<rte_mbuf*, 3> packets{&mbufs[0], &mbufs[1], &mbufs[2]};
  burst work{.packets = packets.data(), .verdicts = nullptr, .size = 2};
  ASSERT_EQ(work.all().size(), 2u);
  EXPECT_EQ(work.all()[0], &mbufs[0]);
  EXPECT_EQ(work.all()[1], &mbufs[1]);
}

TEST(view_of, a_packet_in_one_mbuf_reaches_all_of_it) {
  std::array<std::byte, 256> memory{};
  rte_mbuf packet{};
  packet.buf_addr = memory.data();
  packet.data_off = 100;
  packet.data_len = 60;
  packet.pkt_len = 60;
  auto const view = view_of(packet);
  EXPECT_EQ(view.data, memory.data() + 100);
  EXPECT_EQ(view.contiguous, 60u);
  EXPECT_EQ(view.length, 60u);
}

TEST(view_of, a_chained_packet_reaches_its_first_mbuf_and_knows_the_whole_length) {
  std::array<std::byte, 256> memory{};
  rte_mbuf packet{};
  packet.buf_addr = memory.data();
  packet.data_len = 128;
  packet.pkt_len = 9000;
  packet.nb_segs = 71;
  EXPECT_EQ(view_of(packet).contiguous, 128u);
  EXPECT_EQ(view_of(packet).length, 9000u);
}

}  // namespace
}  // namespace packetwarp
