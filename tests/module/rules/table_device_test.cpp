// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/table_device.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fixtures/packet_builder.h"
#include "flow/reference_flows.h"
#include "module/rules/rules_bed.h"

namespace packetwarp::flow {
namespace {

using test::packet_builder;

// Every item and every action, ranges, groups and passthru, so that each path is taken by some packet.
constexpr char const* many_kinds =
    "flow create 0 priority 0 ingress pattern eth / end actions count / passthru / end\n"
    "flow create 0 priority 1 ingress pattern vlan vid is 7 / end actions count / of_pop_vlan / set_mac_src mac_addr "
    "02:aa:00:00:00:01 / passthru / end\n"
    "flow create 0 priority 2 ingress pattern ipv4 src spec 10.0.0.0 src prefix 8 / udp dst is 100 dst last 60000 / "
    "end "
    "actions count / set_ipv4_dst ipv4_addr 9.8.7.6 / set_tp_dst port 7 / dec_ttl / jump group 4 / end\n"
    "flow create 0 priority 3 ingress pattern ipv4 / tcp flags spec 2 flags mask 2 / end actions count / set_tp_src "
    "port 5 "
    "/ set_ipv4_src ipv4_addr 1.2.3.4 / queue index 1 / end\n"
    "flow create 0 priority 3 ingress pattern ipv4 / icmp type is 8 / end actions set_ttl ttl_value 3 / drop / end\n"
    "flow create 0 priority 4 ingress pattern ipv6 src is 2001:db8::1 has_frag_ext is 0 / end actions set_ipv6_src "
    "ipv6_addr fe80::9 / set_ipv6_dst ipv6_addr fe80::8 / dec_ttl / port_id id 1 / end\n"
    "flow create 0 group 4 ingress pattern ipv4 ttl is 63 / any / end actions of_push_vlan ethertype 0x8100 / "
    "of_set_vlan_vid vlan_vid 99 / of_set_vlan_pcp vlan_pcp 5 / represented_port ethdev_port_id 1 / end\n"
    "flow create 0 transfer pattern eth dst is ff:ff:ff:ff:ff:ff / end actions drop / end\n"
    "flow create 1 egress pattern ipv6 / tcp / end actions count / drop / end\n"
    "flow create 1 egress pattern eth / end actions count / set_mac_dst mac_addr 02:bb:00:00:00:02 / end\n";

std::vector<packet_builder> packets_of_all_kinds() {
  std::vector<packet_builder> made;
  for (unsigned n = 0; n < 400; ++n) {
    auto builder = packet_builder{}.eth("02:00:00:00:00:01", n % 19 == 0 ? "ff:ff:ff:ff:ff:ff" : "02:00:00:00:00:02");
    if (n % 3 == 1) builder.vlan(n % 9);
    if (n % 9 == 4) builder.vlan(7);
    n % 4 == 3 ? builder.ipv6(n % 8 == 3 ? "2001:db8::1" : "2001:db8::5")
               : builder.ipv4(fmt::format("{}.0.0.{}", n % 16, n % 256), "10.0.0.2");
    builder.ttl(n % 5 == 0 ? n % 3 : 64);
    if (n % 17 == 3 && n % 4 == 3) builder.fragment6(0, 1);
    bool const has_long_chain = n % 20 == 7;
    for (unsigned count = 0; has_long_chain && count <= wire::max_ipv6_extensions; ++count)
      builder.destination_options();
    if (n % 3 == 0) builder.udp(n, n * 151 % 65536);
    if (n % 3 == 1) builder.tcp(n, 80, n % 64);
    if (n % 3 == 2) builder.icmp_echo(n, n);
    made.push_back(builder.payload(n % 50));
  }
  return made;
}

std::vector<packet_builder> packets_of_the_reference() {
  std::vector<packet_builder> made;
  for (unsigned port = 1000; port < 6010; ++port) {
    made.push_back(packet_builder{}.eth().ipv4("2.2.2.2", "1.1.1.2").udp(port, 5000).payload(18));
  }
  return made;
}

test::packet_array lay_out(std::vector<packet_builder> const& builders) {
  test::packet_array made{.bytes = {}, .lengths = {}, .stride = 256, .headroom = 8};
  for (auto const& builder : builders) {
    auto const frame = builder.build();
    made.bytes.resize(made.bytes.size() + made.stride, std::byte{0xa5});
    std::copy(frame.begin(), frame.end(), made.bytes.end() - static_cast<std::ptrdiff_t>(made.stride - made.headroom));
    made.lengths.push_back(static_cast<std::uint32_t>(frame.size()));
  }
  return made;
}

// Compares packets, verdicts, the bytes around the packets, and counters.
void compare(std::string_view rules_text, std::uint16_t port, std::vector<packet_builder> const& builders) {
  test::rules_bed const bed{rules_text};
  rules_table const on_gpu{bed.compiled().all, bed.compiled().ports, table_place{0}};
  rules_egress const egresses[] = {{port_id{0}, egress_index{10}}, {port_id{1}, egress_index{11}}};
  auto ours = lay_out(builders);
  auto theirs = ours;
  auto const verdicts = test::process_on_gpu(theirs, on_gpu.ref(port_id{port}, egresses));
  auto const tables = bed.table().ref(port_id{port}, egresses);
  for (std::size_t i = 0; i < ours.lengths.size(); ++i) {
    auto* const frame = ours.bytes.data() + i * ours.stride + ours.headroom;
    ASSERT_EQ(verdicts[i].raw(), rules::process({frame, ours.lengths[i], ours.lengths[i]}, tables).raw()) << i;
  }
  EXPECT_TRUE(ours.bytes == theirs.bytes);
  for (std::size_t n = 0; n < bed.compiled().all.size(); ++n) {
    auto const here = bed.table().counted(n);
    auto const there = on_gpu.counted(n);
    ASSERT_EQ(here.has_value(), there.has_value());
    if (!here) continue;
    EXPECT_EQ(here->hits, there->hits) << n;
    EXPECT_EQ(here->bytes, there->bytes) << n;
  }
}

TEST(table_device, does_to_every_packet_what_the_host_does) {
  if (!test::has_gpu()) GTEST_SKIP() << "no GPU";
  compare(many_kinds, 0, packets_of_all_kinds());
}

TEST(table_device, does_what_the_reference_says) {
  if (!test::has_gpu()) GTEST_SKIP() << "no GPU";
  compare(test::reference_flows::text(), 1, packets_of_the_reference());
}

}  // namespace
}  // namespace packetwarp::flow
