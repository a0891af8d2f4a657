// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "function/nat44/parts_bed.h"

// Sessions that several GPUs divide by ports: every packet is translated as by one, whichever GPU it comes to.
namespace packetwarp::test::nat44_parts_tests {
namespace {

class nat44_parts : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(of, nat44_parts, testing::Values(2, 3, 8));

[[nodiscard]] nat::endpoint source_of(bytes const& packet) {
  auto const byte = [&](std::size_t n) { return std::to_integer<std::uint32_t>(packet[n]); };
  return {{byte(26) << 24 | byte(27) << 16 | byte(28) << 8 | byte(29)},
          static_cast<std::uint16_t>(byte(34) << 8 | byte(35))};
}

TEST_P(nat44_parts, keep_ports_and_know_the_answers_wherever_they_come) {
  parts_bed bed{GetParam()};
  for (unsigned port = 1500; port < 3000; port += 37) {
    expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).payload(4).build(), outside,
                       leaving(outside, "203.0.113.1", "192.0.2.9").udp(port, 53).payload(4).build());
    expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, port).payload(4).build(),
                       inside, leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, port).payload(4).build());
  }
}

// Mapping is endpoint-independent (RFC 4787, REQ-1), and a port is never given twice (REQ-3).
TEST_P(nat44_parts, give_an_endpoint_one_port_and_no_port_twice) {
  auto config = small_nat();
  config.sessions = 10000;
  parts_bed bed{GetParam(), config};
  std::set<std::uint16_t> given;
  for (unsigned port = 2000; port < 2200; ++port) {
    for (auto const* host : {"10.0.0.2", "10.0.0.3", "10.0.0.4"}) {
      std::set<std::uint16_t> seen;
      for (std::size_t gpu = 0; gpu < GetParam(); ++gpu) {
        auto packet = coming(inside, host, gpu % 2 == 0 ? "192.0.2.9" : "198.18.0.9").udp(port, 53).build();
        ASSERT_EQ(bed.process(packet, inside, gpu).what() == verdict::action::drop, false);
        seen.insert(source_of(packet).port);
      }
      ASSERT_EQ(seen.size(), 1U);
      ASSERT_TRUE(given.insert(*seen.begin()).second) << host << ":" << port;
      nat::part const part{.number = 0, .of = static_cast<std::uint16_t>(GetParam())};
      EXPECT_EQ(part.of_port(*seen.begin()), part.of_port(port));
      EXPECT_EQ(*seen.begin() % 2, port % 2) << "RFC 4787, REQ-4";
    }
  }
}

TEST_P(nat44_parts, translate_between_inside_hosts_whose_sessions_lie_apart) {
  parts_bed bed{GetParam()};
  for (unsigned theirs = 5000; theirs < 5000 + 64 * 9; theirs += 64) {
    auto opened = coming(inside_too, "10.1.0.2", "192.0.2.9").udp(theirs, 53).build();
    ASSERT_EQ(bed.process(opened, inside_too, 0), forwarded(outside));
    expect_translation(bed, inside, coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, theirs).payload(4).build(),
                       inside_too, leaving(inside_too, "203.0.113.1", "10.1.0.2").udp(4000, theirs).payload(4).build());
    expect_translation(bed, inside_too,
                       coming(inside_too, "10.1.0.2", "203.0.113.1").udp(theirs, 4000).payload(4).build(), inside,
                       leaving(inside, "203.0.113.1", "10.0.0.2").udp(theirs, 4000).payload(4).build());
  }
}

TEST_P(nat44_parts, translate_errors_about_sessions_of_others) {
  parts_bed bed{GetParam()};
  for (unsigned port = 3000; port < 3000 + 64 * 8; port += 64) {
    auto sent = coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).build();
    ASSERT_EQ(bed.process(sent, inside, 0), forwarded(outside));
    auto const as_sent = packet_builder{}.eth().ipv4("203.0.113.1", "192.0.2.9").udp(port, 53).build();
    auto const as_inside = packet_builder{}.eth().ipv4("10.0.0.2", "192.0.2.9").udp(port, 53).build();
    expect_translation(
        bed, outside,
        coming(outside, "192.0.2.7", "203.0.113.1").protocol(1).payload(error_message(3, 3, as_sent, 28)).build(),
        inside,
        leaving(inside, "192.0.2.7", "10.0.0.2").protocol(1).payload(error_message(3, 3, as_inside, 28)).build());
  }
}

TEST_P(nat44_parts, translate_queries_by_their_identifiers) {
  parts_bed bed{GetParam()};
  for (unsigned identifier = 100; identifier < 800; identifier += 50) {
    expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").icmp_echo(identifier + 2000, 1).build(),
                       outside, leaving(outside, "203.0.113.1", "192.0.2.9").icmp_echo(identifier + 2000, 1).build());
  }
}

TEST_P(nat44_parts, have_each_port_forward_and_each_static_address) {
  auto config = small_nat();
  config.port_forwards = {{nat::transport::tcp, at("10.0.0.2", 8080), at("203.0.113.1", 80)},
                          {nat::transport::udp, at("10.0.0.3", 5004), at("203.0.113.1", 40000)}};
  config.static_addresses = {{ipv4("10.0.0.4"), ipv4("203.0.113.9")}};
  parts_bed bed{GetParam(), config};
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").tcp(7777, 80).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.2").tcp(7777, 8080).build());
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").tcp(8080, 7777).build(), outside,
                     leaving(outside, "203.0.113.1", "192.0.2.9").tcp(80, 7777).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(9, 40000).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").udp(9, 5004).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.9").udp(9, 1234).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.4").udp(9, 1234).build());
  expect_translation(bed, inside, coming(inside, "10.0.0.4", "192.0.2.9").udp(1234, 9).build(), outside,
                     leaving(outside, "203.0.113.9", "192.0.2.9").udp(1234, 9).build());
  // Between inside hosts: to a static address, and from one.
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "203.0.113.9").udp(6000, 1234).build(), inside,
                     leaving(inside, "203.0.113.1", "10.0.0.4").udp(6000, 1234).build());
  expect_translation(bed, inside, coming(inside, "10.0.0.4", "203.0.113.1").udp(1234, 40000).build(), inside,
                     leaving(inside, "203.0.113.9", "10.0.0.3").udp(1234, 5004).build());
  std::size_t configured = 0;
  bed.tables().for_each(0, bed.tables().records(),
                        [&](nat44_session const& one) { configured += one.from == nat::origin::configured ? 1U : 0U; });
  EXPECT_EQ(configured, 2U) << "each forward is listed once";
}

TEST_P(nat44_parts, filter_by_what_was_sent_to) {
  auto config = small_nat();
  config.filtering = nat::filtering::address_dependent;
  parts_bed bed{GetParam(), config};
  for (unsigned port = 2000; port < 2400; port += 50) {
    auto sent = coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).build();
    ASSERT_EQ(bed.process(sent, inside, port % GetParam()), forwarded(outside));
    for (std::size_t gpu = 0; gpu < GetParam(); ++gpu) {
      auto stranger = coming(outside, "192.0.2.66", "203.0.113.1").udp(53, port).build();
      EXPECT_EQ(name_of(bed.process(stranger, outside, gpu)), "filtered");
      auto answer = coming(outside, "192.0.2.9", "203.0.113.1").udp(99, port).build();
      EXPECT_EQ(bed.process(answer, outside, gpu), forwarded(inside));
    }
  }
}

TEST_P(nat44_parts, hold_pieces_where_their_session_is) {
  parts_bed bed{GetParam()};
  auto sent = coming(inside, "10.0.0.2", "192.0.2.9").udp(2100, 53).build();
  ASSERT_EQ(bed.process(sent, inside, 0), forwarded(outside));
  for (std::size_t gpu = 0; gpu < GetParam(); ++gpu) {
    auto first = coming(outside, "192.0.2.9", "203.0.113.1").fragment(0, 1).udp(53, 2100).payload(16).build();
    EXPECT_EQ(name_of(bed.process(first, outside, gpu)), "fragment");
    auto nobodys = coming(outside, "192.0.2.9", "203.0.113.1").fragment(0, 1).udp(53, 2101).payload(16).build();
    EXPECT_EQ(name_of(bed.process(nobodys, outside, gpu)), "no_session");
  }
}

// A host that makes up the note of another GPU gets its own endpoint all the same.
TEST(nat44_parts_note, of_a_host_is_not_believed) {
  parts_bed bed{2};
  auto opened = coming(inside_too, "10.1.0.2", "192.0.2.9").udp(5056, 53).build();  // of part 1
  ASSERT_EQ(bed.process(opened, inside_too, 0), forwarded(outside));
  auto forged = packet_builder{}
                    .eth("cb:00:71:01:10:00", router_mac[0])  // 203.0.113.1 and port 4096, as it would be without a key
                    .ipv4("10.0.0.2", "203.0.113.1")
                    .ttl(64)
                    .udp(4000, 5056)
                    .build();
  ASSERT_EQ(bed.process(forged, inside, 1), forwarded(inside_too));
  EXPECT_EQ(source_of(forged).port, 4000);
  EXPECT_EQ(bed.hops(), 2U) << "to the source's GPU, and back";
}

TEST(nat44_parts_loss, of_one_leaves_the_sessions_of_all) {
  parts_bed bed{2};
  std::map<unsigned, std::uint16_t> ports;
  for (unsigned port = 2000; port < 2300; ++port) {
    for (auto const* host : {"10.0.0.2", "10.0.0.3"}) {
      auto packet = coming(inside, host, "192.0.2.9").udp(port, 53).build();
      ASSERT_EQ(bed.process(packet, inside, port % 2), forwarded(outside));
      ports[port * 2 + (host[7] == '2' ? 0 : 1)] = source_of(packet).port;
    }
  }
  bed.lose(0);
  std::set<std::uint16_t> given;
  for (auto const& [key, port] : ports) {
    auto packet = coming(inside, key % 2 == 0 ? "10.0.0.2" : "10.0.0.3", "192.0.2.9").udp(key / 2, 53).build();
    ASSERT_EQ(bed.process(packet, inside, key % 2), forwarded(outside));
    EXPECT_EQ(source_of(packet).port, port);
    given.insert(port);
  }
  for (unsigned port = 2300; port < 2500; ++port) {
    auto packet = coming(inside, "10.0.0.4", "192.0.2.9").udp(port, 53).build();
    ASSERT_EQ(bed.process(packet, inside, port % 2), forwarded(outside));
    EXPECT_TRUE(given.insert(source_of(packet).port).second);
  }
}

TEST(nat44_parts_file, goes_to_the_parts_that_have_its_sessions) {
  auto const path = std::filesystem::temp_directory_path() / "nat44_parts_test.state";
  std::vector<std::string> before;
  auto const list = [](nat44_tables& of) {
    std::set<std::pair<std::uint16_t, std::uint16_t>> all;
    of.for_each(0, of.records(), [&](nat44_session const& one) { all.emplace(one.inside.port, one.outside.port); });
    return all;
  };
  parts_bed bed{3};
  for (unsigned port = 2000; port < 2300; ++port) {
    auto packet = coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).build();
    ASSERT_EQ(bed.process(packet, inside, port % 3), forwarded(outside));
  }
  bed.tables().read_back();
  {
    nat::session_file_writer file{path};
    for (std::size_t n = 0; n < 3; ++n) bed.tables().part(n).save_slice(file, 0, bed.tables().part(n).records());
    file.finish();
  }
  parts_bed after{2};
  EXPECT_EQ(after.tables().restore(path), 300U);
  EXPECT_EQ(list(after.tables()), list(bed.tables()));
  std::filesystem::remove(path);
  auto answer = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 2100).build();
  EXPECT_EQ(after.process(answer, outside, 1), forwarded(inside));
}

TEST(nat44_parts_change, is_in_force_in_all_or_in_none) {
  parts_bed bed{2};
  auto wanted = bed.tables().config();
  wanted.pool = {{ipv4("203.0.113.5"), ipv4("203.0.113.5")}};
  wanted.port_forwards = {{nat::transport::tcp, at("10.0.0.2", 8080), at("203.0.113.5", 80)}};
  auto made = bed.tables().plan_change(wanted);
  bed.tables().prepare(made);
  bed.tables().publish(std::move(made));
  for (unsigned port : {2000U, 2064U}) {
    expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).build(), outside,
                       leaving(outside, "203.0.113.5", "192.0.2.9").udp(port, 53).build());
  }
  EXPECT_EQ(bed.tables().config().sessions, small_nat().sessions) << "of all parts together";
  bed.tables().maintain(65536);  // the host hears of the GPUs' sessions
  std::uint32_t used = 0;
  for (std::uint32_t n = 0; n < bed.tables().outside_positions(); ++n) {
    auto const use = bed.tables().outside_use(n);
    if (use && use->address == ipv4("203.0.113.5")) used += use->ports[0];
  }
  EXPECT_EQ(used, 2U) << "of both parts";
  wanted.static_addresses.assign(1000, {ipv4("10.0.0.4"), ipv4("203.0.113.9")});
  EXPECT_THROW((void)bed.tables().plan_change(wanted), usage_error);
}

TEST(nat44_parts_config, refuses_what_cannot_be_divided) {
  auto config = small_nat();
  config.feature = nat::feature::output_feature;
  EXPECT_THROW(parts_bed(2, config), usage_error);
  config = small_nat();
  config.first_port = 1024;
  config.last_port = 1024 + 63;
  EXPECT_THROW(parts_bed(2, config), usage_error);
}

}  // namespace
}  // namespace packetwarp::test::nat44_parts_tests
