// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/udp.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

TEST(udp, reads_what_the_builder_wrote) {
  auto packet = test::packet_builder{}.udp(53, 4096).no_checksum().payload(5).build();
  udp_view const udp{packet.data()};
  ASSERT_TRUE(udp.check_length(packet.size()));
  EXPECT_EQ(udp.source_port(), 53);
  EXPECT_EQ(udp.destination_port(), 4096);
  EXPECT_EQ(udp.length(), 13);
  EXPECT_EQ(udp.payload_length(), 5U);
  EXPECT_EQ(udp.checksum(), 0);
  EXPECT_EQ(udp.payload(), packet.data() + 8);
}

TEST(udp, writes_what_the_builder_writes) {
  test::bytes made(8);
  udp_view const udp{made.data()};
  udp.set_source_port(53);
  udp.set_destination_port(4096);
  udp.set_length(8);
  udp.set_checksum(0);
  EXPECT_EQ(made, test::packet_builder{}.udp(53, 4096).no_checksum().build());
}

TEST(udp, check_length_refuses_every_truncation_and_lengths_below_the_header) {
  auto packet = test::packet_builder{}.udp(53, 53).no_checksum().payload(5).build();
  for (std::size_t length = 0; length < packet.size(); ++length) {
    test::bytes const cut{packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(length)};
    EXPECT_FALSE(udp_view{cut.data()}.check_length(cut.size())) << length;
  }
  udp_view{packet.data()}.set_length(7);
  EXPECT_FALSE(udp_view{packet.data()}.check_length(packet.size()));
}

}  // namespace
}  // namespace packetwarp::wire
