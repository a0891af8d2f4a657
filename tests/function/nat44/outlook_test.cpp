// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/packet/outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "fixtures/repetitions.h"
#include "function/nat44/nat44_bed.h"
#include "function/nat44/packet/known_session.h"
#include "wire/ipv4.h"

// Between look_ahead() and process() for a packet anything may happen to the session that was seen.
namespace packetwarp::test::nat44_outlook_tests {
namespace {

bytes packet_of(std::string_view host, unsigned port) {
  return coming(inside, host, "192.0.2.9").udp(port, 53).payload(18).build();
}
bytes translated(unsigned port) {
  return leaving(outside, "203.0.113.1", "192.0.2.9").udp(port, 53).payload(18).build();
}

// A packet of an existing session, of either transport, in either direction. For TCP it is a segment with ACK alone:
// segments that open or close connections take the long way.
struct example {
  interface_index from;
  bytes packet;
};
std::vector<example> examples() {
  auto const out = coming(inside, "10.0.0.2", "192.0.2.9");
  auto const in = coming(outside, "192.0.2.9", "203.0.113.1");
  return {{inside, packet_builder{out}.udp(4000, 53).payload(18).build()},
          {inside, packet_builder{out}.tcp(4000, 80, wire::tcp_flag::ack).payload(6).build()},
          {outside, packet_builder{in}.udp(53, 4000).payload(18).build()},
          {outside, packet_builder{in}.tcp(80, 4000, wire::tcp_flag::ack).payload(6).build()}};
}

class nat44_outlook : public testing::Test {
 protected:
  // Processes a packet with the outlook of that packet or another one.
  verdict process(bytes& packet, interface_index from, routed_nat44::outlook const& seen) {
    auto const all = bed_.tables(from);
    return routed_nat44::process(nat44_bed::view_of(packet), routed_nat44::hold(all), seen);
  }
  void open(bytes packet) { EXPECT_EQ(bed_.process(packet, inside), forwarded(outside)); }

  void open_all() {
    for (auto [from, packet] : examples()) EXPECT_EQ(bed_.process(packet, from).what(), verdict::action::forward);
  }

  nat44_bed bed_;
};

TEST_F(nat44_outlook, finds_the_session_from_both_sides) {
  EXPECT_EQ(bed_.look_ahead(packet_of("10.0.0.2", 4000), inside).of<nat44>().record, 0u);
  open(packet_of("10.0.0.2", 4000));
  auto const seen = bed_.look_ahead(packet_of("10.0.0.2", 4000), inside).of<nat44>().record;
  EXPECT_NE(seen, 0u);
  auto const reply = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).payload(18).build();
  EXPECT_EQ(bed_.look_ahead(reply, outside).of<nat44>().record, seen);
}

TEST_F(nat44_outlook, sees_nothing_of_what_is_no_plain_header_or_too_short) {
  open(packet_of("10.0.0.2", 4000));
  auto other_type = packet_of("10.0.0.2", 4000);
  other_type[12] = std::byte{0x86};
  auto with_options = packet_of("10.0.0.2", 4000);
  with_options[14] = std::byte{0x46};
  auto cut = packet_of("10.0.0.2", 4000);
  cut.resize(41);
  for (auto const& packet : {other_type, with_options, cut, bytes(1)}) {
    EXPECT_EQ(bed_.look_ahead(packet, inside).of<nat44>().record, 0u);
  }
}

TEST_F(nat44_outlook, of_a_session_that_has_ended_meanwhile_leads_to_a_new_one) {
  auto packet = packet_of("10.0.0.2", 4000);
  open(packet);
  auto const seen = bed_.look_ahead(packet, inside);
  bed_.nat().tick(301);
  bed_.nat().maintain();
  EXPECT_THAT(bed_.sessions(), testing::IsEmpty());
  EXPECT_EQ(process(packet, inside, seen), forwarded(outside));
  EXPECT_THAT(bed_.sessions(), testing::SizeIs(1));
}

TEST_F(nat44_outlook, of_another_session_is_not_followed) {
  open(packet_of("10.0.0.2", 4000));
  open(packet_of("10.0.0.2", 4001));
  auto const other = bed_.look_ahead(packet_of("10.0.0.2", 4000), inside).of<nat44>().record;
  auto packet = packet_of("10.0.0.2", 4001);
  auto seen = bed_.look_ahead(packet, inside);
  seen.of<nat44>().record = other;
  EXPECT_EQ(process(packet, inside, seen), forwarded(outside));
  EXPECT_EQ(to_hex(packet), to_hex(translated(4001)));

  auto reply = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4001).payload(18).build();
  seen = bed_.look_ahead(reply, outside);
  seen.of<nat44>().record = other;
  EXPECT_EQ(process(reply, outside, seen), forwarded(inside));
  EXPECT_EQ(to_hex(reply), to_hex(leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, 4001).payload(18).build()));
}

TEST_F(nat44_outlook, keeps_the_session_alive_like_any_packet) {
  auto packet = packet_of("10.0.0.2", 4000);
  open(packet);
  bed_.nat().tick(300);
  auto const seen = bed_.look_ahead(packet, inside);
  EXPECT_NE(seen.of<nat44>().record, 0u);
  EXPECT_EQ(process(packet, inside, seen), forwarded(outside));
  bed_.nat().tick(600);
  bed_.nat().maintain();
  EXPECT_THAT(bed_.sessions(), testing::SizeIs(1));
}

// The bed compares the fate of each packet with its fate without an outlook.
TEST_F(nat44_outlook, changes_nothing_whatever_byte_of_a_packet_is_another) {
  open_all();
  for (auto const& [from, packet] : examples()) {
    for (std::size_t at = 0; at < packet.size(); ++at) {
      for (auto const flipped : {0x01, 0x20, 0x80, 0xff}) {
        auto changed = packet;
        changed[at] ^= static_cast<std::byte>(flipped);
        bed_.process(changed, from);
      }
    }
  }
}

// The IPv4 header's checksum is corrected, so that it does not stop the packets.
TEST_F(nat44_outlook, changes_nothing_whatever_the_header_says) {
  open_all();
  for (auto const& [from, packet] : examples()) {
    for (std::size_t at = routing::ip_at; at < routing::ip_at + 20; ++at) {
      for (unsigned value = 0; value < 256; ++value) {
        auto changed = packet;
        changed[at] = static_cast<std::byte>(value);
        wire::ipv4_view const ip{changed.data() + routing::ip_at};
        if (ip.header_length() == 20) ip.fill_checksum();
        bed_.process(changed, from);
      }
    }
  }
}

TEST_F(nat44_outlook, changes_nothing_however_short_a_packet_is) {
  open_all();
  for (auto const& [from, packet] : examples()) {
    for (auto size = packet.size(); size > 0; --size) {
      auto cut = packet;
      cut.resize(size);
      bed_.process(cut, from);
      if (size < routing::ip_at + 20) continue;
      wire::ipv4_view const ip{cut.data() + routing::ip_at};
      ip.set_total_length(static_cast<std::uint16_t>(size - routing::ip_at));
      ip.fill_checksum();
      bed_.process(cut, from);
    }
  }
}

// 0 stays, and 0xffff, which is a multiple of 15, replaces a sum of 0 (RFC 768).
TEST_F(nat44_outlook, changes_nothing_whatever_the_transport_checksum_is) {
  open_all();
  for (auto const& [from, packet] : examples()) {
    bool const is_udp = packet[routing::ip_at + 9] == std::byte{17};
    auto const at = routing::ip_at + 20 + (is_udp ? 6U : 16U);
    unsigned different = 0;
    for (unsigned checksum = 0; checksum < 65536; checksum += repetitions(1U, 15)) {
      auto now = packet;
      wire::store_be<std::uint16_t>(now.data() + at, static_cast<std::uint16_t>(checksum));
      auto ahead = now;
      auto const said = routed_nat44::process(nat44_bed::view_of(now), bed_.tables(from));
      bool const is_same = said == process(ahead, from, bed_.look_ahead(ahead, from)) && now == ahead;
      if (!is_same) ++different;
    }
    EXPECT_EQ(different, 0u);
  }
}

// Known data is not asked for again: the outgoing bytes are the record's, not a table's.
TEST_F(nat44_outlook, has_nearly_all_packets_go_the_short_way) {
  open_all();
  for (auto const& [from, packet] : examples()) {
    auto const seen = bed_.look_ahead(packet, from);
    ASSERT_NE(seen.of<nat44>().record, 0u);
    auto sent = packet;
    auto const all = bed_.tables(from);
    auto const known = seen.of<nat44>();
    auto const said = from == inside
                          ? nat::leave_known(nat44_bed::view_of(sent), all.of<nat44>(), all.of<router>(), known)
                          : nat::enter_known(nat44_bed::view_of(sent), all.of<nat44>(), all.of<router>(), known);
    EXPECT_EQ(said, forwarded(from == inside ? outside : inside));
  }
}

// A frame that only its padding makes too long is the control plane's, by the short way as by the long one.
TEST_F(nat44_outlook, lets_no_padding_beyond_the_mtu_pass) {
  open_all();
  for (auto const& [from, packet] : examples()) {
    auto padded = packet;
    padded.resize(routing::ip_at + 1501);
    EXPECT_EQ(process(padded, from, bed_.look_ahead(padded, from)), verdict::punt(punt_reason::needs_fragmentation));
    padded = packet;
    padded.resize(routing::ip_at + 1500);
    EXPECT_EQ(process(padded, from, bed_.look_ahead(padded, from)).what(), verdict::action::forward);
  }
}

}  // namespace
}  // namespace packetwarp::test::nat44_outlook_tests
