// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/tcp.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

TEST(tcp, reads_a_header_with_options) {
  auto const mss = test::to_bytes({2, 4, 5, 0xb4});
  auto packet = test::packet_builder{}.ipv4().tcp(80, 1024, tcp_flag::syn | tcp_flag::ack, mss).payload(3).build();
  tcp_view const tcp{packet.data() + 20};
  ASSERT_TRUE(tcp.check_length(packet.size() - 20));
  EXPECT_EQ(tcp.source_port(), 80);
  EXPECT_EQ(tcp.destination_port(), 1024);
  EXPECT_EQ(tcp.sequence(), 1U);
  EXPECT_EQ(tcp.acknowledgment(), 0U);
  EXPECT_EQ(tcp.header_length(), 24U);
  EXPECT_EQ(tcp.flags(), tcp_flag::syn | tcp_flag::ack);
  EXPECT_EQ(tcp.window(), 8192);
  EXPECT_EQ(tcp.payload(), packet.data() + 44);
}

TEST(tcp, writes_what_the_builder_writes) {
  auto packet = test::packet_builder{}.ipv4().tcp(80, 1024).build();
  test::bytes made(20);
  tcp_view const tcp{made.data()};
  tcp.set_source_port(80);
  tcp.set_destination_port(1024);
  tcp.set_sequence(1);
  tcp.set_acknowledgment(0);
  tcp.set_header_length(20);
  tcp.set_flags(tcp_flag::syn);
  tcp.set_window(8192);
  tcp.set_checksum(tcp_view{packet.data() + 20}.checksum());
  EXPECT_EQ(made, test::bytes(packet.begin() + 20, packet.end()));
}

TEST(tcp, check_length_refuses_every_truncation_and_data_offsets_below_five) {
  auto packet = test::packet_builder{}.ipv4().tcp(80, 1024, tcp_flag::syn, test::to_bytes({1, 1, 1, 0})).build();
  test::bytes const header{packet.begin() + 20, packet.end()};
  for (std::size_t length = 0; length < header.size(); ++length) {
    test::bytes const cut{header.begin(), header.begin() + static_cast<std::ptrdiff_t>(length)};
    EXPECT_FALSE(tcp_view{cut.data()}.check_length(cut.size())) << length;
  }
  for (std::size_t length : {0U, 4U, 8U, 12U, 16U}) {
    test::bytes wrong = header;
    tcp_view{wrong.data()}.set_header_length(length);
    EXPECT_FALSE(tcp_view{wrong.data()}.check_length(wrong.size())) << length;
  }
}

}  // namespace
}  // namespace packetwarp::wire
